"""The files that topics come in: SimpleText CSV and JSON, TREC topics, TSV, SMART queries; and the queries of ir_datasets.

Each reader yields :class:`Query` in the order of the file. The text is as the file has it; only that of TREC and SMART files, which
wrap their lines, comes with single blanks.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from stcollection.errors import BadArgument, BadInput
from stcollection.io.corpus.documents import storable
from stcollection.io.files import bad_line, clip, read_text
from stcollection.io.irdatasets import PREFIX, handler, reading
from stcollection.io.records import Query as Query
from stcollection.io.topics.records import records

FORMATS = ("simpletext-csv", "simpletext-json", "trec", "tsv", "smart")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
FIELDS = ("title", "desc", "narr", "title+desc")
NUMBERS = ("id", "position")


def read_queries(
    path: Path, *, layout: str | None = None, field: str = "title", number: str | None = None
) -> tuple[str, list[Query]]:
    """How a file was read (``smart, numbered by position``), and its queries.

    :param layout: one of FORMATS; None recognises it.
    :param field: one of FIELDS: what of a TREC topic is its query.
    :param number: one of NUMBERS: what names a SMART query, its ``.I`` or its position. None takes the position where the ``.I``
        are zero-padded and have gaps, which is Cranfield's layout, whose judgments count positions; else the ``.I``.
    :raises BadInput: a line that cannot be read, a format that is not recognised, or a file without a query.
    """
    found: Iterator[Query]
    if path.as_posix().startswith(PREFIX):
        layout, text = layout or "ir_datasets", ""
    else:
        text = read_text(path)
        layout = layout or _recognise(path, text)
    how = layout
    if layout == "ir_datasets":
        found = _ir_datasets(path, field)
    elif layout == "simpletext-csv":
        found = _csv(path, text)
    elif layout == "simpletext-json":
        found = _json(path, text)
    elif layout == "trec":
        found = _trec(path, text, field)
    elif layout == "tsv":
        found = _tsv(path, text)
    elif layout == "smart":
        number = number or _smart_number(text)
        found = _smart(path, text, number)
        how = f"{layout}, numbered by {number}"
    else:
        raise BadArgument(f"there is no topic format {layout!r}", hint=f"The formats are {', '.join(FORMATS)}.")
    queries = list(found)
    if not queries:
        raise BadInput(
            f"{path}: holds no query (read as {how})", hint="Is it the right file? --format names another format.", sqlstate="IR301"
        )
    return how, queries


_FIELDS_OF_IR_DATASETS = {"title": ("title", "text", "query"), "desc": ("description",), "narr": ("narrative",)}


def _ir_datasets(path: Path, field: str) -> Iterator[Query]:
    """The queries that a collection of ir_datasets provides; what it numbers as lines are they."""
    if field not in FIELDS:
        raise BadArgument(f"there is no field {field!r} of a topic", hint=f"The fields are {', '.join(FIELDS)}.")
    name = path.as_posix()
    provided = handler(name, "queries")
    with reading(name):
        for line, query in enumerate(provided.queries_iter(), 1):
            parts: list[str] = []
            for part in field.split("+"):
                names = _FIELDS_OF_IR_DATASETS[part]
                text = next((value for one in names if isinstance(value := getattr(query, one, None), str)), None)
                if text is None and part == "title" and hasattr(query, "default_text"):
                    text = query.default_text()
                if not text or not text.strip():
                    there = ", ".join(one for one in query._fields if one != "query_id")
                    raise bad_line(
                        path, line, f"query {query.query_id} has no {part}; it has {there}", hint="Choose another by --field."
                    )
                parts.append(storable(text).strip())
            title = getattr(query, "title", None)
            named = {"topic": str(query.query_id), "topic_text": storable(title).strip()} if isinstance(title, str) else {}
            yield Query(line=line, query=str(query.query_id), text=" ".join(parts), **named)


def _recognise(path: Path, text: str) -> str:
    start = text.lstrip()
    head = start.partition("\n")[0].lower()
    if start[:1] in ("[", "{"):
        return "simpletext-json"
    if re.match(r"\.i\s+\d", head):
        return "smart"
    if "query_id" in head and _delimiter(head):
        return "simpletext-csv"
    if re.search(r"<top\b", start[:100_000], re.IGNORECASE):
        return "trec"
    if "\t" in head and (what := _other_table(text)):
        raise BadInput(
            f"{path}: {what}", sqlstate="IR301",
            hint="Topics are two columns, id and text; 'cut -f 1,3' keeps two. 'stc runs import', 'stc qrels import' and"
            " 'stc evaluation import' take other tables. --format tsv takes the file as it is.",
        )  # fmt: skip
    if "\t" in head:
        return "tsv"
    raise BadInput(
        f"{path}: not a topic format that is known; it begins {clip(head)}", hint=f"Name it by --format: {', '.join(FORMATS)}.",
        sqlstate="IR301",
    )  # fmt: skip


def _other_table(text: str) -> str:
    """Why a tab-separated table is no list of queries: its number of columns, or numbers in the place of texts; '' if it is one."""
    rows = [[cell.strip() for cell in line.split("\t")] for line in text.split("\n") if line.strip()]
    fewest = min(map(len, rows))  # a text may hold a tab, but not each of them
    if fewest > 2:
        if fewest == 3 and any(row[1] == "all" for row in rows):
            return "a table of scores, as trec_eval prints it, not queries"
        return f"a table of {fewest} columns, not the two of: id text"
    texts = [row[1] for row in rows[1:] or rows if len(row) == 2]
    return "a table of numbers, not queries" if texts and all(map(_NUMBER.fullmatch, texts)) else ""


def _query(path: Path, line: int, record: dict[str, str | None]) -> Query:
    """One record of SimpleText's, by the names of its columns."""
    query, text = record.get("query_id"), record.get("query_text")
    if not query or not text:
        missing = "text" if query else "query_id"
        raise bad_line(
            path, line, f"a query without {missing}", hint="Each query needs query_id and query_text; nothing was stored."
        )
    return Query(
        line=line, query=query, text=text, topic=record.get("topic_id") or None, topic_text=record.get("topic_text") or None,
        url=record.get("topic_url") or None, abstract_url=record.get("abstract_url") or None,
    )  # fmt: skip


def _json(path: Path, text: str) -> Iterator[Query]:
    for line, record in records(path, text):
        for name, value in record.items():
            if value is not None and not isinstance(value, str | int):
                raise bad_line(path, line, f"{name} is no text: {clip(value)}", hint="Correct the record; nothing was stored.")
        yield _query(path, line, {name: None if value is None else str(value).strip() for name, value in record.items()})


def _delimiter(head: str) -> str | None:
    return next((one for one in ";\t," if one in head), None)


def _csv(path: Path, text: str) -> Iterator[Query]:
    lines = list(io.StringIO(text, newline=""))
    skipped = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
    head = lines[skipped] if skipped < len(lines) else ""
    delimiter = _delimiter(head) or ";"
    columns = [name.strip().strip('"').lower() for name in head.split(delimiter)]
    for name in ("query_id", "query_text"):
        if name not in columns:
            raise bad_line(
                path, skipped + 1, f"the header has no column {name}: {clip(head.strip())}",
                hint="The header is topic_id;topic_text;topic_url;query_id;query_text.",
            )  # fmt: skip
    at = skipped + 1
    while at < len(lines):
        values, used = _cells(lines, at, delimiter, len(columns))
        if len(values) != len(columns):
            raise bad_line(
                path, at + 1, f"{len(values)} columns, the header has {len(columns)}: {clip(lines[at].strip())}",
                hint=f'Put a text with {delimiter!r} in it in double quotes: "one{delimiter} two".',
            )  # fmt: skip
        if any(value.strip() for value in values):
            yield _query(path, at + 1, dict(zip(columns, (value.strip() for value in values), strict=True)))
        at += used


def _cells(lines: list[str], at: int, delimiter: str, width: int) -> tuple[list[str], int]:
    """The cells of the record that begins at a line, and how many lines it takes.

    Real files hold quotes that are part of a query (``"smart speaker" privacy``); CSV calls that an error, or takes the quotes
    away, or swallows the lines up to the next quote. So what CSV cannot read with the right number of cells is read as it stands.
    """
    raw = lines[at].rstrip("\r\n").split(delimiter)
    if not lines[at].strip():
        return [""] * width, 1
    reader = csv.reader(islice(lines, at, None), delimiter=delimiter, strict=True)
    try:
        values = next(reader)
    except csv.Error:
        return raw, 1
    if len(values) != width and len(raw) == width:
        return raw, 1
    return values, reader.line_num


def _tsv(path: Path, text: str) -> Iterator[Query]:
    for line, row in enumerate(io.StringIO(text), 1):
        if not row.strip():
            continue
        query, tab, rest = row.partition("\t")
        if line == 1 and query.strip().lower() in ("qid", "query_id", "id", "topic_id"):
            continue
        if not tab or not query.strip() or not rest.strip():
            raise bad_line(path, line, f"not an id, a tab and a text: {clip(row)}", hint="Correct the line; nothing was stored.")
        yield Query(line=line, query=query.strip(), text=rest.strip())


_TAG = re.compile(r"<\s*/?\s*(top|num|title|desc|narr|dom|smry|con|fac|def|nat|time|head)\b[^<>]*>", re.IGNORECASE)
_LABEL = {"num": r"number\s*:", "title": r"topic\s*:", "desc": r"description\s*:", "narr": r"narrative\s*:"}


def _trec(path: Path, text: str, field: str) -> Iterator[Query]:
    if field not in FIELDS:
        raise BadArgument(f"there is no field {field!r} of a topic", hint=f"The fields are {', '.join(FIELDS)}.")
    for top in re.finditer(r"<top\b[^>]*>(.*?)(</top\s*>|(?=<top\b)|\Z)", text, re.IGNORECASE | re.DOTALL):
        line = text.count("\n", 0, top.start()) + 1
        parts = _TAG.split(top[1])  # text, tag, text, tag, text …; a closing tag brings a blank text
        sections: dict[str, str] = {}
        for tag, content in zip(map(str.lower, parts[1::2]), parts[2::2], strict=True):
            content = " ".join(content.split())
            content = re.sub(rf"^{_LABEL[tag]}\s*", "", content, flags=re.IGNORECASE) if tag in _LABEL else content
            if content:
                sections.setdefault(tag, content)
        name = sections.get("num")
        if name is None:
            raise bad_line(path, line, "a <top> without <num>", hint="Give each topic its number; nothing was stored.")
        wanted = field.split("+")
        for part in wanted:
            if part not in sections:
                there = ", ".join(one for one in sections if one != "num") or "nothing"
                raise bad_line(path, line, f"topic {name} has no <{part}>; it has {there}", hint="Choose another by --field.")
        yield Query(
            line=line, query=name, text=" ".join(sections[part] for part in wanted), topic=name, topic_text=sections.get("title"),
        )  # fmt: skip


_SMART = re.compile(r"^\.I\s+(\S+)[^\n]*\n(.*?)(?=^\.I\s|\Z)", re.MULTILINE | re.DOTALL)


_SMART_FIELD = re.compile(r"^\.([A-Z])[ \t]*\n(.*?)(?=^\.[A-Z]\b|\Z)", re.MULTILINE | re.DOTALL)


def _smart_number(text: str) -> str:
    names = [block[1] for block in _SMART.finditer(text)]
    gaps = names != [str(place).zfill(len(name)) for place, name in enumerate(names, 1)]
    return "position" if gaps and any(name.startswith("0") for name in names) else "id"


def _smart(path: Path, text: str, number: str) -> Iterator[Query]:
    for place, block in enumerate(_SMART.finditer(text), 1):
        line = text.count("\n", 0, block.start()) + 1
        if not block[1].isdecimal():
            raise bad_line(
                path, line, f".I is followed by {clip(block[1])}, not a number", hint="Correct the line; nothing was stored."
            )
        fields: dict[str, str] = {}
        for field in _SMART_FIELD.finditer(block[2]):
            fields.setdefault(field[1], " ".join(field[2].split()))
        content = " ".join(filter(None, (fields.get("T"), fields.get("W"))))
        if not content:
            raise bad_line(path, line, f"query {block[1]} has no text under .T or .W", hint="Correct it; nothing was stored.")
        yield Query(line=line, query=str(place if number == "position" else int(block[1])), text=content)

"""Read the layouts of the Glasgow collections.

SMART (CACM, Cranfield, …): ``.I`` number, then fields that start with a line of a dot and a letter.
TIME: ``*TEXT`` number, date and page, then the text; ``*STOP`` ends the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from stcollection.io.corpus.decoding import utf8
from stcollection.io.corpus.documents import DocumentRecord, RefusedRecord, compose_document, storable
from stcollection.io.corpus.head import Head
from stcollection.io.corpus.split import Headed
from stcollection.io.formats import CorpusFormat

_FIELD = re.compile(r"\.([A-Z])(?:\s+(.*))?")
_READ = "TWABK"  # fields that are read
_TEXT = re.compile(r"\*TEXT\s+(\S+)(.*)")
_TIME = Headed(re.compile(rb"^\*(?:TEXT|STOP)(?=\s|\Z)", re.MULTILINE), stop=b"*STOP")
_DATE = re.compile(r"\b[0-9]{1,2}/[0-9]{1,2}/([0-9]{2})\b")
_YEAR = re.compile(r"\b(1[89][0-9]{2}|20[0-9]{2})\b")


def parse(record: bytes, line: int) -> DocumentRecord:
    """Return the document of one ``.I``: title .T, abstract .W, one author per line .A, source and year .B, keywords .K.

    :raises RefusedRecord: not UTF-8, or .I without a number.
    """
    read = utf8(record, line)
    head, *rest = storable(read).splitlines()
    name = head.removeprefix(".I").strip()
    if not head.startswith(".I") or not name:
        raise RefusedRecord("it does not begin with .I and a number")
    fields = fields_of(rest)
    source = " ".join(fields.get("B", ()))
    years = _YEAR.findall(source)
    return compose_document(
        line=line,
        name=name,
        title=" ".join(fields.get("T", ())),
        abstract=" ".join(fields.get("W", ())),
        cleaned="\0" in read,
        facts={
            "authors": [{"name": author} for author in fields.get("A", ())],
            "year": int(years[-1]) if years else None,
            "venue": {"raw": source} if source else None,
            "keywords": " ".join(fields.get("K", ())),
        },
    )


def fields_of(lines: Iterable[str]) -> dict[str, list[str]]:
    """Return the lines of each field by its letter.

    A field that starts again continues, except within .W: in real files (Cranfield), it is then a line of text, which is skipped,
    and the text after it belongs to .W. So does text before the first field.
    """
    fields: dict[str, list[str]] = {}
    into = ""
    for line in lines:
        opened = _FIELD.fullmatch(line)
        if opened and (not opened[2] or opened[1] in _READ):
            into = "W" if into == "W" and opened[1] in fields else opened[1]
            fields.setdefault(into, [])
            line = opened[2] or ""
        if line.strip():
            fields.setdefault(into or "W", []).append(line.strip())
    return fields


def parse_time(record: bytes, line: int) -> DocumentRecord:
    """Return the document of one ``*TEXT``: its number without leading zeros, as in TIME's judgments; all its text; the year.

    :raises RefusedRecord: not UTF-8, or no ``*TEXT`` with a number.
    """
    read = utf8(record, line)
    head, _, text = storable(read).partition("\n")
    match = _TEXT.fullmatch(head.strip())
    if match is None:
        raise RefusedRecord("it does not begin with *TEXT and a number")
    date = _DATE.search(match[2])
    return compose_document(
        line=line,
        name=unpadded(match[1]),
        title="",
        abstract=" ".join(text.split()),
        cleaned="\0" in read,
        facts={"year": 1900 + int(date[1]) if date else None},
    )


def unpadded(name: str) -> str:
    """Return a number without its leading zeros; another name unchanged."""
    return str(int(name)) if name.isdecimal() and name.isascii() else name


def _sniff(head: Head) -> bool:
    return re.match(rb"\.I\s+\S", head.start) is not None


def _sniff_time(head: Head) -> bool:
    return re.match(rb"\*TEXT\s+\S", head.start) is not None


FORMAT = CorpusFormat(
    name="smart",
    title="SMART (CACM, Cranfield, …)",
    extensions=(".all", ".smart", ".1400"),
    recognised=".I and a number on the first line",
    fields={
        ".I": "docno, required",
        ".T": "title",
        ".W": "abstract",
        ".A": "authors in doc, a line each",
        ".B": "venue and year in doc",
        ".K": "keywords in doc",
    },
    example="corpus/smart.all",
    layout=lambda head: Headed() if _sniff(head) else None,
    sniff=_sniff,
    parse=parse,
)

TIME = CorpusFormat(
    name="time",
    title="TIME of the Glasgow collections",
    extensions=(".all",),
    recognised="*TEXT and a number on the first line",
    fields={"*TEXT": "docno, without leading zeros, required; the year of the date in doc", "other lines": "abstract"},
    example="corpus/time.all",
    layout=lambda head: _TIME if _sniff_time(head) else None,
    sniff=_sniff_time,
    parse=parse_time,
    texts=("text",),
)

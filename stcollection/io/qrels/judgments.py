"""The files that judgments come in, told apart by their lines.

==============================  =======================================================================
``query iter doc grade``        TREC's; a header line such as SimpleText's is recognised
``query doc grade``             Cranfield's
``query iter doc``              no grade, where iter is 0 or Q0 in every line: all are relevant, grade 1
``query doc 0 0``               CACM's, where the last two are 0 or 0.000000 in every line: all are relevant, grade 1
comma- or semicolon-separated   with a header that names the columns, as ``stc qrels export`` writes
==============================  =======================================================================

``irds:NAME`` in the place of a file takes the judgments of a collection of ir_datasets.

CACM's numbers are padded by zeros, which are taken away. Lines that begin with ``#`` are comments.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path

from stcollection.errors import BadArgument, BadInput
from stcollection.io.files import bad_line, clip, lines
from stcollection.io.irdatasets import PREFIX, handler, reading
from stcollection.io.records import Judgment as Judgment

# What the columns are called in headers, and in --columns; _ is a column to leave aside.
_NAMES = {
    "query": ("query", "query_id", "qid", "topic", "topic_id"),
    "doc": ("doc", "docno", "doc_id", "docid", "document"),
    "rel": ("rel", "relevance", "grade", "label", "judgment", "judgement", "qrel"),
    "origin": ("origin",),
    "annotator": ("annotator", "assessor"),
    "simulated": ("simulated",),
}
_MEANING = {name: column for column, names in _NAMES.items() for name in names}
_ITER = {"0", "Q0"}
_NOT_SIMULATED = {"", "0", "f", "false", "n", "no"}
_SPACE = re.compile(r"[ \t\v\f\r]+")  # C's isspace, by which trec_eval parts columns: a no-break space is of the name
_LONGEST = 1000  # bytes of a name; PostgreSQL's indexes hold some 2,700
_GRADE = re.compile(r"([+-]?[0-9]{1,9})(?:\.0*)?")  # some tools write 1.0
_HINT = "Correct the line; nothing was stored."
_WEIGHT = re.compile(r"[+-]?[0-9]*\.[0-9]+")
_WEIGHTS = (
    "If the columns are query, document, unused, weight, import the file with --columns query,doc,_,_"
    " (each is then relevant, grade 1). Nothing was stored."
)
Row = tuple[int, list[str]]

#: Mappings of grades by name. simpletext-2022 takes the scale 0–5 of 2022 to the 0–2 of later years by pairs of neighbours: order,
#: zero and the best grade are kept, and each new grade stands for as many old ones. It is this collection's rule, not the track's.
SCALES: dict[str, dict[int, int]] = {"simpletext-2022": {0: 0, 1: 0, 2: 1, 3: 1, 4: 2, 5: 2}}


def read_qrels(path: Path, *, columns: str | None = None, grades: Mapping[int, int] | None = None) -> list[Judgment]:
    """The judgments of a file, in its order.

    :param columns: what its columns are, as ``query,_,doc,rel`` (query and doc at least, ``_`` for one to leave aside); without
        ``rel`` each is relevant with grade 1. None tells by the lines.
    :param grades: the grade to store for each grade of the file; one that is not in it is an error.
    :raises BadInput: the first line that cannot be read; a file without a judgment.
    """
    return list(stream_qrels(path, columns=columns, grades=grades))


def stream_qrels(path: Path, *, columns: str | None = None, grades: Mapping[int, int] | None = None) -> Iterator[Judgment]:
    """The same as :func:`read_qrels`, one judgment after another: memory does not grow with the file.

    :raises BadInput: as :func:`read_qrels`; what the first line tells at once, the rest when its line is reached.
    """
    if path.as_posix().startswith(PREFIX):
        return _judgments(path, iter(_ir_datasets(path)), ["query", "doc", "rel"], unpad=False, grades=grades)
    first = next(_lines(path), None)
    if first is None:
        raise _empty(path)
    delimiter = _delimiter(first[1])
    header = _meanings(next(_rows(path, delimiter))[1])
    skipped = header is not None
    if skipped and next(islice(_lines(path), 1, None), None) is None:
        raise _empty(path)
    unpad = False
    if columns is not None:
        names = _given(columns)
    elif header is not None:
        names = header
    else:
        names, unpad = _told(path, lambda: _rows(path, delimiter))
    return _judgments(path, islice(_rows(path, delimiter), int(skipped), None), names, unpad=unpad, grades=grades)


def best_first(path: Path, *, columns: str | None = None) -> dict[int, int]:
    """The mapping that turns a file's grades round, where 1 is the best: 1 becomes the highest, those below 1 become 0.

    :raises BadInput: as :func:`read_qrels`.
    """
    found = {one.rel for one in stream_qrels(path, columns=columns)}
    highest = max(found)
    return {
        **dict.fromkeys(sorted(rel for rel in found if rel < 1), 0),
        **{rel: highest + 1 - rel for rel in range(1, highest + 1)},
    }


def reversed_scale(grades: Collection[int]) -> bool:
    """Whether grades look like Cranfield's, where 1 is the best, 4 the worst, and -1 is not relevant."""
    found = set(grades)
    return found <= {-1, 1, 2, 3, 4, 5} and {-1, 1} <= found and max(found) >= 4


def read_grades(mapping: str) -> dict[int, int]:
    """``1=4,2=3,3=2,4=1,-1=0``, or a name of :data:`SCALES`, as a mapping from the grades of a file to those stored.

    :raises BadArgument: it is neither, names a grade twice, or one outside -32768 to 32767.
    """
    if mapping in SCALES:
        return dict(SCALES[mapping])
    grades: dict[int, int] = {}
    for pair in mapping.split(","):
        theirs, _, ours = (part.strip() for part in pair.partition("="))
        from_, to = _grade(theirs), _grade(ours)
        if from_ is None or to is None or from_ in grades:
            named = ", ".join(SCALES)
            raise BadArgument(
                f"{clip(mapping)} is no mapping of grades", hint=f"Like this: 1=4,2=3,3=2,4=1,-1=0, each grade once; or {named}."
            )
        grades[from_] = to
    return grades


def _grade(text: str) -> int | None:
    """The grade that a text says, None if it says none."""
    found = _GRADE.fullmatch(text)
    return int(found[1]) if found is not None and -32768 <= int(found[1]) <= 32767 else None


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    return ((line, text) for line, text in lines(path) if not text.startswith("#"))


def _rows(path: Path, delimiter: str | None) -> Iterator[Row]:
    for line, text in _lines(path):
        try:
            yield line, _cells(text, delimiter)
        except csv.Error as error:
            raise bad_line(path, line, f"no row of a CSV file ({error})", hint=_HINT) from error


def _ir_datasets(path: Path) -> list[tuple[int, list[str]]]:
    """The judgments that a collection of ir_datasets (``irds:NAME``) provides, by number."""
    name = path.as_posix()
    provided = handler(name, "qrels")
    with reading(name):
        return [
            (number, [str(one.query_id), str(one.doc_id), str(one.relevance)])
            for number, one in enumerate(provided.qrels_iter(), 1)
        ]


def _empty(path: Path) -> BadInput:
    return BadInput(f"{path}: holds no judgment", hint="Is it the right file?", sqlstate="IR301")


def _delimiter(first: str) -> str | None:
    """A comma or semicolon if the first line is a header with it; None is white space."""
    return next((sign for sign in ",;" if sign in first and _meanings(first.split(sign)) is not None), None)


def _cells(text: str, delimiter: str | None) -> list[str]:
    if delimiter is None:
        return _SPACE.split(text.strip(" \t\v\f\r"))
    return [cell.strip() for cell in next(csv.reader([text], delimiter=delimiter))]


def _meanings(names: list[str]) -> list[str] | None:
    """What the columns of a header are; None where the line is no header."""
    columns = [_MEANING.get(name.strip().strip('"').lower(), "_") for name in names]
    if columns.count("query") > 1:  # a topic beside it
        columns = ["_" if name.strip().lower().startswith("topic") else column for name, column in zip(names, columns, strict=True)]
    return columns if {"query", "doc"} <= set(columns) else None


def _given(columns: str) -> list[str]:
    names = [name.strip() for name in columns.split(",")]
    known = [name for name in names if name != "_"]
    if not {"query", "doc"} <= set(known) <= set(_NAMES) or len(known) != len(set(known)):
        raise BadArgument(
            f"{columns!r} are no columns of judgments", hint=f"Like this: query,_,doc,rel; the names are {', '.join(_NAMES)} and _."
        )
    return names


def _told(path: Path, rows: Callable[[], Iterator[Row]]) -> tuple[list[str], bool]:
    """The columns as the lines tell them, and whether numbers are padded. :param rows: reads the file from its beginning."""
    line, first = next(rows())
    if len(first) == 3:
        if all(row[1] in _ITER for _, row in rows() if len(row) == 3):
            return ["query", "_", "doc"], False
        return ["query", "doc", "rel"], False
    if len(first) == 4:
        if first[1] not in _ITER and all(set(map(_grade, row[2:])) == {0} for _, row in rows() if len(row) == 4):
            return ["query", "doc", "_", "_"], True
        return ["query", "_", "doc", "rel"], False
    raise bad_line(
        path, line, f"{len(first)} columns, not those of: query iter doc grade", hint="Name them: --columns query,_,doc,rel."
    )


def _judgments(
    path: Path, cells: Iterator[Row], names: list[str], *, unpad: bool, grades: Mapping[int, int] | None
) -> Iterator[Judgment]:
    at = {name: column for column, name in enumerate(names) if name != "_"}
    for line, row in cells:
        if len(row) != len(names):
            raise bad_line(path, line, f"{len(row)} columns, not the {len(names)} of the others", hint=_HINT)
        query, doc, grade = row[at["query"]], row[at["doc"]], row[at["rel"]] if "rel" in at else "1"
        rel = _grade(grade)
        if rel is None:
            hint = _WEIGHTS if len(names) == 4 and _WEIGHT.fullmatch(grade) else _HINT
            raise bad_line(path, line, f"the grade {clip(grade)} is no whole number from -32768 to 32767", hint=hint)
        if grades is not None:
            if rel not in grades:
                raise bad_line(path, line, f"the grade {rel} is not in the mapping", hint=f"Say what it becomes: --map {rel}=….")
            rel = grades[rel]
        if not query or not doc:
            raise bad_line(path, line, "a judgment without query or document", hint=_HINT)
        if max(len(query.encode()), len(doc.encode())) > _LONGEST:
            longest = max(query, doc, key=len)
            raise bad_line(path, line, f"the name {clip(longest)} has more than {_LONGEST:,} bytes", hint=_HINT)
        if unpad:
            query, doc = query.lstrip("0") or "0", doc.lstrip("0") or "0"
        yield Judgment(
            line=line, query=query, doc=doc, rel=rel, origin=(row[at["origin"]] or None) if "origin" in at else None,
            annotator=row[at["annotator"]] if "annotator" in at else None,
            simulated="simulated" in at and row[at["simulated"]].lower() not in _NOT_SIMULATED,
        )  # fmt: skip

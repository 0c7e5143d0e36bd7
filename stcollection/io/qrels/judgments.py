"""Judgments from files of any format (:data:`~stcollection.io.registry.QRELS`), and from ir_datasets: ``irds:NAME``.

The format is recognised by the lines; ``columns`` names the columns instead. CACM's numbers lose the zeros that pad them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from stcollection.errors import BadArgument
from stcollection.io import registry
from stcollection.io.files import bad_line, clip
from stcollection.io.irdatasets import PREFIX, handler, reading
from stcollection.io.qrels.table import HINT, NAMES, Columns, Row, Table, grade
from stcollection.io.records import Judgment as Judgment

_NOT_SIMULATED = {"", "0", "f", "false", "n", "no"}
_LONGEST = 1000  # bytes of a name; PostgreSQL's indexes hold some 2,700
_WEIGHT = re.compile(r"[+-]?[0-9]*\.[0-9]+")
_WEIGHTS = (
    "If the columns are query, document, unused, weight, import the file with --columns query,doc,_,_"
    " (each is then relevant, grade 1). Nothing was stored."
)

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
        return _judgments(path, iter(_ir_datasets(path)), Columns(names=["query", "doc", "rel"]), grades=grades)
    table = Table(path)
    if columns is not None:
        found: Columns | None = Columns(names=_given(columns))
    else:
        found = next((one for format_ in registry.QRELS if (one := format_.sniff(table)) is not None), None)
    if found is None:
        raise bad_line(
            path,
            table.line,
            f"{len(table.first)} columns, not those of: query iter doc grade",
            hint=registry.suggestion("qrels", path, way="Name them, as --columns query,_,doc,rel, or take another format"),
        )
    return _judgments(path, table.rows(), found, grades=grades)


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
        from_, to = grade(theirs), grade(ours)
        if from_ is None or to is None or from_ in grades:
            named = ", ".join(SCALES)
            raise BadArgument(
                f"{clip(mapping)} is no mapping of grades", hint=f"Like this: 1=4,2=3,3=2,4=1,-1=0, each grade once; or {named}."
            )
        grades[from_] = to
    return grades


def _ir_datasets(path: Path) -> list[tuple[int, list[str]]]:
    """The judgments that a collection of ir_datasets (``irds:NAME``) provides, by number."""
    name = path.as_posix()
    provided = handler(name, "qrels")
    with reading(name):
        return [
            (number, [str(one.query_id), str(one.doc_id), str(one.relevance)])
            for number, one in enumerate(provided.qrels_iter(), 1)
        ]


def _given(columns: str) -> list[str]:
    names = [name.strip() for name in columns.split(",")]
    known = [name for name in names if name != "_"]
    if not {"query", "doc"} <= set(known) <= set(NAMES) or len(known) != len(set(known)):
        raise BadArgument(
            f"{columns!r} are no columns of judgments", hint=f"Like this: query,_,doc,rel; the names are {', '.join(NAMES)} and _."
        )
    return names


def _judgments(path: Path, cells: Iterator[Row], columns: Columns, *, grades: Mapping[int, int] | None) -> Iterator[Judgment]:
    names = columns.names
    at = {name: column for column, name in enumerate(names) if name != "_"}
    for line, row in cells:
        if len(row) != len(names):
            raise bad_line(path, line, f"{len(row)} columns, not the {len(names)} of the others", hint=HINT)
        query, doc, told = row[at["query"]], row[at["doc"]], row[at["rel"]] if "rel" in at else "1"
        rel = grade(told)
        if rel is None:
            hint = _WEIGHTS if len(names) == 4 and _WEIGHT.fullmatch(told) else HINT
            raise bad_line(path, line, f"the grade {clip(told)} is no whole number from -32768 to 32767", hint=hint)
        if grades is not None:
            if rel not in grades:
                raise bad_line(path, line, f"the grade {rel} is not in the mapping", hint=f"Say what it becomes: --map {rel}=….")
            rel = grades[rel]
        if not query or not doc:
            raise bad_line(path, line, "a judgment without query or document", hint=HINT)
        if max(len(query.encode()), len(doc.encode())) > _LONGEST:
            longest = max(query, doc, key=len)
            raise bad_line(path, line, f"the name {clip(longest)} has more than {_LONGEST:,} bytes", hint=HINT)
        if columns.unpad:
            query, doc = query.lstrip("0") or "0", doc.lstrip("0") or "0"
        yield Judgment(
            line=line,
            query=query,
            doc=doc,
            rel=rel,
            origin=(row[at["origin"]] or None) if "origin" in at else None,
            annotator=row[at["annotator"]] if "annotator" in at else None,
            simulated="simulated" in at and row[at["simulated"]].lower() not in _NOT_SIMULATED,
        )

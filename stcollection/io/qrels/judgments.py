"""Read judgments from files of any format (:data:`~stcollection.io.registry.QRELS`) and from ir_datasets (``irds:NAME``).

The format is detected from the lines, unless ``columns`` names the columns. CACM's numbers lose their leading zeros.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from stcollection.errors import BadArgument
from stcollection.io import registry
from stcollection.io.files import bad_line, clip, doubtful_comments
from stcollection.io.irdatasets import PREFIX, handler, reading
from stcollection.io.qrels.table import HINT, NAMES, Columns, Row, Table, grade
from stcollection.io.records import Judgment as Judgment

_NOT_SIMULATED = {"", "0", "f", "false", "n", "no"}
_LONGEST = 1000  # maximum bytes of a name; an index entry of PostgreSQL has at most 2,704 bytes
_WEIGHT = re.compile(r"[+-]?[0-9]*\.[0-9]+")
_WEIGHTS = (
    "If the columns are query, document, unused, weight, import the file with --columns query,doc,_,_"
    " (each is then relevant, grade 1). Nothing was stored."
)

#: Mappings of grades by name. simpletext-2022 maps the scale 0–5 of 2022 to 0–2 of later years by merging pairs of neighbours.
#: Order, zero and the best grade are kept, and each new grade covers two old ones. The track itself defines no such mapping.
SCALES: dict[str, dict[int, int]] = {"simpletext-2022": {0: 0, 1: 0, 2: 1, 3: 1, 4: 2, 5: 2}}


def read_qrels(path: Path, *, columns: str | None = None, grades: Mapping[int, int] | None = None) -> list[Judgment]:
    """Return the judgments of a file, in the order of the file.

    :param columns: names of the columns, such as ``query,_,doc,rel`` (at least query and doc; ``_`` to skip one). Without ``rel``
        each document gets grade 1. None detects the columns.
    :param grades: the grade to store for each grade of the file; a missing grade is an error.
    :raises BadInput: an invalid line, or a file without judgments.
    """
    return list(stream_qrels(path, columns=columns, grades=grades))


def stream_qrels(path: Path, *, columns: str | None = None, grades: Mapping[int, int] | None = None) -> Iterator[Judgment]:
    """Yield the judgments of a file like :func:`read_qrels`, in bounded memory.

    :raises BadInput: as :func:`read_qrels`; errors of the first line at once, other errors when their line is reached.
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
            hint=registry.suggestion(
                "qrels", path, way="'stc qrels import FILE --columns query,_,doc,rel' names them; otherwise use another format"
            ),
        )
    return _judgments(path, table.rows(), found, grades=grades)


def best_first(path: Path, *, columns: str | None = None) -> dict[int, int]:
    """Return the mapping that reverses a file's grades if 1 is the best: 1 becomes the highest, grades below 1 become 0.

    :raises BadInput: as :func:`read_qrels`.
    """
    found = {one.rel for one in stream_qrels(path, columns=columns)}
    highest = max(found)
    return {
        **dict.fromkeys(sorted(rel for rel in found if rel < 1), 0),
        **{rel: highest + 1 - rel for rel in range(1, highest + 1)},
    }


def doubtful_judgments(path: Path) -> str:
    """Return a warning about comments that could be judgments, as :func:`~stcollection.io.files.doubtful_comments`."""
    if path.as_posix().startswith(PREFIX) or (table := Table(path)).json:
        return ""
    columns = len(table.first)
    return doubtful_comments(
        path, lambda comment: len(cells := comment.decode().split()) == columns and grade(cells[-1]) is not None
    )


def reversed_scale(grades: Collection[int]) -> bool:
    """Return True if grades look like Cranfield's, where 1 is the best, 4 the worst, and -1 is not relevant."""
    found = set(grades)
    return found <= {-1, 1, 2, 3, 4, 5} and {-1, 1} <= found and max(found) >= 4


def read_grades(mapping: str) -> dict[int, int]:
    """Parse a mapping from grades of a file to stored grades: ``1=4,2=3,3=2,4=1,-1=0``, or a name in :data:`SCALES`.

    :raises BadArgument: it is neither, repeats a grade, or has a grade outside -32768 to 32767.
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
                f"{clip(mapping)} is not a mapping of grades", hint=f"Write 1=4,2=3,3=2,4=1,-1=0, each grade once, or {named}."
            )
        grades[from_] = to
    return grades


def _ir_datasets(path: Path) -> list[tuple[int, list[str]]]:
    """Return the numbered judgments of a collection of ir_datasets (``irds:NAME``)."""
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
            f"{columns!r} are not columns of judgments", hint=f"Write for example query,_,doc,rel; names: {', '.join(NAMES)}, _."
        )
    return names


def _judgments(path: Path, cells: Iterator[Row], columns: Columns, *, grades: Mapping[int, int] | None) -> Iterator[Judgment]:
    names = columns.names
    at = {name: column for column, name in enumerate(names) if name != "_"}
    for line, row in cells:
        if len(row) != len(names):
            raise bad_line(path, line, f"{len(row)} columns, not the {len(names)} of the others", hint=HINT)
        query, doc, text = row[at["query"]], row[at["doc"]], row[at["rel"]] if "rel" in at else "1"
        rel = grade(text)
        if rel is None:
            hint = _WEIGHTS if len(names) == 4 and _WEIGHT.fullmatch(text) else HINT
            raise bad_line(path, line, f"the grade {clip(text)} is not an integer from -32768 to 32767", hint=hint)
        if grades is not None:
            if rel not in grades:
                raise bad_line(path, line, f"the grade {rel} is not in the mapping", hint=f"Map it: --map {rel}=….")
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

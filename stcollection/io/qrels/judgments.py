"""Read judgments from files of any format (:data:`~stcollection.io.registry.QRELS`) and from ir_datasets (``irds:NAME``).

The format is detected from the lines, unless ``columns`` names the columns. CACM's numbers lose their leading zeros.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from stcollection.counts import counted
from stcollection.errors import BadArgument, BadInput
from stcollection.io import registry
from stcollection.io.files import bad_line, clip, doubtful_comments
from stcollection.io.irdatasets import PREFIX, find_dataset, reading
from stcollection.io.jsonrows import head_of
from stcollection.io.qrels.table import HINT, NAMES, Columns, Row, Table, about, grade, is_json, proposal, ranked, read_columns
from stcollection.io.records import Judgment as Judgment
from stcollection.io.tables import header_of

_NOT_SIMULATED = {"", "0", "f", "false", "n", "no"}
_COLUMN = re.compile(r"[a-z]\w*[a-z]\w*([ .-]\w+)*")  # the name of a column, not a number, an id such as q1, or Q0
_LONGEST = 1000  # maximum bytes of a name; an index entry of PostgreSQL has at most 2,704 bytes
_SHORT = _LONGEST // 4  # characters that certainly fit: each has at most four bytes
_WEIGHT = re.compile(r"[+-]?[0-9]*\.[0-9]+")
_WEIGHTS = (
    "If the columns are query, document, unused, weight, import the file with --columns query,doc,_,_"
    " (each is then relevant, grade 1). Nothing was stored."
)

#: Mappings of grades by name. simpletext-2022 maps the scale 0–5 of 2022 to 0–2 of later years by merging pairs of neighbours.
#: Order, zero and the best grade are kept, and each new grade covers two old ones. The track itself defines no such mapping.
SCALES: dict[str, dict[int, int]] = {"simpletext-2022": {0: 0, 1: 0, 2: 1, 3: 1, 4: 2, 5: 2}}


class Ungraded(BadInput):
    """A file lists documents without grades, and it is not known whether they are relevant."""


def stream_qrels(
    path: Path, *, columns: str | None = None, grades: Mapping[int, int] | None = None, relevance: int | None = None
) -> Iterator[Judgment]:
    """Yield the judgments of a file, in the order of the file and in bounded memory.

    :param columns: names of the columns, such as ``query,_,doc,rel`` (at least query and doc; ``_`` to skip one). Without ``rel``
        each document gets grade 1, or ``relevance``. Columns with a header, or fields of JSON, can be named:
        ``query=question,doc=paper``. None detects the columns.
    :param grades: the grade to store for each grade of the file; a missing grade is an error.
    :param relevance: the grade of each document of a file without grades. None raises :class:`Ungraded`, unless the format lists
        only relevant documents, as CACM's does.
    :raises BadInput: an invalid line, or a file without judgments: the first line at once, others when their line is reached.
    :raises BadArgument: ``relevance`` is given for a file with grades.
    """
    if path.as_posix().startswith(PREFIX):
        _check_relevance(path, relevance)
        return _judgments(path, iter(_ir_datasets(path)), Columns(names=["query", "doc", "rel"]), grades=grades)
    example = "query=question,doc=paper,rel=useful"
    named = read_columns(columns, NAMES, of="judgments", example=example) if columns is not None and "=" in columns else {}
    table = Table(path, named)
    if columns is not None and not named:
        layout: Columns | None = Columns(names=_given(columns), listed=True)
    else:
        layout = next((sniffed for format_ in registry.QRELS if (sniffed := format_.sniff(table)) is not None), None)
        _check_contents(path, table)
    if layout is None:
        raise bad_line(
            path,
            table.line,
            f"{counted(len(table.first), 'column')}, not those of: query iter doc grade",
            hint=registry.suggest(
                "qrels", path, way="'stc load --as qrels FILE --columns query,_,doc,rel' names them; otherwise use another format"
            ),
        )
    if "rel" in layout.names:
        _check_relevance(path, relevance)
    elif relevance is None and not layout.listed:
        raise _ungraded(path, table)
    return _judgments(path, table.rows(), layout, grades=grades, relevance=1 if relevance is None else relevance)


def _check_relevance(path: Path, relevance: int | None) -> None:
    """Check that no relevance is given for a file with grades."""
    if relevance is not None:
        raise BadArgument(
            f"{path} has grades, so that --relevance {relevance} does not apply", hint="Omit --relevance, or map grades with --map."
        )


def _check_contents(path: Path, table: Table) -> None:
    """Check that a table with names of columns contains judgments.

    :raises BadInput: the columns are those of a run, or name no query and document.
    """
    if ranked(table.columns):
        raise BadInput(
            f"{path}: its columns are those of a run, not of judgments: {', '.join(table.columns)}",
            hint="'stc load --as runs' imports runs. If it contains judgments, 'stc load --as qrels --columns' names its columns.",
        )
    names = [] if table.header is not None or table.json else header_of(head_of(path))[1]
    if names and all(_COLUMN.fullmatch(name) for name in names):
        raise bad_line(
            path,
            table.line,
            f"no judgments: {about(names)}",
            hint=f"For judgments, name the columns: 'stc load --as qrels FILE --columns {proposal(names)}'. Nothing was stored.",
        )


def _ungraded(path: Path, table: Table) -> Ungraded:
    names = table.columns
    what = about(names) if names else "its lines are query, 0 and document"
    way = "add rel=COLUMN to --columns" if table.named else "name it: --columns rel=COLUMN"
    graded = f"If one of its columns has the grades, {way}. " if names else ""
    return Ungraded(
        f"{path}: contains no grades: {what}",
        hint=f"{graded}If each document in it is relevant to its query, add --relevance 1. Nothing was stored.",
    )


def best_first(path: Path, *, columns: str | None = None, relevance: int | None = None) -> dict[int, int]:
    """Return the mapping that reverses a file's grades if 1 is the best: 1 becomes the highest, grades below 1 become 0.

    :raises BadInput: as :func:`stream_qrels`.
    """
    grades = {judgment.rel for judgment in stream_qrels(path, columns=columns, relevance=relevance)}
    highest = max(grades)
    return {
        **dict.fromkeys(sorted(rel for rel in grades if rel < 1), 0),
        **{rel: highest + 1 - rel for rel in range(1, highest + 1)},
    }


def doubtful_judgments(path: Path) -> str:
    """Return a warning about comments that could be judgments, as :func:`~stcollection.io.files.doubtful_comments`."""
    if path.as_posix().startswith(PREFIX) or is_json(path):
        return ""
    columns = len(Table(path).first)
    return doubtful_comments(
        path, lambda comment: len(cells := comment.decode().split()) == columns and grade(cells[-1]) is not None
    )


def reversed_scale(grades: Collection[int]) -> bool:
    """Return True if grades look like Cranfield's, where 1 is the best, 4 the worst, and -1 is not relevant."""
    distinct = set(grades)
    return distinct <= {-1, 1, 2, 3, 4, 5} and {-1, 1} <= distinct and max(distinct) >= 4


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


def mapping_of(grades: str | Mapping[int, int]) -> Mapping[int, int]:
    """Return a mapping of grades, which may be written as text; see :func:`read_grades`."""
    return read_grades(grades) if isinstance(grades, str) else grades


def _ir_datasets(path: Path) -> list[tuple[int, list[str]]]:
    """Return the numbered judgments of a collection of ir_datasets (``irds:NAME``)."""
    name = path.as_posix()
    provided = find_dataset(name, "qrels")
    with reading(name):
        return [
            (number, [str(judgment.query_id), str(judgment.doc_id), str(judgment.relevance)])
            for number, judgment in enumerate(provided.qrels_iter(), 1)
        ]


def _given(columns: str) -> list[str]:
    names = [name.strip() for name in columns.split(",")]
    known = [name for name in names if name != "_"]
    if not {"query", "doc"} <= set(known) <= set(NAMES) or len(known) != len(set(known)):
        raise BadArgument(
            f"{columns!r} are not columns of judgments", hint=f"Write for example query,_,doc,rel; names: {', '.join(NAMES)}, _."
        )
    return names


def _judgments(
    path: Path, cells: Iterator[Row], columns: Columns, *, grades: Mapping[int, int] | None, relevance: int = 1
) -> Iterator[Judgment]:
    names = columns.names
    at = {name: column for column, name in enumerate(names) if name != "_"}
    if columns.several:
        cells = ((line, [row[0], doc]) for line, row in cells for doc in row[1:])
    width, graded, unpad = len(names), at.get("rel"), columns.unpad
    of_query, of_doc = at["query"], at["doc"]
    origin, annotator, simulated, stratum = (at.get(name) for name in ("origin", "annotator", "simulated", "stratum"))
    stored: dict[str, int] = {}  # grades by their text
    for line, row in cells:
        if len(row) != width:
            raise bad_line(path, line, f"{counted(len(row), 'column')}, not the {width} of the others", hint=HINT)
        query, doc, text = row[of_query], row[of_doc], str(relevance) if graded is None else row[graded]
        rel = stored.get(text)
        if rel is None:
            rel = stored[text] = _stored(path, line, text, grades, weighted=width == 4)
        if not query or not doc:
            raise bad_line(path, line, "a judgment without query or document", hint=HINT)
        if len(query) + len(doc) > _SHORT and max(len(query.encode()), len(doc.encode())) > _LONGEST:
            longest = max(query, doc, key=len)
            raise bad_line(path, line, f"the name {clip(longest)} has more than {_LONGEST:,} bytes", hint=HINT)
        if unpad:
            query, doc = query.lstrip("0") or "0", doc.lstrip("0") or "0"
        yield Judgment(
            query,
            doc,
            rel,
            line,
            origin=None if origin is None else row[origin] or None,
            annotator=None if annotator is None else row[annotator],
            simulated=simulated is not None and row[simulated].lower() not in _NOT_SIMULATED,
            stratum=None if stratum is None else row[stratum],
        )


def _stored(path: Path, line: int, text: str, grades: Mapping[int, int] | None, *, weighted: bool) -> int:
    """Return the grade to store for a grade of the file. :param weighted: in a file of four columns, it could be a weight."""
    rel = grade(text)
    if rel is None:
        hint = _WEIGHTS if weighted and _WEIGHT.fullmatch(text) else HINT
        raise bad_line(path, line, f"the grade {clip(text)} is not an integer from -32768 to 32767", hint=hint)
    if grades is None:
        return rel
    if rel not in grades:
        raise bad_line(path, line, f"the grade {rel} is not in the mapping", hint=f"Map it: --map {rel}=….")
    return grades[rel]

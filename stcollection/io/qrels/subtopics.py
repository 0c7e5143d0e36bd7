"""Read and write subtopic judgments, the qrels of diversity tasks: ``query subtopic doc grade``, separated by white space.

The file looks like TREC's plain qrels, whose second column has no meaning. So the caller decides which it is;
:func:`repeats_by_subtopic` finds files that can only be subtopic judgments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from stcollection.counts import counted
from stcollection.errors import BadArgument, BadInput
from stcollection.io.files import bad_line, clip
from stcollection.io.irdatasets import PREFIX, find_dataset, reading
from stcollection.io.qrels.table import ITER, Table, grade

_COLUMNS = 4
_HINT = "Write each line as: query subtopic document grade. Nothing was stored."


class NamesNoSubtopics(BadInput):
    """The second column of a file is 0 or Q0 in each line."""


@dataclass(frozen=True, kw_only=True)
class SubtopicJudgment:
    """The grade of a document for one subtopic of a query."""

    query: str
    subtopic: str
    doc: str
    rel: int
    line: int = 0


def read_subtopics(path: Path) -> Iterator[SubtopicJudgment]:
    """Yield the judgments of a file, or of an ir_datasets collection (``irds:NAME``), in its order.

    :raises BadInput: an invalid line; a file without judgments; a file whose second column is 0 or Q0 in each line.
    """
    constant = True
    for line, cells in _irds_rows(path) if path.as_posix().startswith(PREFIX) else Table(path).rows():
        if len(cells) != _COLUMNS:
            raise bad_line(path, line, f"{counted(len(cells), 'column')}, not {_COLUMNS}", hint=_HINT)
        query, subtopic, doc, text = cells
        rel = grade(text)
        if rel is None:
            raise bad_line(path, line, f"the grade {clip(text)} is not an integer from -32768 to 32767", hint=_HINT)
        constant = constant and subtopic in ITER
        yield SubtopicJudgment(query=query, subtopic=subtopic, doc=doc, rel=rel, line=line)
    if constant:
        raise NamesNoSubtopics(
            f"{path}: the second column is 0 in each line, so it names no subtopics",
            hint="Import plain judgments with: stc load --as qrels FILE --edition NAME.",
        )


def _irds_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    name = path.as_posix()
    provided = find_dataset(name, "qrels")
    field = next((column for column in ("subtopic_id", "iteration") if column in provided.qrels_cls()._fields), None)
    if field is None:
        raise BadInput(f"{name}: its judgments have no subtopics", hint=f"Import them with: stc load --as qrels {name}.")
    with reading(name):
        for number, judgment in enumerate(provided.qrels_iter(), 1):
            yield number, [str(judgment.query_id), str(getattr(judgment, field)), str(judgment.doc_id), str(judgment.relevance)]


def repeats_by_subtopic(path: Path) -> bool:
    """Return True if a file of four columns without a header judges some document twice, with different second columns."""
    table = Table(path)
    subtopics: dict[tuple[str, str], str] = {}
    return table.header is None and any(
        len(cells) == _COLUMNS and subtopics.setdefault((cells[0], cells[2]), cells[1]) != cells[1] for _, cells in table.rows()
    )


def write_subtopics(judgments: Iterable[SubtopicJudgment], out: BinaryIO) -> int:
    """Write judgments as lines ``query subtopic doc grade`` and return their number.

    :raises BadArgument: a name contains white space, which the format cannot represent.
    """
    written = 0
    for judgment in judgments:
        written += 1
        for name in (judgment.query, judgment.subtopic, judgment.doc):
            if any(sign in name for sign in " \t\n\r\v\f"):
                raise BadArgument(
                    f"the name {name!r} contains white space, which the format cannot represent",
                    hint="Read the judgments with SQL: SELECT * FROM qrels_subtopics.",
                )
        out.write(f"{judgment.query} {judgment.subtopic} {judgment.doc} {judgment.rel}\n".encode())
    return written

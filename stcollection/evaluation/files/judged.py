"""Read a file of judgments for scoring: the grade of each document, by query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stcollection.errors import BadInput
from stcollection.io.files import bad_line, clip
from stcollection.io.qrels.judgments import best_first, reversed_scale, stream_qrels
from stcollection.io.qrels.subtopics import SubtopicJudgment
from stcollection.io.streams import STDIN


@dataclass(frozen=True, kw_only=True)
class JudgedFile:
    """The judgments of a file.

    :param grades: grade by query and document. Names are UTF-8 bytes, as in run files.
    :param simulated: the file marks its judgments as simulated.
    :param subtopics: subtopic judgments; empty for judgments of documents (:mod:`~stcollection.evaluation.files.subtopics`).
    """

    path: Path
    grades: Mapping[bytes, Mapping[bytes, int]]
    simulated: bool
    subtopics: Sequence[SubtopicJudgment] = ()

    @property
    def notes(self) -> list[str]:
        """Return notes on the judgments for readers of the scores."""
        scale = {grade for by_document in self.grades.values() for grade in by_document.values()}
        if self.subtopics or not reversed_scale(scale):
            return []
        grades = ", ".join(map(str, sorted(scale)))
        return [f"{shown(self.path)}: the grades are {grades}. If 1 is the best, as in Cranfield's judgments, add --best-grade 1"]


def read_judgments(
    path: Path, *, best_grade: int | None = None, relevance: int | None = None, columns: str | None = None
) -> JudgedFile:
    """Read a file of judgments in any format.

    :param best_grade: 1 if 1 is the best grade of the file; grades are then reversed.
    :param relevance: the grade of each document of a file without grades, which is otherwise an error.
    :param columns: names of its columns, as in :func:`~stcollection.io.qrels.judgments.stream_qrels`.
    :raises BadInput: a line cannot be read, or a query has two grades for one document.
    """
    grades: dict[bytes, dict[bytes, int]] = {}
    simulated = False
    mapping = None if best_grade is None else best_first(path, columns=columns, relevance=relevance)
    for row in stream_qrels(path, columns=columns, grades=mapping, relevance=relevance):
        before = grades.setdefault(row.query.encode(), {}).setdefault(row.doc.encode(), row.rel)
        if before != row.rel:
            raise bad_line(
                path,
                row.line,
                f"query {clip(row.query)}, document {clip(row.doc)} has grade {row.rel}, but {before} on an earlier line",
                hint="A document has one grade for a query: correct the file, or score against the judgments of one assessor."
                " If the second column is the subtopic, score by measures of subtopics, such as alpha_nDCG@20.",
                sqlstate="IR302",
            )
        simulated = simulated or row.simulated
    if not grades:
        raise BadInput(f"{shown(path)} contains no judgment", hint="Is it the right file?")
    return JudgedFile(path=path, grades=grades, simulated=simulated)


def shown(path: Path) -> str:
    """Return a path as shown in messages."""
    return "standard input" if str(path) == STDIN else str(path)

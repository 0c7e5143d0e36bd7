"""Documents of a pool to which annotators gave different grades, as the panel Disagreements lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from stcollection.qrels.judging import DifferingGrade

SETTLED = "settled"


class Dispute(NamedTuple):
    """A document with different grades. :param token: on the sheet of the page's annotator, or None."""

    query: str
    query_text: str | None
    docno: str
    title: str | None
    grades: Sequence[DifferingGrade]
    token: str | None

    @property
    def final(self) -> int | None:
        return self.grades[0].final

    @property
    def final_by(self) -> str | None:
        return self.grades[0].final_by

    @property
    def review(self) -> str:
        return self.grades[0].review

    @property
    def reviewer(self) -> str | None:
        return self.grades[0].reviewer


class Disputes(NamedTuple):
    """Disputed documents. :param open: visible to the annotator, settled ones last.

    :param hidden: number of those that the annotator has not judged. :param settled: number of those that are settled.
    """

    open: list[Dispute]
    hidden: int
    settled: int


def disputes(found: Sequence[DifferingGrade], own: Mapping[tuple[str, str], tuple[str, int | None]]) -> Disputes:
    """Group grades by document. :param own: token and own grade of the page's annotator, by (query, docno)."""
    documents = [list(rows) for _, rows in groupby(found, lambda row: (row.query, row.docno))]
    visible = [rows for rows in documents if own.get((rows[0].query, rows[0].docno), ("", 0))[1] is not None]
    made = [
        Dispute(one.query, one.query_text, one.docno, one.title, rows, own.get((one.query, one.docno), (None, None))[0])
        for rows in visible
        for one in rows[:1]
    ]
    made.sort(key=lambda one: one.review == SETTLED)
    return Disputes(made, len(documents) - len(visible), sum(one.review == SETTLED for one in made))

"""Runs that machine labels may favour, because they are made with what made the labels (sql/analysis/judging_runs.sql)."""

from __future__ import annotations

from typing import Literal, NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.db.simulated import note_simulated
from stcollection.declared import declare
from stcollection.errors import translate
from stcollection.evaluation.measures import nDCG
from stcollection.evaluation.parameters import EditionArgument, OneMeasure, QuerySet, Runs, only_measure, runs_of, set_of
from stcollection.texts import later
from stcollection.topics.sets import ALL

FAVOURED = 0.05  # of the corrected p; also in sql/analysis/judging_runs.sql


class JudgingRun(NamedTuple):
    """A run that the labels of an edition may favour, and why.

    :param judge: the models that made the labels.
    :param evidence: the name in the run's provenance; for ``scores``, the edition of people.
    :param value: the run's value by the labels, and ``expected`` from its value by people and from the other runs; ``p`` is
        corrected for the number of runs. None for other reasons.
    """

    run: str
    reason: Literal["model", "training", "scores"]
    judge: str
    evidence: str
    value: float | None
    expected: float | None
    p: float | None

    @property
    def note(self) -> str:
        """The warning in words."""
        if self.reason == "scores":
            return later(
                "{run} scores {value:.3f} by the labels of {judge}; {expected:.3f} is expected from the judgments of {evidence}"
                " and the other runs (p {p:.2g})",
                **self._asdict(),
            )
        if self.reason == "training":
            return later("{run} was trained or tuned on {evidence}, the labels that score it", **self._asdict())
        return later("{run} uses {evidence}, and {judge} made the labels that score it", **self._asdict())


@declare
@note_simulated("edition")
@translate()
def judging_runs(
    conn: psycopg.Connection,
    edition: EditionArgument,
    *,
    runs: Runs = (),
    measure: OneMeasure | None = nDCG @ 10,
    queries: QuerySet = ALL,
) -> list[JudgingRun]:
    """Return the runs that the labels of an edition may favour: they use the judging model, were trained on its labels, or score
    higher by the labels than their scores by people and the other runs let expect. Empty for an edition without such labels.

    :param measure: Measure of the scores to test; None tests none.
    :raises UnknownObject: the edition, a run, the measure or the set does not exist.
    """
    with conn.cursor(row_factory=class_row(JudgingRun)) as cursor:
        arguments = [edition, runs_of(runs), None if measure is None else str(only_measure(measure)), set_of(queries)]
        return cursor.execute("SELECT * FROM stc.judging_runs(%s, %s::text[], %s, %s)", arguments).fetchall()

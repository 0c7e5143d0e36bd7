"""Audit of judgment expansion by neighbours: number of labels, their precision, and their effect on the ranking of systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated
from uuid import uuid4

import psycopg

from stcollection.analysis.impact import Impact, impact
from stcollection.db.rows import records
from stcollection.db.simulated import note_simulated
from stcollection.declared import Option, declare
from stcollection.errors import BadArgument, translate
from stcollection.evaluation.measures import nDCG
from stcollection.evaluation.parameters import EditionArgument, MeasureName
from stcollection.evaluation.typed import measure_of
from stcollection.qrels.expand import RELEVANT_BY_TITLE, NeighbourRules, near_pairs

Progress = Callable[[int, int | None], None]

_LATER = (
    "SELECT o.edition FROM qrels_editions e JOIN qrels_editions o ON o.id <> e.id"
    " AND CASE WHEN o.year <> e.year THEN o.year > e.year ELSE o.made > e.made END WHERE e.edition = %s ORDER BY o.edition"
)


@dataclass(frozen=True, kw_only=True)
class ExpansionLabels:
    """Counts of the labels for one setting, as returned by expansion_sweep."""

    neighbours: int
    threshold: float
    added: int
    agreeing: int
    conflicting: int
    later: int
    relevant: int
    same: int
    right_share: float | None


@dataclass(frozen=True, kw_only=True)
class ExpansionCell:
    """One setting: a number of neighbours and a threshold.

    :param impact: effect of scoring with the expansion instead of the edition; None if no run is stored.
    """

    labels: ExpansionLabels
    impact: Impact | None

    @property
    def mean_shift(self) -> float | None:
        """Return the mean shift of the runs' means; None without runs."""
        return sum(run.shift for run in self.impact.runs) / len(self.impact.runs) if self.impact else None

    @property
    def largest_move(self) -> int | None:
        """Return the largest number of ranks that a run moves; None without runs."""
        return max(abs(run.rank_b - run.rank_a) for run in self.impact.runs) if self.impact else None


@declare
@note_simulated("edition", "against")
@translate()
def sweep(
    conn: psycopg.Connection,
    edition: EditionArgument,
    *,
    neighbours: Sequence[int] = (5, 10, 20),
    thresholds: Annotated[Sequence[float], Option(each="threshold")] = (0.7, 0.8, 0.9),
    against: Annotated[Sequence[str] | None, Option(each="reference", metavar="EDITION", default="all later editions")] = None,
    rules: NeighbourRules = RELEVANT_BY_TITLE,
    measure: MeasureName = nDCG @ 10,
    progress: Progress | None = None,
) -> list[ExpansionCell]:
    """Estimate, for several settings, how many labels an expansion would add, how many are right, and how runs would move.

    Neighbours are searched once, for the widest setting. Each expansion is created in a savepoint, used to score the runs, and
    rolled back. Nothing is stored.

    Later editions are those of a later year, else those created later.

    :param neighbours: Numbers of neighbours to try.
    :param thresholds: Cosine thresholds to try.
    :param against: Edition whose human judgments are the reference for the new labels. Repeatable.
    :param measure: Measure for scoring the runs.
    :returns: sorted by neighbours, then by descending threshold.
    :raises UnknownObject, BadArgument, StateError: as for expand; also if no number of neighbours or no threshold is given.
    """
    scored = measure_of(measure)
    if not neighbours or not thresholds:
        raise BadArgument("nothing to sweep over", hint="Give at least one number of neighbours and one threshold.")
    cells: list[ExpansionCell] = []
    total = len(set(neighbours)) * len(set(thresholds))
    near = near_pairs(conn, edition, neighbours=max(neighbours), threshold=min(thresholds), rules=rules)
    with conn.transaction(force_rollback=True):
        row = conn.execute(
            "SELECT edition_id FROM stc.stage_near(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s::bigint[])",
            [
                edition,
                max(neighbours),
                min(thresholds),
                rules.from_rel,
                rules.field,
                rules.model,
                list(rules.test),
                rules.effort,
                rules.queries,
                near,
            ],
        ).fetchone()
        edition_id = row[0] if row else None
        if against is None:
            against = [name for (name,) in conn.execute(_LATER, [edition])]
        else:
            for name in against:  # raises if the edition does not exist
                conn.execute("SELECT stc.edition_key(%s)", [name])
        rows = records(
            conn,
            ExpansionLabels,
            "SELECT * FROM stc.expansion_sweep(%s, %s, %s, %s)",
            [edition_id, list(against), sorted(set(neighbours)), sorted(set(thresholds))],
        )
        ranked = conn.execute("SELECT FROM st1_rankings LIMIT 1").fetchone() is not None
        for labels in rows:
            with _expansion(conn, edition_id, labels, rules.rel) as name:
                change = impact(conn, edition, name, measure=scored) if ranked else None
            cells.append(ExpansionCell(labels=labels, impact=change))
            if progress is not None:
                progress(len(cells), total)
    return cells


@contextmanager
def _expansion(conn: psycopg.Connection, edition_id: int | None, labels: ExpansionLabels, rel: int | None) -> Iterator[str]:
    """Create an expanded edition that exists only inside the block; yield its name."""
    name = f"sweep {uuid4()}"
    with conn.transaction(force_rollback=True):
        conn.execute(
            "SELECT stc.expand_near(%s, %s, %s, %s, %s, NULL)", [edition_id, name, labels.neighbours, labels.threshold, rel]
        )
        yield name

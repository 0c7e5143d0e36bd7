"""Expansions of judgments by neighbours, audited before one is made: how many labels, how right, what they do to the systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import uuid4

import psycopg
from psycopg.rows import class_row

from stcollection.analysis.impact import Impact, impact
from stcollection.errors import BadArgument, translate
from stcollection.evaluation.measures import Measure, nDCG
from stcollection.moved import grouped
from stcollection.qrels.expand import RELEVANT_BY_TITLE, NeighbourRules

Progress = Callable[[int, int | None], None]

_LATER = (
    "SELECT o.edition FROM qrels_editions e JOIN qrels_editions o ON o.id <> e.id"
    " AND CASE WHEN o.year <> e.year THEN o.year > e.year ELSE o.made > e.made END WHERE e.edition = %s ORDER BY o.edition"
)


@dataclass(frozen=True, kw_only=True)
class ExpansionLabels:
    """The labels of one cell, as expansion_sweep counts them."""

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
    """One number of neighbours with one threshold.

    :param impact: of the expansion in the place of the edition; None where no run is stored.
    """

    labels: ExpansionLabels
    impact: Impact | None

    @property
    def mean_shift(self) -> float | None:
        """Of the runs' means; None without runs."""
        return sum(one.shift for one in self.impact.runs) / len(self.impact.runs) if self.impact else None

    @property
    def largest_move(self) -> int | None:
        """The most ranks that a run moves; None without runs."""
        return max(abs(one.rank_b - one.rank_a) for one in self.impact.runs) if self.impact else None


@grouped(rules=NeighbourRules)
@translate()
def sweep(
    conn: psycopg.Connection,
    *,
    edition: str,
    neighbours: Sequence[int] = (5, 10, 20),
    thresholds: Sequence[float] = (0.7, 0.8, 0.9),
    against: Sequence[str] | None = None,
    rules: NeighbourRules = RELEVANT_BY_TITLE,
    measure: Measure = nDCG @ 10,
    progress: Progress | None = None,
) -> list[ExpansionCell]:
    """What expansions of an edition would say, how right they would be, and what they would do to every run. Nothing is kept.

    The neighbours are found once, as far as the widest cell reaches. For each cell the expansion is made in a savepoint, the runs
    are scored by it, and it is rolled back.

    :param against: the editions whose human judgments tell how right the labels are; None takes all later ones (by year, else by
        when they were made).
    :param measure: by which the runs are scored.
    :returns: by neighbours, then threshold descending.
    :raises UnknownObject, BadArgument, StateError: as for expand; no neighbours or no threshold to sweep over.
    """
    if not neighbours or not thresholds:
        raise BadArgument("nothing to sweep over", hint="Give at least one number of neighbours and one threshold.")
    cells: list[ExpansionCell] = []
    total = len(set(neighbours)) * len(set(thresholds))
    with conn.transaction(force_rollback=True):
        row = conn.execute(
            "SELECT edition_id FROM stc.stage_near(%s, %s, %s, %s, %s, %s, %s, %s)",
            [
                edition,
                max(neighbours),
                min(thresholds),
                rules.from_rel,
                rules.field,
                rules.model,
                list(rules.test),
                rules.effort,
            ],
        ).fetchone()
        edition_id = row[0] if row else None
        if against is None:
            against = [name for (name,) in conn.execute(_LATER, [edition])]
        else:
            for name in against:  # an unknown one is told
                conn.execute("SELECT stc.edition_key(%s)", [name])
        with conn.cursor(row_factory=class_row(ExpansionLabels)) as cursor:
            found = cursor.execute(
                "SELECT * FROM stc.expansion_sweep(%s, %s, %s, %s)",
                [edition_id, list(against), sorted(set(neighbours)), sorted(set(thresholds))],
            ).fetchall()
        ranked = conn.execute("SELECT FROM st1_rankings LIMIT 1").fetchone() is not None
        for labels in found:
            with _expansion(conn, edition_id, labels, rules.rel) as name:
                told = impact(conn, edition, name, measure=measure) if ranked else None
            cells.append(ExpansionCell(labels=labels, impact=told))
            if progress is not None:
                progress(len(cells), total)
    return cells


@contextmanager
def _expansion(conn: psycopg.Connection, edition_id: int | None, labels: ExpansionLabels, rel: int | None) -> Iterator[str]:
    """The name of an edition that is there inside the block alone."""
    name = f"sweep {uuid4()}"
    with conn.transaction(force_rollback=True):
        conn.execute(
            "SELECT stc.expand_near(%s, %s, %s, %s, %s, NULL)", [edition_id, name, labels.neighbours, labels.threshold, rel]
        )
        yield name

"""Bias of query origins towards families of systems: how means and ranks shift, and how hard the queries of each origin are.

Means, shifts and ranks are computed in SQL (sql/analysis/system_shifts.sql, family_shifts.sql); intervals are resampled here. There
are two kinds of interval: one from resampling queries, one from resampling systems. Each is a percentile bootstrap (Efron &
Tibshirani, 1993, chapter 13), which is too narrow for a dozen queries or a handful of systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg.rows import class_row

from stcollection.analysis.records import NO_FAMILY as NO_FAMILY
from stcollection.analysis.records import Bias as Bias
from stcollection.analysis.records import Difficulty as Difficulty
from stcollection.analysis.records import FamilyShift as FamilyShift
from stcollection.analysis.records import SystemShift as SystemShift
from stcollection.counts import counted, first_of
from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, check_fields, declare
from stcollection.errors import StateError, translate
from stcollection.evaluation.measures import Measure, nDCG
from stcollection.evaluation.parameters import ChosenRuns, EditionArgument, OneMeasure, QuerySet, only_measure, set_of
from stcollection.topics.sets import ALL, titled

Floats = npt.NDArray[np.float64]

FEW = 5  # with fewer systems in a family, its interval over systems is unreliable
_WEIGHTS = 4_000_000  # weights of draws in memory at once
_NAMED = 5  # systems that a note lists by name
_SYSTEMS = "SELECT * FROM system_shifts(%s, %s, %s, %s::text[], %s)"
_FAMILIES = "SELECT * FROM stc.family_shifts(%s, %s, %s, %s::text[], %s)"
_SCORES = "SELECT run, family, query, origin, value FROM origin_scores(%s, %s, %s::text[], %s)"
_MISSING = "SELECT run, count(*) FROM stc.score_grid(%s::text[], %s, %s, 'drop', %s) WHERE value IS NULL GROUP BY run ORDER BY run"


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Scores by run and query.

    :param values: float64[runs, queries].
    :param origins: the origin of each query.
    :param families: the family of each run.
    """

    runs: list[str]
    queries: list[str]
    origins: list[str]
    families: list[str | None]
    values: Floats

    def of(self, origin: str) -> Floats:
        """Return float64[runs, queries of that origin]."""
        return self.values[:, [name == origin for name in self.origins]]

    def members(self, family: str) -> list[int]:
        """Return the indexes of a family's runs."""
        return [at for at, name in enumerate(self.families) if (name or NO_FAMILY) == family]


@translate()
def scores(
    conn: psycopg.Connection, *, edition: str, measure: Measure = nDCG @ 10, runs: Sequence[str] = (), queries: str = ALL
) -> Scores:
    """Return the rows of origin_scores as a matrix. For parameters and errors see :func:`bias`."""
    rows = conn.execute(_SCORES, [edition, str(measure), list(runs), queries]).fetchall()
    if not rows:
        raise StateError(
            f"no run has a value of {measure} on edition {edition!r}",
            hint="'stc load --as runs' stores rankings; 'stc load --as scores' stores scores computed elsewhere.",
            sqlstate="IR405",
        )
    family_of = {row[0]: row[1] for row in rows}
    origin_of = {row[2]: row[3] for row in rows}
    run_at, query_at = ({name: at for at, name in enumerate(names)} for names in (family_of, origin_of))
    values = np.zeros((len(family_of), len(origin_of)))
    for run, _, query, _, value in rows:
        values[run_at[run], query_at[query]] = value
    return Scores(
        runs=list(family_of),
        queries=list(origin_of),
        origins=list(origin_of.values()),
        families=list(family_of.values()),
        values=values,
    )


ReferenceOrigin = Annotated[str, Option(metavar="ORIGIN", help="Origin of the queries that the others are compared with.")]


@dataclass(frozen=True)
class Resampling:
    """How queries and systems are resampled.

    :param times: Bootstrap resamples.
    :param seed: Seed of the bootstrap.
    :param alpha: Intervals have confidence 1 − alpha.
    :raises BadArgument: a value is outside its range.
    """

    times: Annotated[int, AllowedRange(ge=1, le=1_000_000), Option(each="resamples")] = 1000
    seed: Annotated[int, AllowedRange(ge=0)] = 0
    alpha: Annotated[float, AllowedRange(gt=0, lt=1)] = 0.05

    def __post_init__(self) -> None:
        check_fields(self)


THOUSAND = Resampling()


@declare
@note_simulated("edition")
@translate()
def bias(
    conn: psycopg.Connection,
    *,
    edition: EditionArgument,
    measure: OneMeasure = nDCG @ 10,
    reference: ReferenceOrigin = "human",
    queries: QuerySet = ALL,
    runs: ChosenRuns = (),
    bootstrap: Resampling = THOUSAND,
) -> Bias:
    """Compare each system and family on the queries of each origin with the queries of the reference origin.

    A query for which a run has nothing counts as 0 and is reported in the notes. Shifts are relative to the mean of all named runs,
    including those without a family.

    :raises UnknownObject: a run, the edition, the measure, or the set does not exist.
    :raises BadArgument: no query of the set has the reference origin, or an argument is outside its range.
    :raises StateError: no run has a score.
    """
    alpha, by, of_queries = bootstrap.alpha, only_measure(measure), set_of(queries)
    named = [edition, str(by), reference, list(runs), of_queries]
    with conn.transaction(), conn.cursor(row_factory=class_row(SystemShift)) as cursor:
        systems = cursor.execute(_SYSTEMS, named).fetchall()
        means = conn.execute(_FAMILIES, named).fetchall()
        grid = scores(conn, edition=edition, measure=by, runs=runs, queries=of_queries)
        missing = conn.execute(_MISSING, [list(runs), edition, str(by), of_queries]).fetchall()
    families = [row[0] or NO_FAMILY for row in means if row[1] == reference]
    origins = list(dict.fromkeys(row[1] for row in means))
    drawn = _queries_drawn(grid, families, origins, bootstrap)
    by_systems = _systems_drawn(grid, families, origins, bootstrap)
    shifts = []
    for family, origin, count, judged, mean, difference, relative, z_shift, rank_shift in means:
        at, place = families.index(family or NO_FAMILY), origins.index(origin)
        ends: list[tuple[float | None, float | None]] = [(None, None)] * 3
        if place:
            overall = drawn[place, :, -1] - drawn[0, :, -1]
            own = drawn[place, :, at] - drawn[0, :, at]
            resampled = _several(grid, reference) and _several(grid, origin)
            ends = [_ends(own if resampled else None, alpha), _ends(own - overall if resampled else None, alpha),
                    _ends(by_systems[place, :, at] if count > 1 else None, alpha)]  # fmt: skip
        shifts.append(
            FamilyShift(
                family or NO_FAMILY,
                origin,
                count,
                judged,
                mean,
                difference,
                *ends[0],
                relative,
                *ends[1],
                *ends[2],
                z_shift,
                rank_shift,
            )
        )
    return Bias(
        edition=titled(edition, of_queries),
        measure=str(by),
        reference=reference,
        alpha=alpha,
        systems=systems,
        families=shifts,
        difficulty=_difficulty(grid, origins, drawn, alpha),
        notes=_notes(grid, origins, families, missing, reference),
    )


def _several(grid: Scores, origin: str) -> bool:
    return grid.origins.count(origin) > 1


def _ends(draws: Floats | None, alpha: float) -> tuple[float | None, float | None]:
    if draws is None:
        return None, None
    low, high = np.quantile(draws, [alpha / 2, 1 - alpha / 2])
    return float(low), float(high)


def _queries_drawn(grid: Scores, families: list[str], origins: list[str], bootstrap: Resampling) -> Floats:
    """Return float64[origins, draws, families + 1]: the mean of each family, and of all systems, on queries drawn within each
    origin.

    All families use the same drawn queries, so differences between them are paired.
    """
    generator = np.random.default_rng(bootstrap.seed)
    drawn = np.empty((len(origins), bootstrap.times, len(families) + 1))
    for place, origin in enumerate(origins):
        values = grid.of(origin)
        means = np.column_stack([*(values[grid.members(family)].mean(axis=0) for family in families), values.mean(axis=0)])
        n = len(means)
        rows = max(1, _WEIGHTS // n)
        for start in range(0, bootstrap.times, rows):
            counts = generator.multinomial(n, np.full(n, 1 / n), size=min(rows, bootstrap.times - start))
            drawn[place, start : start + len(counts)] = counts @ means / n
    return drawn


def _systems_drawn(grid: Scores, families: list[str], origins: list[str], bootstrap: Resampling) -> Floats:
    """Return float64[origins, draws, families]: each family's relative shift, with systems drawn within families of fixed size."""
    generator = np.random.default_rng(bootstrap.seed)
    means = np.column_stack([grid.of(origin).mean(axis=1) for origin in origins])
    shifts = means - means[:, :1]
    drawn = np.empty((len(origins), bootstrap.times, len(families)))
    sizes = np.empty(len(families))
    for at, family in enumerate(families):
        own = shifts[grid.members(family)]
        n = sizes[at] = len(own)
        rows = max(1, _WEIGHTS // len(own))
        for start in range(0, bootstrap.times, rows):
            counts = generator.multinomial(len(own), np.full(len(own), 1 / n), size=min(rows, bootstrap.times - start))
            drawn[:, start : start + len(counts), at] = (counts @ own / n).T
    overall: Floats = drawn @ (sizes / sizes.sum())
    return drawn - overall[:, :, None]


def _difficulty(grid: Scores, origins: list[str], drawn: Floats, alpha: float) -> list[Difficulty]:
    rows = []
    easy = float(grid.of(origins[0]).mean())
    for place, origin in enumerate(origins):
        values = grid.of(origin)
        all_systems = drawn[place, :, -1] if _several(grid, origin) else None
        compared = place > 0 and all_systems is not None and _several(grid, origins[0])
        rows.append(
            Difficulty(
                origin,
                values.shape[1],
                float(values.mean()),
                *_ends(all_systems, alpha),
                float(values.mean()) - easy if place else None,
                *_ends(drawn[place, :, -1] - drawn[0, :, -1] if compared else None, alpha),
            )
        )
    return rows


def _notes(grid: Scores, origins: list[str], families: list[str], missing: Sequence[tuple[str, int]], reference: str) -> list[str]:
    notes = []
    if len(origins) == 1:
        notes.append(f"all queries have the origin {reference}: there is nothing to compare")
    for origin in origins:
        if not _several(grid, origin):
            notes.append(f"only one query has the origin {origin}: no interval over queries")
    without = [run for run, family in zip(grid.runs, grid.families, strict=True) if family is None]
    if without:
        notes.append(
            f"{name_systems(without)} without a family: see the row '{NO_FAMILY}'; set families with 'stc load --as families'"
        )
    if len(families) == 1:
        notes.append(f"all systems belong to one family, {families[0]}: its relative shift is always 0")
    single = [family for family in families if len(grid.members(family)) == 1]
    if single:
        notes.append(f"only one system in {', '.join(single)}: no interval over systems")
    few = [f"{family} {len(grid.members(family))}" for family in families if 1 < len(grid.members(family)) < FEW]
    if few:
        notes.append(f"few systems, so their interval is unreliable: {', '.join(few)}")
    if missing:
        runs = [run for run, _ in missing]
        notes.append(
            f"{name_systems(runs)} had no ranking or score for some queries:"
            f" {counted(sum(count for _, count in missing), 'value')} counted as 0"
        )
    return notes


def name_systems(runs: Sequence[str]) -> str:
    """Return the number of systems and their names: '2 systems (a, b)'."""
    return f"{counted(len(runs), 'system')} ({first_of(runs, _NAMED)})"

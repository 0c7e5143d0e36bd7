"""Agreement of rankings of systems on different query sets: all queries versus human ones, human versus synthetic ones.

A set is named as in the SQL function query_set: all, human, synthetic, t5, gpt-4, a+b; ``set/type`` keeps only queries of a form
(query_type), such as ``human/keyword``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
import psycopg

from stcollection.analysis import rankings
from stcollection.analysis.paired import Floats
from stcollection.analysis.records import Growth as Growth
from stcollection.analysis.records import GrowthCurves, QuerySetMeans
from stcollection.counts import counted
from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, check_fields, declare
from stcollection.errors import BadArgument, StateError, translate
from stcollection.evaluation.measures import Measure, nDCG
from stcollection.evaluation.parameters import ChosenRuns, EditionArgument, OneMeasure, QuerySet, only_measure, set_of
from stcollection.topics.sets import ALL, titled

Mask = npt.NDArray[np.bool_]

TYPES = ("question-word", "yes-no", "question", "keyword", "phrase")
_GRID = """
SELECT run, min(family), array_agg(query ORDER BY query COLLATE "C"), array_agg(value ORDER BY query COLLATE "C")
  FROM origin_scores(%s, %s, %s::text[], %s) GROUP BY run ORDER BY run COLLATE "C"
"""
_SET = """
SELECT q.query FROM unnest(stc.edition_queries(%s, %s)) s (id) JOIN st1_queries q ON q.id = s.id
 WHERE %s::text IS NULL OR stc.query_type(q.text) = %s
"""
_TIMES = 1 << 22  # queries × resamples in memory at once: 32 MB
_TAIL = 2.5  # percent outside the interval at each end


class Reliability(NamedTuple):
    """Agreement of the rankings of systems by two sets of queries.

    :param a: the set that tau_ap treats as the truth.
    :param shared: number of queries in both sets.
    :param tau, tau_ap, pearson: of the mean scores; None if a set scores all systems alike. ``low`` and ``high`` are percentiles of
        resamples of the queries; None for a set of one query, or without resamples.
    :param max_shift: the most ranks that a system moves from a to b, negative upwards, and that system (the first by name if tied).
    """

    a: str
    b: str
    queries_a: int
    queries_b: int
    shared: int
    systems: int
    tau: float | None
    tau_low: float | None
    tau_high: float | None
    tau_ap: float | None
    tau_ap_low: float | None
    tau_ap_high: float | None
    pearson: float | None
    pearson_low: float | None
    pearson_high: float | None
    max_shift: int
    shifted: str


class Grid(NamedTuple):
    """Scores of systems on queries.

    :param scores: float[systems, queries], both sorted by name.
    :param families: None for a run without a family.
    """

    runs: list[str]
    families: list[str | None]
    queries: list[str]
    scores: Floats


@translate()
def score_matrix(
    conn: psycopg.Connection, *, edition: str, measure: Measure = nDCG @ 10, runs: Sequence[str] = (), queries: str = ALL
) -> Grid:
    """Return the scores of runs on every judged query of an edition (sql/analysis/origin_scores.sql); 0 where a run has nothing.

    :param runs: names; all if empty.
    :raises UnknownObject: a run, the edition, or the measure does not exist.
    :raises StateError: fewer than two systems have scores, so there is no ranking to compare.
    """
    rows = conn.execute(_GRID, [edition, str(measure), list(runs), queries]).fetchall()
    if len(rows) < 2:
        lack = f"only one system ({rows[0][0]})" if rows else "no system"
        hint = "Import at least two runs or their scores: 'stc load --as runs', 'stc load --as scores'."
        raise StateError(f"{lack} has a value of {measure} on {edition!r}: no ranking to compare", hint=hint, sqlstate="IR405")
    names = [row[0] for row in rows]
    return Grid(names, [row[1] for row in rows], rows[0][2], np.array([row[3] for row in rows], dtype=np.float64))


@translate()
def chosen(conn: psycopg.Connection, *, edition: str, which: str, grid: Grid) -> Mask:
    """Return which queries of a grid belong to a set, as bool[queries].

    :raises BadArgument: the origin or type does not exist, or the set contains no query.
    """
    name, parted, form = which.partition("/")
    if parted and form not in TYPES:
        raise BadArgument(f"unknown query type {form!r} in {which!r}", hint=f"Use one of {', '.join(TYPES)}.")
    kind = form or None
    members = {row[0] for row in conn.execute(_SET, [edition, name, kind, kind])}
    mask = np.array([query in members for query in grid.queries], dtype=bool)
    if not mask.any():
        hint = f"'stc analysis origins {edition} --by origin,type' lists the sets."
        raise BadArgument(f"{edition!r} judges no query of the set {which!r}", hint=hint)
    return mask


@translate()
def usual_pairs(conn: psycopg.Connection, *, edition: str, queries: str = ALL) -> list[tuple[str, str]]:
    """Return the usual pairs: all and human, human and each other origin, and human and all other origins if there are several.

    :raises StateError: the edition judges queries of only one origin.
    """
    origins = judged_origins(conn, edition=edition, queries=queries)
    others = [origin for origin in origins if origin != "human"]
    if len(origins) < 2 or "human" not in origins:
        lack = f"queries of only one origin, {origins[0]}" if len(origins) == 1 else "no human queries" if origins else "no query"
        hint = "Set origins with 'stc load --as origins', or name other sets with --pairs, such as human/keyword:human/phrase."
        raise StateError(f"{edition!r} judges {lack}: there are no sets to compare", hint=hint, sqlstate="IR405")
    several = [("human", "synthetic")] if len(others) > 1 else []
    return [("all", "human"), *(("human", origin) for origin in others), *several]


@translate()
def judged_origins(conn: psycopg.Connection, *, edition: str, queries: str = ALL) -> list[str]:
    """Return the origins of the queries that an edition judges, human first."""
    rows = conn.execute("SELECT origin FROM stc.origin_statistics(%s, query_set => %s) WHERE queries > 0", [edition, queries])
    return [row[0] for row in rows]


@declare
@note_simulated("edition")
def reliability(
    conn: psycopg.Connection,
    *,
    edition: EditionArgument,
    measure: OneMeasure = nDCG @ 10,
    pairs: Annotated[
        Sequence[str | tuple[str, str]],
        Option(metavar="A:B", default="all:human, human against each other origin, human:synthetic", separated=True),
    ] = (),
    runs: ChosenRuns = (),
    bootstrap: Annotated[int, AllowedRange(ge=0, le=1_000_000), Option(each="resamples")] = 1000,
    seed: Annotated[int, AllowedRange(ge=0)] = 0,
    queries: QuerySet = ALL,
) -> list[Reliability]:
    """Compare the rankings of systems by pairs of query sets, with percentile intervals from resampled queries.

    Each resample has the size of the set and is drawn with replacement, separately from the queries only in a, only in b, and in
    both. Queries that the sets share are drawn once for both; sets without common queries are drawn independently.

    Without pairs, compare :func:`usual_pairs`.

    :param pairs: Pair of sets of queries: all, human, synthetic, t5, gpt-4, …, a+b; human/keyword are those of a type. Repeatable,
        or comma-separated.
    :param bootstrap: Bootstrap resamples of the queries for 95% intervals; 0 for none.
    :param seed: Seed of the resamples.
    :param queries: Use only this set, and of each set of a pair its queries in it.
    :raises UnknownObject: a run, the edition, the measure, or the set does not exist.
    :raises BadArgument: a set does not exist, or an argument is outside its range.
    :raises StateError: fewer than two systems, or queries of only one origin.
    """
    compared, of_queries = [pair_of(pair) for pair in pairs], set_of(queries)
    grid = score_matrix(conn, edition=edition, measure=only_measure(measure), runs=runs, queries=of_queries)
    rows = []
    for a, b in compared or usual_pairs(conn, edition=edition, queries=of_queries):
        of_a, of_b = (chosen(conn, edition=edition, which=which, grid=grid) for which in (a, b))
        rows.append(_compare(grid, a, b, of_a, of_b, bootstrap, seed))
    return rows


def _compare(grid: Grid, a: str, b: str, of_a: Mask, of_b: Mask, bootstrap: int, seed: int) -> Reliability:
    mean_a, mean_b = (grid.scores[:, side].mean(axis=1)[:, None] for side in (of_a, of_b))
    sizes = (int(np.sum(of_a)), int(np.sum(of_b)))
    values = [_number(measure(mean_a, mean_b)[0]) for measure in _MEASURES]
    spread: list[tuple[float | None, float | None]] = [(None, None)] * len(_MEASURES)
    if bootstrap and min(sizes) > 1:
        drawn = _resampled(grid.scores, of_a, of_b, bootstrap, seed)
        spread = [_spread(measure(*drawn)) for measure in _MEASURES]
    shifts = rankings.ranks(mean_b[:, 0]) - rankings.ranks(mean_a[:, 0])
    moved = int(np.argmax(np.abs(shifts)))
    (tau, tau_ap, pearson), (of_tau, of_tau_ap, of_pearson) = values, spread
    return Reliability(
        a,
        b,
        *sizes,
        int(np.sum(of_a & of_b)),
        len(grid.runs),
        tau,
        *of_tau,
        tau_ap,
        *of_tau_ap,
        pearson,
        *of_pearson,
        int(shifts[moved]),
        grid.runs[moved] if shifts[moved] else "",
    )


_MEASURES = (rankings.kendall_tau, rankings.tau_ap, rankings.pearson)


def _resampled(scores: Floats, of_a: Mask, of_b: Mask, resamples: int, seed: int) -> tuple[Floats, Floats]:
    """Return the mean scores by both sets, float[systems, resamples] each."""
    generator = np.random.default_rng(seed)
    sums = np.zeros((3, len(scores), resamples))
    for at, stratum in enumerate((of_a & ~of_b, of_b & ~of_a, of_a & of_b)):
        size = int(np.sum(stratum))
        step = max(1, _TIMES // max(1, size))
        for first in range(0, resamples if size else 0, step):
            rows = min(step, resamples - first)
            times = generator.multinomial(size, np.full(size, 1 / size), size=rows)
            sums[at, :, first : first + rows] = scores[:, stratum] @ times.T.astype(np.float64)
    only_a, only_b, both = sums
    return (only_a + both) / np.sum(of_a), (only_b + both) / np.sum(of_b)


def _spread(values: Floats) -> tuple[float | None, float | None]:
    """Return the interval percentiles of the defined values."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return None, None
    low, high = np.percentile(defined, [_TAIL, 100 - _TAIL])
    return float(low), float(high)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


DrawnSets = Annotated[
    Sequence[str],
    Option(
        "--queries",
        metavar="SET",
        help="Set of queries to draw from, for growth curves. Repeatable.",
        default="every origin",
    ),
]
ReferenceSet = Annotated[
    str, Option("--reference", metavar="SET", help="Set of queries that gives the reference ranking of growth curves.")
]


@dataclass(frozen=True)
class Draws:
    """How queries are drawn.

    If two sets share queries, the default sizes are at most half the size of the other set.

    :param times: Number of draws per size, for growth curves.
    :param seed: Seed of the draws.
    :param sizes: Comma-separated numbers of queries to draw, for growth curves.
    :raises BadArgument: a number is below its minimum.
    """

    times: Annotated[int, AllowedRange(ge=1, le=1_000_000), Option(each="draws")] = 1000
    seed: Annotated[int, AllowedRange(ge=0)] = 0
    sizes: Annotated[str | Sequence[int], Option(metavar="N,N,…", default="up to twenty sizes")] = ()

    def __post_init__(self) -> None:
        check_fields(self)


THOUSAND = Draws()


def pair_of(pair: str | tuple[str, str]) -> tuple[str, str]:
    """Return a pair of sets, which may be written as ``human:t5``."""
    if not isinstance(pair, str):
        return pair
    a, parted, b = pair.partition(":")
    if not (a and parted and b) or ":" in b:
        raise BadArgument(f"{pair!r} is not a pair of sets", hint="Separate two sets by one colon: human:t5.")
    return a, b


def _numbers(sizes: str | Sequence[int]) -> Sequence[int]:
    if not isinstance(sizes, str):
        return sizes
    if not all(part.strip().isdecimal() and len(part.strip()) < 9 for part in sizes.split(",")):
        raise BadArgument(f"sizes {sizes!r}", hint="Separate numbers by commas: 1,5,10,20.")
    return [int(part) for part in sizes.split(",")]


@note_simulated("edition")
def growth(
    conn: psycopg.Connection,
    *,
    edition: str,
    measure: Measure = nDCG @ 10,
    of: str = "human",
    against: str = "human",
    runs: Sequence[str] = (),
    draws: Draws = THOUSAND,
    queries: str = ALL,
) -> list[Growth]:
    """Compute Kendall's tau between the ranking on n queries drawn from one set and the ranking on another set, by n.

    Queries are drawn without replacement; draws of a larger n extend those of a smaller n. Drawn queries that are also in
    ``against`` are left out of it, because a ranking agrees with any ranking that it is a part of. A set compared with itself is
    thus compared with its held-out rest.

    :param queries: use only this set, and of each set its queries in it.
    :raises UnknownObject, StateError: as for :func:`reliability`.
    :raises BadArgument: a set does not exist; or a size is larger than the set, or may leave no query to rank by.
    """
    grid = score_matrix(conn, edition=edition, measure=measure, runs=runs, queries=queries)
    mask, other = (chosen(conn, edition=edition, which=which, grid=grid) for which in (of, against))
    members = np.flatnonzero(mask)
    total, shared, rest = len(members), int(np.sum(mask & other)), int(np.sum(other))
    sizes = sorted(set(_numbers(draws.sizes))) or _sizes(total, shared, rest)
    for size in sizes:
        if not 1 <= size <= total:
            raise BadArgument(f"cannot draw {counted(size, 'query')} from {of!r}", hint=f"It contains {total}; draw 1 to {total}.")
        if rest - min(size, shared) < 1:
            draw = f"drawing {counted(size, 'query')} of {of!r} may leave none of {against!r} to rank by"
            raise BadArgument(draw, hint=f"Draw fewer than {rest}, or compare with another set.")
    generator = np.random.default_rng(draws.seed)
    order = generator.permuted(np.tile(np.arange(total), (draws.times, 1)), axis=1)
    place = np.argsort(order, axis=1)  # [draw, query]: position in the draw
    whole, inside = grid.scores[:, other].sum(axis=1, keepdims=True), other[members]
    points = []
    for size in sizes:
        drawn = (place < size).astype(np.float64)
        overlap = drawn * inside
        left = rest - overlap.sum(axis=1)
        by_drawn = grid.scores[:, members] @ drawn.T / size
        by_other = (whole - grid.scores[:, members] @ overlap.T) / left
        taus = rankings.kendall_tau(by_drawn, by_other)
        defined = taus[~np.isnan(taus)]
        mean = float(defined.mean()) if len(defined) else None
        points.append(Growth(of, against, size, rest, shared, len(defined), mean, *_spread(taus)))
    return points


@note_simulated("edition")
def growth_curves(
    conn: psycopg.Connection,
    *,
    edition: str,
    of: Sequence[str] = (),
    against: str = "human",
    measure: Measure = nDCG @ 10,
    runs: Sequence[str] = (),
    draws: Draws = THOUSAND,
    queries: str = ALL,
) -> GrowthCurves:
    """Return :func:`growth` of several sets as a record to draw. :param of: sets; if empty, each origin of the judged queries."""
    sets = list(dict.fromkeys(of)) or judged_origins(conn, edition=edition, queries=queries)
    curves: dict[str, list[Growth]] = {
        name: growth(conn, edition=edition, measure=measure, of=name, against=against, runs=runs, draws=draws, queries=queries)
        for name in sets
    }
    return GrowthCurves(
        edition=titled(edition, queries),
        measure=str(measure),
        against=against,
        draws=draws.times,
        curves=curves,
    )


@note_simulated("edition")
def set_means(
    conn: psycopg.Connection,
    *,
    edition: str,
    pair: tuple[str, str],
    measure: Measure = nDCG @ 10,
    runs: Sequence[str] = (),
    queries: str = ALL,
) -> QuerySetMeans:
    """Return the mean scores of systems by two sets of queries, as a record to draw.

    :param pair: two sets, as :func:`reliability` names them.
    :param queries: use only this set, and of each set its queries in it.
    :raises UnknownObject, BadArgument, StateError: as for :func:`reliability`.
    """
    a, b = pair
    grid = score_matrix(conn, edition=edition, measure=measure, runs=runs, queries=queries)
    of_a, of_b = (chosen(conn, edition=edition, which=which, grid=grid) for which in pair)
    means_a, means_b = (grid.scores[:, side].mean(axis=1) for side in (of_a, of_b))
    tau, tau_ap, pearson = (float(how(means_a[:, None], means_b[:, None])[0]) for how in _MEASURES)
    return QuerySetMeans(
        edition=titled(edition, queries),
        measure=str(measure),
        a=a,
        b=b,
        queries_a=int(of_a.sum()),
        queries_b=int(of_b.sum()),
        runs=grid.runs,
        families=grid.families,
        means_a=means_a,
        means_b=means_b,
        kendall_tau=tau,
        tau_ap=tau_ap,
        pearson=pearson,
    )


def _sizes(total: int, shared: int, rest: int) -> list[int]:
    most = total if not shared else max(1, min(total, rest // 2))
    return sorted({round(size) for size in np.linspace(1, most, min(most, 20))})

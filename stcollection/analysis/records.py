"""Results of the analyses as records: plain data that :mod:`stcollection.plots` can draw without a database.

Several records have a field ``simulated``: the note to print if judgments or grades are simulated, else None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stcollection.analysis.intervals import Interval

Floats = npt.NDArray[np.float64]
NO_FAMILY = "no family"


class SystemScore(NamedTuple):
    """A run by one measure: the mean over the queries for which it has a value, with its interval; all NaN if it has none.

    :param values: float[queries], sorted by query name; NaN where the run has no value.
    :param low, high: NaN for fewer than two queries.
    """

    run: str
    values: Floats
    mean: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class SystemMeans:
    """Runs by one measure.

    :param scores: best first; runs without any value last. :param spread: what a value and its ends are, if not the mean over
        queries and its interval.
    """

    edition: str
    measure: str
    interval: Interval
    scores: list[SystemScore]
    simulated: str | None = None
    spread: str | None = None


class RankedRun(NamedTuple):
    """A run in a ranking that admits ties.

    :param low, high: interval of the mean. :param rank: 1 + number of runs with a higher mean.
    :param rank_low, rank_high: interval of the rank; the intervals of all runs hold together.
    :param group: a letter; a group has the best remaining run and the runs that are not significantly worse than it.
    """

    run: str
    mean: float
    low: float
    high: float
    rank: int
    rank_low: int
    rank_high: int
    group: str


class RunPair(NamedTuple):
    """Two runs of a ranking that admits ties, the better one first.

    :param low, high: interval of the mean difference; the intervals of all pairs hold together.
    :param p: corrected for all pairs. :param beats: probability that ``run`` has the higher mean on other queries of this kind.
    :param needed: number of queries that would separate them; None if the runs are equal or it exceeds 1,000,000.
    """

    run: str
    against: str
    difference: float
    low: float
    high: float
    p: float
    beats: float
    needed: int | None


@dataclass(frozen=True, kw_only=True)
class RankIntervals:
    """A ranking that admits ties. :param runs: best first. :param pairs: all pairs, in the order of the runs."""

    edition: str
    measure: str
    queries: int
    alpha: float
    resamples: int
    runs: list[RankedRun]
    pairs: list[RunPair]
    simulated: str | None = None


@dataclass(frozen=True, kw_only=True)
class QueryDifferences:
    """The differences of two runs, query by query.

    :param queries: names, the largest difference first.
    :param differences: float[queries].
    :param low, high: interval of the mean; may be NaN.
    """

    run: str
    against: str
    edition: str
    measure: str
    interval: Interval
    queries: list[str]
    differences: Floats
    mean: float
    low: float
    high: float
    simulated: str | None = None


class Slope(NamedTuple):
    """A run in two rankings. A rank is 1 + number of runs that score higher."""

    run: str
    left: float
    right: float
    left_rank: int
    right_rank: int


@dataclass(frozen=True, kw_only=True)
class RankingChanges:
    """Two rankings of the same runs.

    :param common: the common part of both rankings: the measure of two editions, or the edition of two measures.
    :param left, right: the two editions, or the two measures.
    :param runs: best on the left first.
    :param tau_ap: with the left ranking as the truth.
    """

    common: str
    left: str
    right: str
    runs: list[Slope]
    kendall_tau: float | None
    tau_ap: float | None
    simulated: str | None = None


class Distribution(NamedTuple):
    """How often an edition gives each grade; empty if it judges nothing. :param origin: '' for all origins together."""

    edition: str
    origin: str
    counts: Mapping[int, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True, kw_only=True)
class GradeDistributions:
    """The grades of several editions, one row per edition, or per origin if an edition has several.

    :param by: whether ``origin`` is that of the ``judge`` or of the ``query``. :param judgments: what is counted, for the title.
    """

    rows: list[Distribution]
    by: str = "judge"
    judgments: str = "judgments"
    simulated: str | None = None


@dataclass(frozen=True, kw_only=True)
class PoolDepths:
    """Documents found by a pool up to each depth from 1.

    :param edition: the edition whose judgments count; None: the grades on the pool's sheets.
    :param relevant: the lowest grade that counts as relevant.
    :param documents, judged, relevant_found: counts by depth; ``relevant_found`` counts relevant documents.
    :param estimates: estimated number of relevant documents if all had been judged; None except for stratified pools.
    """

    pool: str
    edition: str | None
    relevant: int
    documents: list[int]
    judged: list[int]
    relevant_found: list[int]
    estimates: list[float] | None
    simulated: str | None = None


class Spread(NamedTuple):
    """A group's distribution: number of documents, and quantiles at .05, .25, .5, .75 and .95."""

    name: str
    documents: int
    low: float
    lower: float
    median: float
    upper: float
    high: float


class Spreads(NamedTuple):
    """The distributions of groups.

    :param groups, grouped: total number of groups and of documents in them, including omitted groups.
    :param by: the attribute that documents are grouped by.
    :param smallest: groups with fewer documents are omitted.
    """

    rows: list[Spread]
    groups: int
    grouped: int
    measure: str
    by: str
    smallest: int


class Bins(NamedTuple):
    """A histogram of two measures.

    :param counts: int[x bins, y bins].
    :param x_edges, y_edges: float, one more than the number of bins.
    :param outside: number of documents beyond the edges.
    :param rho: Spearman's, None if a measure has only one value.
    :param sampled: number of documents that rho is computed over.
    :param documents: number of documents that have both measures.
    :param x, y: the measures.
    """

    counts: Floats
    x_edges: Floats
    y_edges: Floats
    documents: int
    outside: int
    rho: float | None
    sampled: int
    x: str
    y: str


class Correlations(NamedTuple):
    """Spearman's rho between measures.

    :param rho: float[measures, measures], NaN where a measure has only one value.
    :param documents: number of documents that it is computed over.
    :param complete: number of documents that have all measures.
    """

    measures: list[str]
    rho: Floats
    documents: int
    complete: int


class AnnotationMean(NamedTuple):
    """One row of annotation_means.

    :param group: None for all groups together.
    :param n: number of documents.
    :param grades: number of grades given to them.
    :param sd, se: None for one document.
    """

    measure: str
    group: str | None
    grade: int
    n: int
    grades: int
    mean: float
    sd: float | None
    se: float | None


@dataclass(frozen=True, kw_only=True)
class GradeMeans:
    """The mean of a measure at each grade that people gave. :param rows: one per group of annotators and grade."""

    measure: str
    aspect: str
    rows: list[AnnotationMean]
    simulated: str | None = None


class ReadRun(NamedTuple):
    """A run by relevance and by a measure of its first documents: means over queries, with intervals; NaN if missing.

    :param queries: number of queries that the mean of the measure is over.
    """

    run: str
    relevance: float
    relevance_low: float
    relevance_high: float
    value: float
    value_low: float
    value_high: float
    queries: int


@dataclass(frozen=True, kw_only=True)
class ReadableRuns:
    """Runs by relevance and by a measure of their first k documents.

    :param runs: runs with both values.
    :param without: number of other runs.
    :param better: which values of the measure are better, ``low`` or ``high``; None: neither.
    :param best: the runs that no other run beats by both; empty if neither end is better.
    """

    edition: str
    measure: str
    readability: str
    k: int
    interval: Interval
    runs: list[ReadRun]
    without: int
    better: str | None
    best: list[ReadRun]
    simulated: str | None = None


@dataclass(frozen=True, kw_only=True)
class QuerySetMeans:
    """The mean scores of systems by two sets of queries.

    :param queries_a, queries_b: sizes of the sets.
    :param runs: names of the systems.
    :param families: None for a system without a family.
    :param means_a, means_b: float[systems].
    :param tau_ap: with ``a`` as the truth. Correlations are NaN if undefined.
    """

    edition: str
    measure: str
    a: str
    b: str
    queries_a: int
    queries_b: int
    runs: list[str]
    families: list[str | None]
    means_a: Floats
    means_b: Floats
    kendall_tau: float
    tau_ap: float
    pearson: float
    simulated: str | None = None


class Growth(NamedTuple):
    """Agreement of a ranking on a few queries with another ranking.

    :param size: number of queries drawn from the set ``of``.
    :param against_size: number of queries of ``against``.
    :param shared: number of queries in both sets; if drawn, they are left out of ``against``.
    :param draws: number of draws with a defined tau; if 0, the next three fields are None.
    :param tau: mean over the draws.
    :param low, high: bounds of the central 95 % of draws.
    """

    of: str
    against: str
    size: int
    against_size: int
    shared: int
    draws: int
    tau: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class GrowthCurves:
    """Growth of tau with the number of queries drawn. :param curves: one per set that queries are drawn from."""

    edition: str
    measure: str
    against: str
    draws: int
    curves: dict[str, list[Growth]]
    simulated: str | None = None

    @property
    def points(self) -> list[Growth]:
        """Return the points of all curves, curve by curve."""
        return [point for curve in self.curves.values() for point in curve]


class SystemShift(NamedTuple):
    """A system on the queries of one origin. The reference has no shifts (None).

    :param difference: its mean minus its mean on the reference.
    :param relative: the same after subtracting the mean of all systems from each mean.
    :param z_shift: in standard deviations over systems; None if all systems score the same.
    :param rank: 1 + number of better systems.
    :param rank_shift: ranks gained; negative if lost.
    """

    run: str
    family: str | None
    origin: str
    queries: int
    mean: float
    difference: float | None
    relative: float | None
    z_shift: float | None
    rank: int
    rank_shift: int | None


class FamilyShift(NamedTuple):
    """The mean of a family's systems on the queries of one origin. An interval is None where nothing can be resampled.

    :param low, high: from drawing queries within origins.
    :param systems_low, systems_high: from drawing systems within families.
    """

    family: str
    origin: str
    systems: int
    queries: int
    mean: float
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    relative: float | None
    relative_low: float | None
    relative_high: float | None
    systems_low: float | None
    systems_high: float | None
    z_shift: float | None
    rank_shift: float | None


class Difficulty(NamedTuple):
    """The mean score of all systems on the queries of one origin; a low mean means hard queries.

    :param low, high: interval from drawing queries.
    :param difference: from the reference; ``difference_low`` and ``difference_high`` are its interval. None on the reference.
    """

    origin: str
    queries: int
    mean: float
    low: float | None
    high: float | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None


@dataclass(frozen=True, kw_only=True)
class Bias:
    """How systems and families shift from the queries of the reference to those of each other origin.

    :param alpha: intervals have confidence 1 - alpha.
    :param systems, families: the reference first, then the other origins by name.
    :param notes: limits of the figures, in words.
    """

    edition: str
    measure: str
    reference: str
    alpha: float
    systems: list[SystemShift]
    families: list[FamilyShift]
    difficulty: list[Difficulty]
    notes: list[str]
    simulated: str | None = None


class ForeignKey(NamedTuple):
    """What a column refers to. :param table: with the prefix ``stc.`` if it is not published."""

    table: str
    column: str


class SchemaColumn(NamedTuple):
    """A column of a table. :param key: part of the primary key."""

    name: str
    type: str
    key: bool
    nullable: bool
    refers: list[ForeignKey]
    comment: str


class SchemaTable(NamedTuple):
    """A published table with its columns in order."""

    name: str
    comment: str
    columns: list[SchemaColumn]

"""Results of the analyses as records: plain data that :mod:`stcollection.plots` can draw without a database.

Several records have a field ``simulated``: the note to print with simulated judgments or grades, None if there are none.
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
    """A run by one measure: the mean over the queries it has a value for, and where that lies; all NaN where it has none.

    :param values: float[queries], by the queries' names; NaN where it has none. :param low, high: NaN for fewer than two queries.
    """

    run: str
    values: Floats
    mean: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class SystemMeans:
    """Runs by one measure. :param scores: best first; runs without any value last."""

    edition: str
    measure: str
    interval: Interval
    scores: list[SystemScore]
    simulated: str | None = None


@dataclass(frozen=True, kw_only=True)
class QueryDifferences:
    """One run less another, query by query.

    :param queries: by difference, the largest first. :param differences: float[queries]. :param low, high: of the mean; may be NaN.
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
    """A run in two rankings. A rank is 1 + how many runs score higher."""

    run: str
    left: float
    right: float
    left_rank: int
    right_rank: int


@dataclass(frozen=True, kw_only=True)
class RankingChanges:
    """One ranking of runs against another.

    :param common: what both rankings share: the measure of two editions, or the edition of two measures.
    :param left, right: the two editions, or the two measures. :param runs: best on the left first.
    :param tau_ap: the left ranking is the truth.
    """

    common: str
    left: str
    right: str
    runs: list[Slope]
    kendall_tau: float | None
    tau_ap: float | None
    simulated: str | None = None


class Distribution(NamedTuple):
    """How often an edition gives each grade; no grade where it judges nothing. :param origin: '' for all it has."""

    edition: str
    origin: str
    counts: Mapping[int, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True, kw_only=True)
class GradeDistributions:
    """The grades of several editions, one row an edition, or an origin where an edition has several."""

    rows: list[Distribution]
    simulated: str | None = None


@dataclass(frozen=True, kw_only=True)
class PoolDepths:
    """What a pool has found by each depth from 1 on.

    :param edition: whose judgments count; None: the grades on the pool's sheets. :param relevant: the lowest relevant grade.
    :param documents, judged, found: counts by depth; ``found`` are the relevant ones.
    :param estimates: relevant documents had all been judged; None except for pools drawn by strata.
    """

    pool: str
    edition: str | None
    relevant: int
    documents: list[int]
    judged: list[int]
    found: list[int]
    estimates: list[float] | None
    simulated: str | None = None


class Spread(NamedTuple):
    """A group's distribution. :param documents: how many. The rest: quantiles at .05, .25, .5, .75 and .95."""

    name: str
    documents: int
    low: float
    lower: float
    median: float
    upper: float
    high: float


class Spreads(NamedTuple):
    """The distributions of groups. :param groups, grouped: groups there are, and documents in them, with those left out.

    :param by: what groups documents. :param smallest: groups of fewer documents are left out.
    """

    rows: list[Spread]
    groups: int
    grouped: int
    measure: str
    by: str
    smallest: int


class Bins(NamedTuple):
    """A histogram of two measures.

    :param counts: int[x bins, y bins]. :param x_edges, y_edges: float, one more than there are bins.
    :param outside: documents beyond the edges. :param rho: Spearman's, None where a measure has one value only.
    :param sampled: documents that rho is over. :param documents: those that have both measures. :param x, y: the measures.
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
    """Spearman's rho. :param rho: float[measures, measures], NaN where one has one value only.

    :param documents: those it is over. :param complete: those that have all measures.
    """

    measures: list[str]
    rho: Floats
    documents: int
    complete: int


class AnnotationMean(NamedTuple):
    """One row of annotation_means.

    :param group: None for all of them. :param n: documents. :param grades: given to them. :param sd, se: None for one document.
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
    """The mean of a measure by the grades that people gave. :param rows: one a group of annotators and grade."""

    measure: str
    aspect: str
    rows: list[AnnotationMean]
    simulated: str | None = None


class ReadRun(NamedTuple):
    """A run by relevance and by a measure of its first documents: means over queries, with intervals; NaN for none.

    :param queries: those that the mean of the measure is over.
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

    :param runs: those with both values. :param without: how many others there are.
    :param better: which values of the measure are the better ones, ``low`` or ``high``; None: neither.
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

    :param queries_a, queries_b: how many each set has. :param families: None for a system without one.
    :param means_a, means_b: float[systems]. :param tau_ap: ``a`` is the truth. Correlations are NaN without a value.
    """

    edition: str
    measure: str
    a: str
    b: str
    queries_a: int
    queries_b: int
    families: list[str | None]
    means_a: Floats
    means_b: Floats
    kendall_tau: float
    tau_ap: float
    pearson: float
    simulated: str | None = None


class Growth(NamedTuple):
    """How far a ranking on a few queries agrees with another.

    :param size: queries drawn of the set ``of``.
    :param against_size: queries of ``against``; ``shared``: of both sets, which are left out of ``against`` where they are drawn.
    :param draws: how many had a tau; None for those three below where none had. :param tau: their mean.
    :param low, high: between them lie 95 of 100 draws.
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
    """How tau with one ranking grows with the number of queries drawn. :param curves: by the set drawn from."""

    edition: str
    measure: str
    against: str
    draws: int
    curves: dict[str, list[Growth]]
    simulated: str | None = None

    @property
    def points(self) -> list[Growth]:
        """The points of all curves, curve by curve."""
        return [point for curve in self.curves.values() for point in curve]


class SystemShift(NamedTuple):
    """A system on the queries of one origin. Shifts are None on the reference.

    :param difference: of its mean from that on the reference. :param relative: the same, each mean less that of all systems.
    :param z_shift: in standard deviations over systems; None where they do not differ. :param rank: 1 + how many are better.
    :param rank_shift: ranks gained; below 0: lost.
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
    """The systems of a family, in the mean, on the queries of one origin. Intervals: None where there is nothing to resample.

    :param low, high: by drawing queries within origins; ``systems_low`` and ``systems_high``: by drawing systems within families.
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
    """What all systems reach, in the mean, on the queries of one origin: low is hard. :param low, high: by drawing queries.

    :param difference: from the reference; :param difference_low, difference_high: its interval. None on the reference.
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

    :param alpha: intervals have confidence 1 - alpha. :param systems, families: the reference first, then origins by name.
    :param notes: what the figures leave out, in words.
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

"""Records of the collection itself: documents by year, editions and scores over time, systems by two editions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from stcollection.analysis.records import Floats


class YearCount(NamedTuple):
    """The documents of one year, and those of them with an abstract."""

    year: int
    documents: int
    abstracts: int


@dataclass(frozen=True, kw_only=True)
class DocumentYears:
    """Documents by year.

    :param years: ascending; years without documents are left out.
    :param without: number of documents without a plausible year.
    """

    years: list[YearCount]
    without: int


class EditionHistory(NamedTuple):
    """One row of the SQL function edition_history.

    :param year: of the campaign; None if unknown. :param split: ``train``, ``test`` or None.
    :param judgments: pairs of query and document; :param by_people: those judged by people.
    :param documents: distinct documents in these pairs.
    :param fewest, most: judgments of the query with the fewest and the most; None without any. :param names: names of the topics.
    """

    edition: str
    year: int | None
    split: str | None
    made: datetime
    topics: int
    queries: int
    judgments: int
    by_people: int
    documents: int
    fewest: int | None = None
    most: int | None = None
    names: list[str] | None = None


@dataclass(frozen=True, kw_only=True)
class CollectionHistory:
    """The editions of a collection, oldest first."""

    editions: list[EditionHistory]
    simulated: str | None = None


@dataclass(frozen=True, kw_only=True)
class EditionMeans:
    """The mean scores of systems by two editions, over the queries that both judge.

    :param families: None for a system without a family.
    :param unpaired: number of systems that only one of the editions scores.
    :param means_a, means_b: float[systems].
    :param tau_ap: with ``a`` as the truth. Correlations are None if undefined.
    """

    measure: str
    a: str
    b: str
    queries: int
    runs: list[str]
    families: list[str | None]
    unpaired: int
    means_a: Floats
    means_b: Floats
    kendall_tau: float | None
    tau_ap: float | None
    pearson: float | None
    simulated: str | None = None


class SnapshotScore(NamedTuple):
    """Scores of a run and a baseline on one snapshot, compared with the first; NaN where a value is not defined.

    :param arp, baseline_arp: average retrieval performance: means over the queries.
    :param result_delta: R_e, (arp at first - arp) / arp at first. Positive: the run got worse.
    :param effect_ratio: mean improvement over the baseline, divided by that at first. 1: the lead is the same.
    :param delta_ri: relative improvement over the baseline at first, minus that now. 0: the lead is the same.
    :param rmse: root mean square error of the run's scores to those at first, over the queries that both have.
    :param nrmse: rmse divided by the largest possible for scores from 0 to 1. 1: every score is as far away as it can be.
    :param p_value: of the two-sided t-test of the run's scores at first and now, which are not paired.
    :param paired_p_value: the same for scores paired by query, over the queries that both have.
    :param tau_union: Kendall's tau union of the run's rankings at first and now, at most 1,000 documents; mean over the queries.
    :param rbo: rank-biased overlap of the same rankings (p .95, depth 1,000); mean over the queries.
    """

    day: str
    queries: int
    arp: float
    baseline_arp: float
    result_delta: float
    effect_ratio: float
    delta_ri: float
    rmse: float
    nrmse: float
    p_value: float
    paired_p_value: float
    tau_union: float
    rbo: float


@dataclass(frozen=True, kw_only=True)
class EffectOverTime:
    """The scores of a run and a baseline on several days. :param days: at least two, by date."""

    run: str
    baseline: str
    edition: str
    measure: str
    days: list[SnapshotScore]
    simulated: str | None = None

"""Records of the collection itself: documents by year, editions over time, systems by two editions."""

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

"""The nearest-neighbour test of the cluster hypothesis: are relevant documents near other relevant documents?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated, Literal

import psycopg
from psycopg.rows import class_row

from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, check_fields, declare
from stcollection.errors import translate
from stcollection.evaluation.parameters import EditionArgument, QuerySet, set_of
from stcollection.topics.sets import ALL


@dataclass(frozen=True, kw_only=True)
class NeighbourShare:
    """The test on one query, or its means over queries (sql/analysis/cluster_hypothesis.sql).

    :param relevant: relevant documents with a vector. :param judged: judged documents with a vector.
    :param judged_share: share of relevant documents among the nearest judged documents, a mean over the relevant documents.
    :param judged_chance: the same for neighbours at random: (relevant - 1) / (judged - 1).
    :param corpus: documents with a vector. :param corpus_share, corpus_chance: the same among all these documents, of which the
        unjudged ones count as not relevant. The three are None without the corpus.
    """

    query: str
    relevant: float
    judged: float
    judged_share: float
    judged_chance: float
    corpus: int | None
    corpus_share: float | None
    corpus_chance: float | None


@dataclass(frozen=True, kw_only=True)
class NeighbourRule:
    """How neighbours are found.

    :param field: Field whose vectors define the neighbours.
    :param model: Embedding model.
    :param neighbours: Number of nearest neighbours.
    :param from_rel: Lowest grade of a relevant document.
    :param in_corpus: Also find neighbours among all documents.
    :param effort: 0 compares with all documents; None uses the vector index.
    """

    field: Literal["title", "abstract", "content"] = "abstract"
    model: Annotated[str | None, Option(metavar="SHORT", default="the collection's default model")] = None
    neighbours: Annotated[int, AllowedRange(ge=1)] = 5
    from_rel: int = 1
    in_corpus: Annotated[bool, Option("--corpus/--judged-only", default="yes")] = True
    effort: int | None = 0

    def __post_init__(self) -> None:
        check_fields(self)


FIVE = NeighbourRule()


@declare
@note_simulated("edition")
@translate()
def neighbour_shares(
    conn: psycopg.Connection, *, edition: EditionArgument, queries: QuerySet = ALL, rule: NeighbourRule = FIVE
) -> list[NeighbourShare]:
    """Return the test on each query with two relevant documents that have a vector, by query.

    :raises UnknownObject: unknown edition, query, model or field. :raises BadArgument: neighbours is below 1.
    :raises StateError: no vectors, or no query has two relevant documents with one.
    """
    with conn.transaction(), conn.cursor(row_factory=class_row(NeighbourShare)) as cursor:
        return cursor.execute(
            "SELECT * FROM stc.cluster_hypothesis(%s, %s, %s, %s, %s, %s, %s, %s)",
            [edition, rule.field, rule.model, rule.neighbours, rule.from_rel, set_of(queries), rule.in_corpus, rule.effort],
        ).fetchall()


def mean_share(shares: Sequence[NeighbourShare]) -> NeighbourShare:
    """Return the means over queries, under the name ``mean``."""

    def mean(name: str) -> float:
        return fmean(getattr(share, name) for share in shares)

    whole = shares[0].corpus is not None
    return NeighbourShare(
        query="mean",
        relevant=mean("relevant"),
        judged=mean("judged"),
        judged_share=mean("judged_share"),
        judged_chance=mean("judged_chance"),
        corpus=shares[0].corpus,
        corpus_share=mean("corpus_share") if whole else None,
        corpus_chance=mean("corpus_chance") if whole else None,
    )

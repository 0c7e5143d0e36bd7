"""Combine relevance, readability and credibility of the documents of a stored run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import psycopg
from psycopg.types.json import Jsonb

from stcollection.cells import HtmlFields
from stcollection.db.connection import vacuum
from stcollection.errors import translate

MISSING = ("mean", "zero")
WEIGHTS: Mapping[str, float] = {"relevance": 0.7, "textstat_fkgl": 0.2, "citation_percentile": 0.1}


@dataclass(frozen=True, kw_only=True)
class Part:
    """One measure of a combination. :param transform: with its arguments, such as ``linear(20,8)``."""

    measure: str
    weight: float
    transform: str


@dataclass(frozen=True, kw_only=True)
class Combined(HtmlFields):
    """A run combined from relevance and other measures.

    :param run: name of the run. :param ranked: number of its documents, over all queries. :param parts: combined measures.
    """

    run: str
    queries: int
    ranked: int
    parts: list[Part]


@translate()
def combine(
    conn: psycopg.Connection,
    *,
    run: str,
    name: str | None,
    weights: Mapping[str, float] = WEIGHTS,
    transforms: Mapping[str, str] | None = None,
    missing: str = "mean",
    depth: int = 1000,
    replace: bool = False,
) -> Combined:
    """Score the documents of a stored run by a weighted combination of measures, in [0, 1].

    A new run is ranked by the combined score (sql/retrieval/combine_run.sql). Without a name, the score is stored as comb_score of
    the run itself, whose ranking does not change (sql/retrieval/combine_keep.sql). Ends with VACUUM (ANALYZE) of ranked_lists,
    unless the caller is in a transaction.

    :param name: name of the new run; None adds the scores to the source run.
    :param weights: weight per measure (sql/retrieval/combine_measures.sql), 0 or more; only their proportions matter.
    :param transforms: transform of each measure into [0, 1] (sql/retrieval/combine_plan.sql); measures have defaults.
    :param missing: one of MISSING: replace a missing value by the mean over the query's documents, or by 0.
    :param depth: maximum number of documents per query of a new run.
    :param replace: replace a stored run with this name; without a name, replace the comb_scores that the run already has.
    :raises UnknownObject: the run or a measure does not exist.
    :raises BadArgument: the name is taken, or an argument is out of range.
    :raises StateError: a measure has no value for any document of the run, because it was not computed yet.
    """
    stated = [Jsonb(dict(weights)), Jsonb(dict(transforms or {}))]
    with conn.transaction():
        if name is None:
            row = conn.execute(
                "SELECT queries, ranked FROM stc.combine_keep(%s, %s, %s, %s, %s)", [run, *stated, missing, replace]
            ).fetchone()
        else:
            row = conn.execute(
                "SELECT queries, ranked FROM combine_run(%s, %s, %s, %s, %s, %s, %s)",
                [name, run, *stated, missing, depth, replace],
            ).fetchone()
        parts = [
            Part(measure=measure, weight=weight, transform=transform)
            for measure, weight, transform in conn.execute(
                "SELECT measure, weight, transform FROM stc.combine_plan(%s, %s)", stated
            )
        ]
    vacuum(conn, "stc.ranked_lists")
    queries, ranked = row or (0, 0)
    return Combined(run=run if name is None else name, queries=queries, ranked=ranked, parts=parts)

"""Relevance, readability and credibility of a stored run, combined as stated."""

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
    """One measure of a combination. :param transform: in full, as ``linear(20,8)``."""

    measure: str
    weight: float
    transform: str


@dataclass(frozen=True, kw_only=True)
class Combined(HtmlFields):
    """A run that was combined from relevance and other measures.

    :param run: what has the combined scores. :param ranked: its documents, of all queries. :param parts: what was combined.
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
    """Score the documents of a stored run by a stated combination, in [0, 1], for all queries in one statement.

    A new run is ranked by the combined score (sql/retrieval/combine_run.sql). Without a name the run itself gets it as its
    comb_score, and stays ranked by relevance (sql/retrieval/combine_keep.sql). Ends with VACUUM (ANALYZE) of st1_rankings; if the
    caller is in no transaction.

    :param name: of the new run; None keeps the run.
    :param weights: of measures (sql/retrieval/combine_measures.sql), 0 or more; only their proportions matter.
    :param transforms: of measures into [0, 1] (sql/retrieval/combine_plan.sql); a measure that it does not name has its own.
    :param missing: one of MISSING: what stands for a value that a document has not, the mean of the query's documents or 0.
    :param depth: documents a query of a new run at most.
    :param replace: put the run in the place of a stored one of that name; without a name, the scores in that of those it came with.
    :raises UnknownObject: no such run or measure.
    :raises BadArgument: the name is taken, or an argument is out of its range.
    :raises StateError: no document of the run has a measure: it was not computed yet.
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
    vacuum(conn, "st1_rankings")
    queries, ranked = row or (0, 0)
    return Combined(run=run if name is None else name, queries=queries, ranked=ranked, parts=parts)

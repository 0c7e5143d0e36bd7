"""Combine relevance, readability and credibility of the documents of a stored run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import psycopg
from psycopg.types.json import Jsonb

from stcollection.cells import HtmlFields
from stcollection.db.connection import vacuum
from stcollection.declared import AllowedRange, Option, declare, finite, read_pairs
from stcollection.errors import translate

WEIGHTS: Mapping[str, float] = {"relevance": 0.7, "textstat_fkgl": 0.2, "citation_percentile": 0.1}
Missing = Annotated[
    Literal["mean", "zero"] | str,
    Option(help="Value for documents without the measure: the mean over the query's documents, or zero, the worst value."),
]
Transforms = Annotated[
    Mapping[str, str] | None,
    Option(
        "-t",
        each="transform",
        metavar="MEASURE=HOW",
        help="Transform of a measure to [0, 1]: linear(20,8), log(0,1000), logistic(12,-2), percentile(more), percentile(less); "
        "for relevance: minmax, rank, reciprocal(60). Repeatable.",
        default="each measure's own; see docs/howto/readability.md",
        reads=read_pairs(str, "MEASURE=HOW"),
    ),
]


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


@declare
@translate()
def combine(
    conn: psycopg.Connection,
    run: Annotated[str, Option("RUN")],
    name: str | None = None,
    *,
    weights: Annotated[
        Mapping[str, float],
        Option(
            "-w",
            each="weight",
            metavar="MEASURE=WEIGHT",
            default=" ".join(f"{measure}={weight:g}" for measure, weight in WEIGHTS.items()),
            reads=read_pairs(finite, "MEASURE=WEIGHT"),
        ),
    ] = WEIGHTS,
    transforms: Transforms = None,
    missing: Missing = "mean",
    depth: Annotated[int, AllowedRange(ge=1)] = 1000,
    replace: bool = False,
) -> Combined:
    """Score the documents of a stored run by a weighted combination of measures, in [0, 1].

    A new run is ranked by the combined score (sql/retrieval/combine_run.sql). Without a name, the score is stored as comb_score of
    the run itself, whose ranking does not change (sql/retrieval/combine_keep.sql). Ends with VACUUM (ANALYZE) of ranked_lists,
    unless the caller is in a transaction.

    :param run: Stored run. :param name: Name of the new run.
    :param weights: Weight of a measure or of relevance. Only proportions matter. Repeatable.
    :param depth: Number of documents per query in the new run.
    :param replace: Replace a stored run with this name; without a new run, replace the comb_score that RUN was imported with.
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

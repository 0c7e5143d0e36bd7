"""Fuse stored runs into a new run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import psycopg
from psycopg.types.json import Jsonb

from stcollection.cells import HtmlFields
from stcollection.counts import counted
from stcollection.db.connection import vacuum
from stcollection.declared import AllowedRange, Option, check_fields, declare, finite, read_pairs
from stcollection.errors import BadArgument, translate

Method = Literal["rrf", "sum", "mnz"]
Norm = Literal["minmax", "zscore", "rank", "none"]
Depth = Annotated[int, AllowedRange(ge=1)]
ByDocument = Annotated[
    str | None,
    Option(
        metavar="DELIMITER",
        help="Count passages for their document, the best of each: D1#3, with DELIMITER #, is a passage of D1. Alone and of one"
        " source.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class NewRun:
    """Name and options of a run to be stored.

    :param name: Name of the new run. :param depth: Number of documents per query.
    :param replace: Replace a stored run with this name.
    """

    name: str
    depth: Depth = 1000
    replace: bool = False

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, kw_only=True)
class FusionRule:
    """Method that fuses the rankings of several runs.

    :param method: Fusion method: reciprocal rank fusion, weighted sum of normalised scores, or that sum times the number of runs
        with the document.
    :param norm: Normalisation of scores, for sum and mnz. :param constant: Constant k of reciprocal rank fusion.
    """

    method: Method | str = "rrf"
    norm: Norm | str = "minmax"
    constant: Annotated[int, AllowedRange(ge=0)] = 60

    def __post_init__(self) -> None:
        check_fields(self)


RECIPROCAL_RANKS = FusionRule()


@dataclass(frozen=True, kw_only=True)
class Fused(HtmlFields):
    """A run fused from others.

    :param queries: number of queries with a ranking. :param ranked: number of documents in the new run, over all queries.
    :param whole: by document, number of ranked documents that are no passages.
    """

    run: str
    queries: int
    ranked: int
    whole: int = 0


@declare
@translate()
def fuse(
    conn: psycopg.Connection,
    *,
    name: str,
    runs: Annotated[Sequence[str], Option("RUN...")],
    rule: FusionRule = RECIPROCAL_RANKS,
    weights: Annotated[
        Mapping[str, float] | None,
        Option("-w", each="weight", metavar="RUN=WEIGHT", default="1 for all", reads=read_pairs(finite, "RUN=WEIGHT")),
    ] = None,
    depth: Depth = 1000,
    replace: bool = False,
    by_document: ByDocument = None,
) -> Fused:
    """Fuse several stored runs into a new run.

    Fuses query by query (sql/retrieval/fuse_runs.sql), or ranks the documents of passages (sql/runs/run_by_document.sql). Ends with
    VACUUM (ANALYZE) of ranked_lists, unless the caller is in a transaction.

    :param name: Name of the new run. :param runs: Stored runs.
    :param weights: Weight of a run; give one for each run; 0 leaves it out. Repeatable.
    :param depth: Number of documents per query. :param replace: Replace a stored run with this name.
    :raises UnknownObject: a run is not stored.
    :raises BadArgument: the name is taken, or an argument is out of range.
    :raises StateError: there is nothing to fuse.
    """
    weighted = None if weights is None else Jsonb(dict(weights))
    with conn.transaction():
        if by_document is not None:
            alone(by_document, runs, weights is None and rule == RECIPROCAL_RANKS)
            row = conn.execute(
                "SELECT queries, ranked, whole FROM stc.run_by_document(%s, %s, %s, %s, %s)",
                [name, runs[0], by_document, depth, replace],
            ).fetchone()
        else:
            row = conn.execute(
                "SELECT queries, ranked, 0 FROM fuse_runs(%s, %s, %s, %s, %s, %s, %s, %s)",
                [name, list(runs), rule.method, rule.norm, weighted, rule.constant, depth, replace],
            ).fetchone()
    vacuum(conn, "stc.ranked_lists")
    queries, ranked, whole = row or (0, 0, 0)
    return Fused(run=name, queries=queries, ranked=ranked, whole=whole)


def alone(delimiter: str, sources: Sequence[str], plain: bool) -> None:
    """Check that passages of one source are combined, and nothing else is done. :raises BadArgument: they are not."""
    if len(sources) != 1 or not plain:
        what = counted(len(sources), "source") if len(sources) != 1 else "other options that change scores or grades"
        raise BadArgument(
            f"by-document {delimiter!r} cannot be combined with {what}",
            hint="Combine the passages first, then count the result by document.",
        )

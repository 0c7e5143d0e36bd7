"""Find the Pareto front of relevance, readability and credibility for one query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.declared import AllowedRange, Option, RecordTable, check_fields, declare
from stcollection.errors import translate
from stcollection.retrieval import System
from stcollection.retrieval.filters import Filter, TypedFilter, read_filter
from stcollection.retrieval.pipelines import pipeline, rank
from stcollection.retrieval.search import EmbeddingModel
from stcollection.retrieval.systems import model_of, needs_vector
from stcollection.vectors.queries import query_vector, short

MEASURES = ("relevance", "textstat_fkgl", "citation_percentile")


@dataclass(frozen=True, kw_only=True)
class ParetoOptions:
    """Number of documents to compare, measures to compare by, and fronts to return.

    :param k: Number of top documents to compare.
    :param measures: Measure to compare by; age:less or age:more sets the direction. Repeatable.
    :param fronts: Number of Pareto fronts to show. Front 2 has the documents that only front 1 dominates.
    """

    measures: Annotated[Sequence[str], Option("-m", each="measure", metavar="MEASURE")] = MEASURES
    k: Annotated[int, AllowedRange(ge=1), Option("-k")] = 100
    fronts: Annotated[int | None, AllowedRange(ge=1)] = 1  # None: all

    def __post_init__(self) -> None:
        check_fields(self)


FIRST_FRONT = ParetoOptions()


@dataclass(frozen=True, kw_only=True)
class Undominated:
    """A document and its front.

    :param front: 1 if no document dominates this one (as good by every measure, better by one), 2 if only front 1 does, …
    :param rank: in the ranking, from 1. :param doc: dblp.id. :param docno: external name of the document.
    :param measured: values in the order of the measures; None if the document has no value.
    """

    front: int
    rank: int
    score: float
    doc: int
    docno: str
    title: str | None
    measured: list[float | None]


@declare
@translate()
def pareto(
    conn: psycopg.Connection,
    query: Annotated[str, Option("QUERY")],
    *,
    run: Annotated[str | None, Option(default="search for the text QUERY")] = None,
    system: System = "hybrid",
    options: ParetoOptions = FIRST_FRONT,
    filter: TypedFilter | Filter | None = None,  # noqa: A002
    model: EmbeddingModel = None,
) -> RecordTable[Undominated]:
    """Show the top documents for a QUERY that no other document dominates in relevance, readability and credibility.

    A document is dominated if another one is at least as good by every measure and better by one. There are no weights to tune.

    :param query: The text to search for. :param run: Stored run; QUERY is then the name of a stored query.
    :param system: System that ranks the documents, without a run.
    :returns: front, rank, the measures, docno and title, by front and rank (sql/retrieval/pareto_front.sql).
    :raises UnknownObject: unknown run, query, system or measure. :raises BadArgument: an argument is out of range.
    :raises StateError: there is no text index, or there are no vectors.
    """
    conditions = read_filter(conn, filter)
    vector, docs, scores = None, None, None
    if run is None and (steps := pipeline(conn, system, model)) is not None:
        docs, scores = rank(conn, steps, query, k=options.k, filter=conditions, model=model)
    elif run is None and needs_vector(conn, system):
        vector = query_vector(conn, query, model=model_of(conn, system, model))
    compared = [query, options.k, list(options.measures), run, system, options.fronts]
    only = None if conditions is None else Jsonb(conditions)
    with conn.transaction(), conn.cursor(row_factory=class_row(Undominated)) as cursor:
        rows = cursor.execute(
            "SELECT * FROM pareto_front(%s, %s, %s, %s, %s, %s, %s::vector, %s, %s, %s, %s)",
            [*compared, vector, only, short(model), docs, scores],
        ).fetchall()
    names = dict.fromkeys((measure.partition(":")[0] for measure in options.measures), float)
    return RecordTable(
        rows,
        columns={"front": int, "rank": int, **names, "docno": str, "title": str},
        cells=lambda row: (row.front, row.rank, *row.measured, row.docno, row.title),
    )

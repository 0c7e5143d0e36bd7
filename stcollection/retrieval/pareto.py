"""Find the Pareto front of relevance, readability and credibility for one query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.errors import translate
from stcollection.retrieval import EMBEDDING
from stcollection.retrieval.filters import Filter
from stcollection.vectors.model import Encoder
from stcollection.vectors.queries import query_vector, short

MEASURES = ("relevance", "textstat_fkgl", "citation_percentile")


@dataclass(frozen=True, kw_only=True)
class ParetoOptions:
    """Number of documents to compare, measures to compare by, and fronts to return.

    :param k: number of documents to compare, from the top of the ranking.
    :param measures: measures of sql/retrieval/combine_measures.sql; ``:more`` or ``:less`` after a name sets the direction.
    :param fronts: number of fronts to return; None returns all.
    """

    measures: Sequence[str] = MEASURES
    k: int = 100
    fronts: int | None = 1


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


@translate()
def pareto(
    conn: psycopg.Connection,
    query: str,
    *,
    run: str | None = None,
    system: str = "hybrid",
    options: ParetoOptions = FIRST_FRONT,
    filter: Filter | None = None,  # noqa: A002
    model: str | Encoder | None = None,
) -> list[Undominated]:
    """Return the non-dominated documents for a query, ordered by front and rank (sql/retrieval/pareto_front.sql).

    :param query: with a run, the id of a stored query; without a run, the text that the system searches for.
    :param filter: compare only documents that match it. :param model: embedding model, as for search.
    :raises UnknownObject: unknown run, query, system or measure. :raises BadArgument: an argument is out of range.
    :raises StateError: there is no text index, or there are no vectors.
    """
    vector = query_vector(conn, query, model=model) if run is None and system in EMBEDDING else None
    compared = [query, options.k, list(options.measures), run, system, options.fronts]
    only = None if filter is None else Jsonb(filter)
    with conn.transaction(), conn.cursor(row_factory=class_row(Undominated)) as cursor:
        return cursor.execute(
            "SELECT * FROM pareto_front(%s, %s, %s, %s, %s, %s, %s::vector, %s, %s)", [*compared, vector, only, short(model)]
        ).fetchall()

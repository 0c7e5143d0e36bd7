"""The Pareto front of relevance, readability and credibility, for one query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.errors import translate
from stcollection.moved import grouped
from stcollection.retrieval import EMBEDDING
from stcollection.retrieval.filters import Filter
from stcollection.vectors.model import Encoder
from stcollection.vectors.queries import query_vector, short

MEASURES = ("relevance", "textstat_fkgl", "citation_percentile")


@dataclass(frozen=True, kw_only=True)
class ParetoOptions:
    """Which documents are compared, by what, and which of them are returned.

    :param k: documents that are compared: the first k.
    :param measures: of sql/retrieval/combine_measures.sql; ``:more`` and ``:less`` after a name say another direction.
    :param fronts: fronts up to this one; None is all.
    """

    measures: Sequence[str] = MEASURES
    k: int = 100
    fronts: int | None = 1


FIRST_FRONT = ParetoOptions()


@dataclass(frozen=True, kw_only=True)
class Undominated:
    """A document and where it stands.

    :param front: 1 where no document is as good by every measure and better by one, 2 where none is but those of front 1, …
    :param rank: in the ranking, from 1. :param doc: dblp.id. :param docno: the name the outside world uses.
    :param measured: the values, in the order of the measures; None where the document does not say.
    """

    front: int
    rank: int
    score: float
    doc: int
    docno: str
    title: str | None
    measured: list[float | None]


@grouped(options=ParetoOptions)
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
    """The documents for a query that none dominates, by front, then by rank (sql/retrieval/pareto_front.sql).

    :param query: with a run the name of a stored query, without one the text itself, for which the system ranks.
    :param filter: only documents that it lets through. :param model: of embeddings, as for search.
    :raises UnknownObject: no such run, query, system, measure. :raises BadArgument: an argument out of its range.
    :raises StateError: there is no text index, or there are no vectors.
    """
    vector = query_vector(conn, query, model=model) if run is None and system in EMBEDDING else None
    compared = [query, options.k, list(options.measures), run, system, options.fronts]
    only = None if filter is None else Jsonb(filter)
    with conn.transaction(), conn.cursor(row_factory=class_row(Undominated)) as cursor:
        return cursor.execute(
            "SELECT * FROM pareto_front(%s, %s, %s, %s, %s, %s, %s::vector, %s, %s)", [*compared, vector, only, short(model)]
        ).fetchall()

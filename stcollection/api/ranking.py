"""Rankings for queries: the only module of the API with SQL for retrieval. One statement ranks all queries of a call."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, LiteralString, NamedTuple

import psycopg

from stcollection.errors import translate
from stcollection.retrieval import EMBEDDING
from stcollection.retrieval.filters import Filter
from stcollection.vectors.queries import accept_vector_arrays, query_vectors

_QUERIES: LiteralString = """
  FROM unnest(%(texts)s::text[], %(vectors)b::vector[]) WITH ORDINALITY q (text, v, place)
 CROSS JOIN LATERAL """

# Ranks documents for a query q (text, vector v).
_RANKING: LiteralString = "system_search(q.text, %(system)s, %(k)s, q.v, %(filter)s, %(model)s)"


class ResultLine(NamedTuple):
    """A retrieved document with title and snippet.

    :param rank: from 1. :param snippet: the sentence of the abstract with the most words of the query.
    """

    rank: int
    score: float
    docno: str
    year: int | None
    title: str | None
    snippet: str | None
    abstract: str | None


@translate()
def rank(
    conn: psycopg.Connection, queries: Sequence[str], *, system: str, k: int, filter: Filter | None = None, model: str | None = None
) -> list[tuple[int, str, int, float]]:
    """Return the k best documents for each query, in one statement.

    :param system: one of ``retrieval.SYSTEMS``.
    :param filter: restricts the documents, as in ``{"year": [2015, None]}`` (sql/corpus/filter_condition.sql).
    :param model: short name of an embedding model of the collection; None is its default.
    :returns: (index of the query from 0, docno, rank from 1, score), by query and rank.
    :raises UnknownObject: the system or model does not exist.
    :raises BadArgument: k is below 1, or the filter is malformed.
    :raises StateError: the text index or vectors are missing.
    """
    columns: LiteralString = "SELECT (q.place - 1)::integer, d.docno, s.rank, s.score"
    with conn.transaction():
        return conn.execute(
            columns + _QUERIES + _RANKING + " s JOIN dblp d ON d.id = s.doc ORDER BY q.place, s.rank",
            _arguments(conn, queries, system, k, filter, model),
        ).fetchall()


@translate()
def page(
    conn: psycopg.Connection, query: str, *, system: str, k: int, filter: Filter | None = None, model: str | None = None
) -> list[ResultLine]:
    """Return the k best documents for one query with title and snippet. Arguments and errors as for :func:`rank`."""
    lines: LiteralString = """
        SELECT p.rank, p.score, p.docno, p.year, p.title, p.snippet, t.abstract"""
    paged: LiteralString = """ stc.search_page(q.text, %(system)s, %(k)s, q.v, %(filter)s, %(model)s) p
          LEFT JOIN dblp_text t ON t.id = p.doc ORDER BY p.rank"""
    with conn.transaction():
        return [
            ResultLine(*row) for row in conn.execute(lines + _QUERIES + paged, _arguments(conn, [query], system, k, filter, model))
        ]


def _arguments(
    conn: psycopg.Connection, queries: Sequence[str], system: str, k: int, narrowing: Filter | None, model: str | None
) -> dict[str, Any]:
    """Return the parameters of the ranking statement."""
    found = query_vectors(conn, queries, model=model) if system in EMBEDDING and queries else None
    if found is not None:
        accept_vector_arrays(conn)
    narrowed = json.dumps(dict(narrowing)) if narrowing else None
    return {"texts": list(queries), "vectors": found, "system": system, "k": k, "model": model, "filter": narrowed}

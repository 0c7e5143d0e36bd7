"""One query, answered for a reader."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg
from psycopg.rows import class_row

from stcollection.errors import translate
from stcollection.retrieval import EMBEDDING
from stcollection.vectors.model import Encoder
from stcollection.vectors.queries import query_vector


@dataclass(frozen=True, kw_only=True)
class Found:
    """A document found.

    :param rank: from 1. :param doc: dblp.id. :param docno: the name the outside world uses.
    :param snippet: the sentence of the abstract with the most words of the query; None without an abstract.
    """

    rank: int
    score: float
    doc: int
    docno: str
    year: int | None
    title: str | None
    snippet: str | None


@translate()
def search(
    conn: psycopg.Connection, text: str, *, system: str = "hybrid", k: int = 10, model: Encoder | None = None
) -> list[Found]:
    """The k best documents for a query, best first.

    The text is embedded here if the system needs it and its vector is not remembered.

    :param system: one of ``retrieval.SYSTEMS``.
    :param model: the default model, where it is in memory already.
    :raises UnknownObject: there is no such system.
    :raises BadArgument: k is below 1.
    :raises StateError: there is no text index, or there are no vectors.
    """
    vector = query_vector(conn, text, model=model) if system in EMBEDDING else None
    with conn.transaction(), conn.cursor(row_factory=class_row(Found)) as cursor:
        return cursor.execute("SELECT * FROM search_page(%s, %s, %s, %s::vector)", [text, system, k, vector]).fetchall()

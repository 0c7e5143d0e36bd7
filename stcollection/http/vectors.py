"""The service ``/stvir_test``: documents whose titles or abstracts are nearest to a phrase."""

from __future__ import annotations

from typing import Any

import psycopg
from pgvector import Vector
from psycopg.rows import dict_row

from stcollection.http.limits import SIZE, checked_number, checked_text, refused
from stcollection.vectors.queries import accept_vectors

CORPORA = ("title", "abstract")


def checked(corpus: str | None, phrase: str | None, length: str | None) -> tuple[str, str, int]:
    """Check and return the arguments. :param length: number of documents, by default 10. :raises BadArgument: one is invalid."""
    if corpus not in CORPORA:
        raise refused(f"corpus is {str(corpus)[:40]!r}", f"Use {' or '.join(CORPORA)}.")
    if phrase is None or not phrase.strip():
        raise refused("phrase is blank", "Add text: phrase=voice+assistants.")
    k = checked_number(10 if length is None else length, "length", 1, SIZE)
    return corpus, checked_text(phrase, "phrase"), k


def nearest(conn: psycopg.Connection, corpus: str, vector: Vector, k: int) -> list[dict[str, Any]]:
    """Return the nearest documents, nearest first: rank, id (docno), score (cosine), distance (negative cosine), title.

    :raises StateError: no vectors are stored.
    """
    with conn.transaction(), accept_vectors(conn).cursor(row_factory=dict_row) as cursor:
        return cursor.execute(
            "SELECT s.rank, d.docno AS id, s.score, 0 - s.score AS distance, t.title FROM dense_search(%s::vector, %s, %s) s"
            " JOIN dblp d ON d.id = s.doc LEFT JOIN dblp_text t ON t.id = s.doc ORDER BY s.rank",
            [vector, k, corpus],
        ).fetchall()

"""The demo's synthetic queries: with their origins, their sources and their judgments."""

from __future__ import annotations

from typing import NamedTuple

import psycopg

from stcollection import demo
from stcollection.errors import translate
from stcollection.qrels.load import import_qrels
from stcollection.topics.load import load

_SOURCES = """
UPDATE st1_queries q SET source = j.doc
  FROM qrels j JOIN qrels_editions e ON e.id = j.edition
 WHERE e.edition = %s AND j.query = q.id AND q.origin <> 'human' AND q.source IS NULL
"""


class Loaded(NamedTuple):
    """What is there afterwards: queries by origin, judgments in each edition."""

    queries: dict[str, int]
    judgments: dict[str, int]


@translate()
def load_queries(conn: psycopg.Connection) -> Loaded:
    """Store the synthetic queries and the editions ``study`` and ``sparse``, all or nothing; a second time changes nothing.

    The systems must run after it, so that they answer these queries too.

    :raises BadInput: a query of that name with another text is stored.
    """
    with conn.transaction():
        queries = {origin: load(conn, [path], origin=origin).queries for origin, path in demo.SYNTHETIC.items()}
        for path in demo.study_qrels():
            import_qrels(conn, path, edition=demo.STUDY, annotator="first")
        import_qrels(conn, demo.sparse_qrels(), edition=demo.SPARSE)
        conn.execute(_SOURCES, [demo.SPARSE])
        rows = conn.execute(
            "SELECT edition, judgments FROM edition_overview WHERE edition = ANY (%s)", [[demo.STUDY, demo.SPARSE]]
        ).fetchall()
    return Loaded(queries=queries, judgments=dict(rows))

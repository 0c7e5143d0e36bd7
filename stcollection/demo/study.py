"""Load the demo's synthetic queries with their origins, sources and judgments."""

from __future__ import annotations

from typing import NamedTuple

import psycopg

from stcollection import demo
from stcollection.errors import translate
from stcollection.qrels.load import JudgmentOptions, import_qrels
from stcollection.topics.load import load
from stcollection.topics.origins import set_origins


class LoadedDemo(NamedTuple):
    """What the collection contains after loading: queries by origin, judgments by edition."""

    queries: dict[str, int]
    judgments: dict[str, int]


@translate()
def load_queries(conn: psycopg.Connection) -> LoadedDemo:
    """Store the synthetic queries and the editions ``study`` and ``sparse``, all or nothing. Repeating it changes nothing.

    Run the systems afterwards, so that their runs cover these queries.

    :raises BadInput: a query with the same name and another text is stored.
    """
    with conn.transaction():
        load(conn, [demo.SYNTHETIC])
        queries = set_origins(conn, demo.ORIGINS).origins
        for path in demo.study_qrels():
            import_qrels(conn, path, edition=demo.STUDY, options=JudgmentOptions(annotator="first", simulated=True))
        import_qrels(conn, demo.sparse_qrels(), edition=demo.SPARSE, options=JudgmentOptions(simulated=True))
        rows = conn.execute(
            "SELECT edition, judgments FROM edition_overview WHERE edition = ANY (%s)", [[demo.STUDY, demo.SPARSE]]
        ).fetchall()
    return LoadedDemo(queries=queries, judgments=dict(rows))

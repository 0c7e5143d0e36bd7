"""The demo's synthetic queries: with their origins, their sources and their judgments."""

from __future__ import annotations

from typing import NamedTuple

import psycopg

from stcollection import demo
from stcollection.errors import translate
from stcollection.qrels.load import JudgmentOptions, import_qrels
from stcollection.topics.load import load
from stcollection.topics.origins import set_origins


class LoadedDemo(NamedTuple):
    """What is there afterwards: queries by origin, judgments in each edition."""

    queries: dict[str, int]
    judgments: dict[str, int]


@translate()
def load_queries(conn: psycopg.Connection) -> LoadedDemo:
    """Store the synthetic queries and the editions ``study`` and ``sparse``, all or nothing; a second time changes nothing.

    The systems must run after it, so that they answer these queries too.

    :raises BadInput: a query of that name with another text is stored.
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

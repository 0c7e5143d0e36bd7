"""A small collection by hand, behind the Python face; and the demo."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

# Where ir_datasets looks for files, and writes; read when it is imported.
os.environ["IR_DATASETS_HOME"] = tempfile.mkdtemp(prefix="ir_datasets_")

import psycopg
import pytest

from stcollection.api.collection import Collection
from stcollection.db.settings import Settings
from tests.databases import world
from tests.homes import demo_collection
from tests.text.documents import build, put

atexit.register(shutil.rmtree, os.environ["IR_DATASETS_HOME"], ignore_errors=True)

DEMO = "stc_face_demo"
DOCUMENTS = {
    1: ("Voice assistants at home", "This is about homes. Voice assistants listen to all of it, e.g. at night. They never sleep."),
    2: ("Voice assistants", None),
    3: ("Privacy of assistants", "Assistants and privacy. Homes have a voice & ears."),
    4: ("Graphs", "Nothing of that kind."),
    5: ("Listening homes", "Homes listen. A voice in each of them."),
}
QUERIES = {"q1": "voice assistants", "q2": "privacy at home", "q3": "graphs"}
JUDGMENTS = {"q1": {"1": 2, "X-2": 0, "3": 1}, "q2": {"3": 2, "5": 1}}


@world
def filled(conn: psycopg.Connection) -> None:
    """Five documents and a stub, three queries, the edition 'train' of two of them, and a decoy edition."""
    put(conn, DOCUMENTS, {2: "X-2"})
    conn.execute("INSERT INTO dblp (id, docno, doc, stub) VALUES (90, 'stub', '{}', true)")
    conn.execute(
        "UPDATE dblp SET doc = v.doc FROM unnest(%s::bigint[], %s::jsonb[]) v (id, doc) WHERE dblp.id = v.id",
        [[1, 3], ['{"year": 2021, "venue": {"raw": "SIGIR"}}', '{"year": 1999}']],
    )
    build(conn, "portable")
    conn.execute(
        "INSERT INTO st1_queries (query, text) SELECT * FROM unnest(%s::text[], %s::text[])",
        [list(QUERIES), list(QUERIES.values())],
    )
    conn.execute("INSERT INTO st1_queries (query) VALUES ('known by name alone')")
    for edition, judgments in {"train": JUDGMENTS, "decoy": {"q3": {"4": 1, "1": 2}}}.items():
        conn.execute("SELECT stc.stage_incoming()")
        with conn.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO pg_temp.incoming (query, docno, rel) VALUES (%s, %s, %s)",
                [(query, docno, rel) for query, docs in judgments.items() for docno, rel in docs.items()],
            )
        conn.execute("SELECT stc.import_qrels(%s)", [edition])


@pytest.fixture
def small(filled: psycopg.Connection, settings: Settings) -> Iterator[Collection]:
    with Collection(settings) as collection:
        yield collection


@pytest.fixture(scope="session")
def demo_settings(server: Settings, made_demo: Callable[[], Path]) -> Iterator[Settings]:
    """The demo collection, made by ``stc demo``."""
    with demo_collection(server, made_demo, DEMO) as settings:
        yield settings


@pytest.fixture
def demo(demo_settings: Settings) -> Iterator[Collection]:
    """The demo, for tests that do not change it."""
    with Collection(demo_settings) as collection:
        yield collection

"""A network that is cut during searches and a load: an error soon, never a part of an answer, nothing half-written."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from stcollection.corpus.load import load
from stcollection.db import distribution
from stcollection.db.connection import connect, conninfo
from stcollection.db.settings import Settings
from stcollection.errors import DatabaseError
from tests.cluster.conftest import NewDatabase
from tests.cluster.servers import Cluster
from tools.proxy import Line, line

_SECONDS = 30
_MOVE = "SELECT citus_update_node(nodeid, nodename, %s) FROM pg_dist_node WHERE nodeport = %s"
_SEARCH = "SELECT * FROM boolean_search('voice', 15)"


@pytest.fixture
def settings(filled_collection: NewDatabase) -> Settings:
    made = filled_collection()
    distribution.distribute(made, shards=6)
    return made


@pytest.fixture
def cable(cluster: Cluster, settings: Settings) -> Iterator[Line]:
    """The line between the servers and the second worker."""
    port = cluster.ports[2]
    with line(port) as made:
        with connect(settings, autocommit=True) as conn:
            conn.execute(_MOVE, [made.port, port])
        yield made


def _mend(cluster: Cluster, settings: Settings, cable: Line) -> None:
    with connect(settings, autocommit=True) as conn:
        conn.execute(_MOVE, [cluster.ports[2], cable.port])
        conn.execute("SELECT recover_prepared_transactions()")


def _search(conn: psycopg.Connection, whole: list[tuple[object, ...]]) -> None:
    """Search until an error; each answer is complete."""
    began = time.monotonic()
    while time.monotonic() < began + _SECONDS:
        assert conn.execute(_SEARCH.encode()).fetchall() == whole


def test_in_the_middle_of_searches(cluster: Cluster, settings: Settings, cable: Line) -> None:
    with connect(settings, autocommit=True) as conn:
        whole = conn.execute(_SEARCH.encode()).fetchall()
        timer = threading.Timer(0.5, cable.cut)
        timer.start()
        began = time.monotonic()
        with pytest.raises(psycopg.Error, match=r"connection|127\.0\.0\.1"):
            _search(conn, whole)
        assert time.monotonic() - began < _SECONDS
        with pytest.raises(psycopg.Error, match=str(cable.port)):
            conn.execute(_SEARCH.encode())
        _mend(cluster, settings, cable)
        assert conn.execute(_SEARCH.encode()).fetchall() == whole


def test_in_the_middle_of_a_load(cluster: Cluster, settings: Settings, cable: Line, tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    text = "voice assistant privacy river " * 20
    path.write_text("\n".join(json.dumps({"id": f"n{i}", "title": f"On {i}", "abstract": f"{text} {i}"}) for i in range(6000)))
    stored = "SELECT coalesce(sum(documents), 0)::bigint FROM stc.corpus_chunks"
    failed: list[DatabaseError] = []

    def run() -> None:
        try:
            load(conninfo(settings), [str(path)])
        except DatabaseError as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    with connect(settings, autocommit=True) as conn:
        thread.start()
        began = time.monotonic()
        while conn.execute(stored.encode()).fetchone() == (0,) and time.monotonic() < began + _SECONDS:
            time.sleep(0.01)
        cable.cut()
        thread.join(_SECONDS)
        assert not thread.is_alive()
        assert len(failed) == 1
        _mend(cluster, settings, cable)
        counted = (
            "SELECT count(*), count(t.id), count(f.id) FROM dblp d LEFT JOIN dblp_text t USING (id)"
            " LEFT JOIN dblp_facts f USING (id) WHERE d.docno ~ '^n'"
        )
        [(documents, texts, facts)] = conn.execute(counted.encode()).fetchall()
        assert 0 < documents < 6000
        assert (documents,) * 3 == (documents, texts, facts)
        assert conn.execute(stored.encode()).fetchone() == (documents,)
        done = load(conninfo(settings), [str(path)])[0]
        assert (done.documents, done.duplicates, done.rejects) == (6000, 0, 0)
        assert conn.execute(counted.encode()).fetchall() == [(6000, 6000, 6000)]

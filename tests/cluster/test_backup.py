"""stc db dump and restore of a distributed collection: to one server and back to several, with the same rows and scores."""

from __future__ import annotations

import threading
from pathlib import Path

import psycopg
import pytest
import zstandard
from click.testing import CliRunner

from stcollection.corpus.load import load
from stcollection.db import distribution
from stcollection.db.backup import inventory, rows
from stcollection.db.backup import restore as restoring
from stcollection.db.backup.dump import Dumped, dump
from stcollection.db.backup.restore import restore
from stcollection.db.check import problems
from stcollection.db.connection import connect, conninfo
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError
from tests.cluster.answers import Answers, answers, differing, made
from tests.cluster.conftest import NewDatabase
from tests.cluster.servers import Cluster
from tests.groups import db


@pytest.fixture(scope="module")
def settings(filled_collection: NewDatabase, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A distributed collection with documents that were loaded afterwards, and a vector index."""
    made = filled_collection()
    distribution.distribute(made, shards=6)
    path = tmp_path_factory.mktemp("corpus") / "late.jsonl"
    path.write_text('{"id": "late", "title": "On voice", "text": "A river at home"}\n')
    load(conninfo(made), [str(path)])
    with connect(made, autocommit=True) as conn:
        conn.execute("CALL stc.index_text()")
        conn.execute("CALL stc.index_vectors('title', lists => 12)")
    return made


@pytest.fixture(scope="module")
def before(settings: Settings) -> Answers:
    with connect(settings, autocommit=True) as conn:
        return answers(conn) | made(conn)


@pytest.fixture(scope="module")
def dumped(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Dumped:
    return dump(settings, tmp_path_factory.mktemp("dump") / "mine")


def test_the_dump_is_that_of_one_server(dumped: Dumped) -> None:
    assert dumped.manifest.tables["public.dblp"] == 241
    assert dumped.manifest.sequences["dblp_passages_id_seq"] == 192
    with zstandard.open(dumped.folder / rows.file_name("vector_indexes"), "rt") as file:
        row = dict(zip(dumped.manifest.columns["vector_indexes"], file.read().rstrip("\n").split("\t"), strict=True))
    assert row["lists"] == "12"


def test_restored_to_one_server(settings: Settings, dumped: Dumped, before: Answers, cluster: Cluster) -> None:
    alone = Settings(db="stc_restored", home=settings.home, dsn=cluster.dsn("stc_restored"))
    done = restore(alone, dumped.folder)
    assert done.rows == dumped.manifest.rows
    with connect(alone, autocommit=True) as conn:
        assert distribution.state(conn) is None
        assert differing(before, answers(conn) | made(conn)) == []
        assert conn.execute("SELECT lists, kind FROM stc.vector_indexes").fetchall() == [(12, "ivfflat")]
        assert [one for one in problems(conn) if one.problem != "stale index"] == []
        assert conn.execute("INSERT INTO dblp_passages (doc, position, text) VALUES (5, 1, 'x') RETURNING id").fetchone() == (193,)


def test_restored_to_several_servers(
    settings: Settings, dumped: Dumped, before: Answers, new_database: NewDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = new_database()
    # A failed restore leaves a database that is prepared as before.
    with monkeypatch.context() as patch:
        patch.setattr(restoring, "_compare_rows", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            restore(again, dumped.folder, shards=5)
    with connect(again, check=False) as conn:
        assert conn.execute("SELECT to_regclass('public.dblp'), to_regnamespace('stc')").fetchone() == (None, None)
        assert conn.execute("SELECT count(*) FROM pg_dist_partition").fetchone() == (0,)
        assert conn.execute("SELECT count(*) FROM pg_dist_node").fetchone() == (4,)

    done = CliRunner().invoke(db, ["restore", str(dumped.folder), "--db", again.db, "--shards", "5"], obj=again)
    assert done.exit_code == 0, done.output
    assert f"restored {again.db!r}: {dumped.manifest.rows:,} rows" in done.output
    with connect(again, autocommit=True) as conn:
        assert distribution.state(conn) == (9, 5, 3)
        assert differing(before, answers(conn) | made(conn)) == []
        assert conn.execute("SELECT lists FROM stc.vector_indexes").fetchall() == [(3,)]
        assert problems(conn) == []
    with pytest.raises(BadArgument, match=r"not empty|is a collection"):
        restore(again, dumped.folder, shards=5)
    # And back.
    distribution.undistribute(again)
    with connect(again, autocommit=True) as conn:
        assert conn.execute("INSERT INTO dblp_passages (doc, position, text) VALUES (5, 1, 'x') RETURNING id").fetchone() == (193,)


def test_a_database_that_is_not_prepared(settings: Settings, dumped: Dumped, cluster: Cluster) -> None:
    nowhere = Settings(db="stc_missing", home=settings.home, dsn=cluster.dsn("stc_missing"))
    with pytest.raises(StateError, match="there is no database 'stc_missing'"):
        restore(nowhere, dumped.folder, shards=5)


def test_loads_wait_for_a_dump(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a dump could contain some tables of a document and lack others."""
    path = tmp_path / "during.jsonl"
    path.write_text('{"id": "during", "title": "On rivers", "text": "voice"}\n')
    waiting: list[threading.Thread] = []
    lock = inventory.lock

    def begin(conn: psycopg.Connection, found: list[inventory.StoredTable]) -> None:
        lock(conn, found)
        waiting.append(threading.Thread(target=load, args=(conninfo(settings), [str(path)])))
        waiting[0].start()
        with psycopg.connect(settings.dsn or "", autocommit=True) as conn:
            for _ in range(400):
                waits = conn.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted").fetchone()
                if waits != (0,):
                    return
                conn.execute("SELECT pg_sleep(0.05)")
        pytest.fail("the load does not wait")

    monkeypatch.setattr(inventory, "lock", begin)
    done = dump(settings, tmp_path / "dump")
    waiting[0].join()
    assert done.manifest.tables["public.dblp"] == done.manifest.tables["public.dblp_text"] == 241
    with connect(settings) as conn:
        assert conn.execute("SELECT count(*) FROM dblp WHERE docno = 'during'").fetchone() == (1,)

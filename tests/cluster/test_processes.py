"""A server without a free process for Citus: an error with the next step instead of a crash, and no database left behind it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner
from psycopg import sql

from stcollection.db import distribution
from stcollection.db.backup.dump import dump
from stcollection.db.backup.restore import restore
from stcollection.db.collections import create_distributed
from stcollection.db.connection import connect
from stcollection.db.nodes import add_node, rebalance
from stcollection.db.settings import Settings
from stcollection.db.status import status
from stcollection.db.upgrade import upgrade
from stcollection.errors import StateError
from tests.cluster.conftest import _OPTIONS, NewDatabase
from tests.cluster.servers import Cluster, NotHere
from tests.groups import db
from tests.homes import home_folder

# PostgreSQL's own launcher of logical replication, and two databases.
_MOST = {"max_worker_processes": "3", "max_parallel_workers": "0"}


@pytest.fixture(scope="module")
def small() -> Iterator[Cluster]:
    """A coordinator and a worker with processes for two databases."""
    with home_folder() as folder:
        try:
            made = Cluster.create(folder, workers=1, options=_OPTIONS | _MOST)
        except NotHere as reason:
            pytest.skip(str(reason))
        with made.running():
            made.database("first")
            made.database("second")
            with pytest.raises(StateError, match="Citus has no process for the database 'third'"):
                made.database("third")
            yield made


@pytest.fixture
def third(small: Cluster, tmp_path: Path) -> Settings:
    """A database that is prepared on both servers, and for which neither has a process."""
    return Settings(db="third", home=tmp_path, dsn=small.dsn("third"))


def _crashes(cluster: Cluster) -> list[str]:
    logs = [log.read_text() for log in cluster.folder.glob("*/server.log")]
    return [line for log in logs for line in log.splitlines() if "was terminated by signal" in line]


def test_each_command_stops_with_the_next_step(small: Cluster, third: Settings, tmp_path: Path) -> None:
    message = rf"127\.0\.0\.1:{small.ports[0]}.*2 others have theirs, and max_worker_processes is 3"
    with pytest.raises(StateError, match=message) as error:
        create_distributed(third, shards=2)
    assert f"ALTER SYSTEM SET max_worker_processes = 64; on 127.0.0.1:{small.ports[0]}" in (error.value.hint or "")
    with connect(third, check=False) as conn:
        assert conn.execute("SELECT to_regclass('public.dblp')").fetchone() == (None,)
    first = replace(third, db="first", dsn=small.dsn("first"))
    upgrade(first)
    dumped = dump(first, tmp_path / "dump")
    with pytest.raises(StateError, match=message):
        restore(third, dumped.folder, shards=2)
    upgrade(third)
    with pytest.raises(StateError, match=message):
        distribution.distribute(third, shards=2)
    done = CliRunner().invoke(db, ["distribute", "--dry-run"], obj=third)
    assert "not possible yet: Citus has no process for the database 'third'" in done.output
    with psycopg.connect(third.dsn or "", autocommit=True) as conn:
        conn.execute("SELECT citus_remove_node('127.0.0.1', %s)", [small.ports[1]])
    with pytest.raises(StateError, match=message):
        add_node(third, "127.0.0.1", small.ports[1])
    with psycopg.connect(third.dsn or "", autocommit=True) as conn:
        assert conn.execute("SELECT count(*) FROM pg_dist_node WHERE groupid > 0").fetchone() == (0,)
        conn.execute("SELECT citus_add_node('127.0.0.1', %s)", [small.ports[1]])
    assert _crashes(small) == []


def test_status_says_for_how_many_there_is_room(small: Cluster, third: Settings) -> None:
    facts = [fact for what, fact in status(replace(third, db="first", dsn=small.dsn("first"))) if what == "Citus"]
    assert facts == ["has its process for this database, and room for at most 0 other databases (max_worker_processes 3)"]
    told = dict(status(third))["Citus"]
    assert told.startswith(f"has no process for this database on 127.0.0.1:{small.ports[0]}, 127.0.0.1:{small.ports[1]}")


def test_a_worker_without_a_process_is_named(small: Cluster, third: Settings) -> None:
    """The coordinator has one again; the worker does not."""
    with psycopg.connect(small.dsn(), autocommit=True) as conn:
        conn.execute("ALTER SYSTEM SET max_worker_processes = 20")
    small.stop(0)
    small.start()
    with connect(third, autocommit=True, check=False) as conn, pytest.raises(StateError) as error:
        distribution.check_processes(conn)
    assert f"for the database 'third' on 127.0.0.1:{small.ports[1]}: it needs" in error.value.message


def test_the_next_step_works(small: Cluster, third: Settings) -> None:
    for node in range(2):
        with psycopg.connect(small.dsn(node=node), autocommit=True) as conn:
            conn.execute("ALTER SYSTEM SET max_worker_processes = 64")
    small.stop()
    small.start()
    distribution.distribute(third, shards=2)
    [worker] = [node for node in rebalance(third) if node.role == "worker"]
    assert worker.shards == 2
    told = dict(status(third))["Citus"]
    assert told.startswith("has its process for this database, and room for at most 6")
    # The call that crashed a server which had no process for the database
    with psycopg.connect(third.dsn or "", autocommit=True) as conn:
        conn.execute("SELECT citus_update_node(nodeid, 'localhost', nodeport) FROM pg_dist_node WHERE groupid > 0")
    assert _crashes(small) == []


def test_a_test_behind_a_crash_waits_for_the_recovery(cluster: Cluster, new_database: NewDatabase) -> None:
    with psycopg.connect(cluster.dsn()) as conn:
        os.kill(conn.info.backend_pid, signal.SIGKILL)
    settings = new_database()
    with psycopg.connect(settings.dsn or "", autocommit=True) as conn:
        name = sql.Identifier(settings.db)
        conn.execute(sql.SQL("ALTER DATABASE {} SET work_mem = '8MB'").format(name))

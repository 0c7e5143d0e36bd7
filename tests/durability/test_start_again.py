"""A killed server starts again despite orphaned processes, lock files or an incomplete data folder."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil  # type: ignore[import-untyped, unused-ignore]
import psycopg
import pytest

from stcollection.db.embedded import EmbeddedServer
from tests.durability.servers import SECONDS, Server, ended, kill, wait_for

pytestmark = pytest.mark.slow


def test_a_postmaster_killed_alone_with_a_session_that_computes(own: Server) -> None:
    """The session keeps running until its query ends, and its shared memory prevents the server from starting."""
    with own.connect("postgres") as conn:
        conn.execute("CREATE TABLE IF NOT EXISTS kept (n integer)")
        conn.execute("INSERT INTO kept VALUES (1)")
        busy = psutil.Process(conn.info.backend_pid)

        def compute() -> None:
            with pytest.raises(psycopg.OperationalError):
                conn.execute("SELECT count(*) FROM generate_series(1, 100000000000)")

        thread = threading.Thread(target=compute)
        thread.start()
        wait_for(lambda: busy.cpu_times().user > 0.2)
        own.kill_postmaster()
        assert busy.is_running()
        own.start()
        thread.join(timeout=SECONDS)
    assert not busy.is_running() or busy.status() == psutil.STATUS_ZOMBIE
    with own.connect("postgres") as conn:
        assert conn.execute("SELECT n FROM kept").fetchall() == [(1,)]
        conn.execute("DROP TABLE kept")


@pytest.fixture
def bystander(own: Server) -> Iterator[psutil.Process]:
    """An unrelated process of the user that runs the server."""
    ids = psutil.Process(EmbeddedServer(own.home).pid()).uids().real if os.geteuid() == 0 else None
    process = subprocess.Popen(["sleep", "600"], user=ids, cwd="/")
    yield psutil.Process(process.pid)
    process.kill()
    process.wait()


def test_lock_files_that_name_another_process(own: Server, bystander: psutil.Process) -> None:
    """After a power cut, process ids start again, so another process may get the id of the server."""
    own.cut_power()
    server = EmbeddedServer(own.home)
    for lock in (server.data / "postmaster.pid", server.socket_folder / ".s.PGSQL.5432.lock"):
        lines = lock.read_text().split("\n")
        lock.write_text("\n".join([str(bystander.pid), *lines[1:]]))
    assert server.pid() is None
    with own.connect("postgres") as conn:
        assert conn.execute("SELECT 1").fetchone() == (1,)
    assert bystander.is_running()


def test_settings_that_a_crash_left_empty(own: Server) -> None:
    own.cut_power()
    (EmbeddedServer(own.home).data / "stc.conf").write_text("")
    with own.connect("postgres") as conn:
        assert conn.execute("SELECT current_setting('shared_preload_libraries')").fetchone() == ("pg_textsearch",)
        assert conn.execute("SELECT current_setting('listen_addresses')").fetchone() == ("",)


def test_a_first_start_that_was_killed(tmp_path: Path) -> None:
    """initdb is killed with the command: no incomplete data folder blocks the next command."""
    server = Server(tmp_path / "fresh")
    process = server.command("postgres", "db", "start")
    wait_for(lambda: any(server.home.glob("pg18.*/base")))
    children = psutil.Process(process.pid).children(recursive=True)
    kill(process)
    for child in children:
        with suppress(psutil.NoSuchProcess):  # processes of initdb start and end
            child.kill()
    ended(process)
    assert not EmbeddedServer(server.home).data.exists()
    server.done("postgres", "db", "start")
    assert list(server.home.glob("pg18.*")) == []
    with server.connect("postgres") as conn:
        assert conn.execute("SELECT current_setting('fsync')").fetchone() == ("on",)
    server.stop()


def test_a_collection_whose_making_was_killed(own: Server) -> None:
    """Killed while creating tables: 'db create --if-not-exists' continues and completes the collection."""
    process = own.command("half", "db", "create", "half")
    with own.connect("postgres") as conn:
        wait_for(lambda: conn.execute("SELECT FROM pg_stat_activity WHERE datname = 'half'").fetchone() is not None)
        time.sleep(0.05)
        kill(process)
        own.cut_power()
    ended(process)
    end = own.run("half", "db", "create", "half")
    assert end.code == 0 or "stc db upgrade" in end.err, end
    own.done("half", "db", "create", "half", "--if-not-exists")
    with own.connect("postgres") as conn:  # as if killed after CREATE DATABASE, before the comment that marks it as a collection
        conn.execute("CREATE DATABASE unmarked")
    own.done("unmarked", "db", "create", "unmarked", "--if-not-exists")
    for name in ("half", "unmarked"):
        assert name in own.done(name, "db", "list").out
        assert "up to date" in own.done(name, "db", "status").out


def test_no_table_is_one_that_a_crash_empties(own: Server) -> None:
    own.done("plain", "db", "create", "plain")
    with own.connect("plain") as conn:
        assert conn.execute("SELECT relname FROM pg_class WHERE relpersistence = 'u'").fetchall() == []

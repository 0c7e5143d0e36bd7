"""The embedded server: unusual paths, concurrent starts, start after a crash, as root and as another user."""

from __future__ import annotations

import multiprocessing
import os
import pwd
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

import stcollection.db.upgrade as upgrading
from stcollection.db.collections import collections, create
from stcollection.db.connection import conninfo
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.settings import Settings
from stcollection.errors import StateError


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "a home, with 'blanks' and ünïcode"
    yield folder
    EmbeddedServer(folder).stop()


def select_one(home: Path) -> object:
    with psycopg.connect(conninfo(Settings(db="postgres", home=home, dsn=None))) as conn:
        return conn.execute("SELECT 1").fetchone()


@pytest.mark.slow
def test_a_path_with_blanks_and_quotes(home: Path) -> None:
    assert select_one(home) == (1,)
    assert EmbeddedServer(home).stop()
    assert EmbeddedServer(home).pid() is None
    assert not EmbeddedServer(home).stop()
    assert select_one(home) == (1,)


def _links(home: Path) -> list[Path]:
    return [link for link in Path("/tmp").glob("stc-*") if link.is_symlink() and link.readlink() == home / "pg18"]  # noqa: S108


@pytest.mark.slow
@pytest.mark.parametrize("name", ["long" * 30, 'a, "b" $HOME `x`', os.fsdecode(b"b\xff"), "back\\slash"])
def test_a_path_that_a_socket_or_a_shell_cannot_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The server is found again with another TMPDIR, and after the temporary folder was emptied."""
    monkeypatch.setattr("tempfile.tempdir", None)
    home = tmp_path / name
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    try:
        assert select_one(home) == (1,)
        pid = EmbeddedServer(home).pid()
        monkeypatch.setattr("tempfile.tempdir", None)
        monkeypatch.setenv("TMPDIR", "/nowhere")
        for link in _links(home):
            link.unlink()
        assert select_one(home) == (1,)
        assert EmbeddedServer(home).pid() == pid
        (tmp_path / "link").symlink_to(home)
        assert select_one(tmp_path / "link") == (1,)
    finally:
        assert EmbeddedServer(home).stop()
    assert _links(home) == []


@pytest.mark.slow
def test_a_server_without_its_socket_is_started_again_after_a_stop(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stcollection.db.embedded._SILENT_SECONDS", 0)
    assert select_one(home) == (1,)
    (home / "pg18" / ".s.PGSQL.5432").unlink()
    with pytest.raises(StateError, match="its socket is missing") as error:
        select_one(home)
    assert "stc db stop" in str(error.value.hint)
    assert EmbeddedServer(home).stop()
    assert select_one(home) == (1,)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("new\nline", "line break"),
        ("/".join(["m" * 200] * 5), "PostgreSQL takes 900"),
        ("n" * 300, "name too long"),
        ("f", "File exists"),
    ],
)
def test_a_folder_that_cannot_be_used(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "f").touch()
    with pytest.raises(StateError, match=message):
        EmbeddedServer(tmp_path / name).ensure()


@pytest.mark.slow
def test_a_server_that_hangs_is_ended_and_keeps_what_was_committed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stcollection.db.embedded._STOP_SECONDS", 8)
    settings = Settings(db="postgres", home=home, dsn=None)
    with psycopg.connect(conninfo(settings)) as conn:
        conn.execute("CREATE TABLE kept AS SELECT 1 AS one")
        conn.commit()
        [(checkpointer,)] = conn.execute("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'").fetchall()
    os.kill(checkpointer, signal.SIGSTOP)  # a shutdown waits for its checkpoint
    assert EmbeddedServer(home).stop()
    assert EmbeddedServer(home).pid() is None
    with psycopg.connect(conninfo(settings)) as conn:
        assert conn.execute("SELECT one FROM kept").fetchall() == [(1,)]


@pytest.mark.slow
def test_many_starts_at_once_make_one_server(home: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(select_one, [home] * 4)) == [(1,)] * 4


@pytest.mark.slow
def test_a_killed_server_starts_again_with_what_was_committed(home: Path) -> None:
    settings = Settings(db="postgres", home=home, dsn=None)
    with psycopg.connect(conninfo(settings), autocommit=True) as conn:
        conn.execute("CREATE TABLE kept (n integer)")
        conn.execute("INSERT INTO kept VALUES (7)")
    pid = EmbeddedServer(home).pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    for _ in range(100):  # the pid is free once the kernel has reaped it
        if EmbeddedServer(home).pid() is None:
            break
        time.sleep(0.05)
    with psycopg.connect(conninfo(settings)) as conn:
        assert conn.execute("SELECT n FROM kept").fetchall() == [(7,)]


@pytest.mark.slow
def test_the_server_listens_on_no_network_address(home: Path) -> None:
    with psycopg.connect(conninfo(Settings(db="postgres", home=home, dsn=None))) as conn:
        assert conn.execute("SHOW listen_addresses").fetchone() == ("",)
        assert conn.execute("SHOW fsync").fetchone() == ("on",)


def test_a_folder_that_is_no_data_folder_is_left_alone(home: Path) -> None:
    (home / "pg18").mkdir(parents=True)
    (home / "pg18" / "letters.txt").write_text("dear")
    with pytest.raises(StateError, match="not a data folder"):
        EmbeddedServer(home).ensure()
    assert (home / "pg18" / "letters.txt").read_text() == "dear"


def _start_and_stop_as(user: int, home: Path) -> None:
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
    assert select_one(home) == (1,)
    assert EmbeddedServer(home).stop()


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="the suite runs as an ordinary user already")
def test_as_an_ordinary_user(tmp_path: Path) -> None:
    """If the suite runs as root, a child process drops its rights and starts another server."""
    nobody = pwd.getpwnam("nobody").pw_uid
    home = tmp_path / "theirs"
    home.mkdir()
    os.chown(home, nobody, nobody)
    for folder in home.parents:
        folder.chmod(folder.stat().st_mode | 0o001)
    child = multiprocessing.get_context("fork").Process(target=_start_and_stop_as, args=(nobody, home))
    child.start()
    child.join(60)
    assert child.exitcode == 0
    assert (home / "pg18" / "PG_VERSION").stat().st_uid == nobody


def test_create_is_undone_when_it_fails(server: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> int:
        raise StateError("broken")

    monkeypatch.setattr(upgrading, "sync", broken)
    with pytest.raises(StateError, match="broken"):
        create(replace(server, db="stc_half_made"))
    assert "stc_half_made" not in {one.name for one in collections(server)}

"""Two concurrent commands on whole collections and servers: create, drop, upgrade, start."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from stcollection.db.collections import collections, drop
from stcollection.db.connection import conninfo
from stcollection.db.current import in_step
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.objects import drift
from stcollection.db.settings import Settings
from stcollection.db.step import head
from stcollection.errors import UnknownObject
from tests.at_once import until
from tests.durability.rivals import AGAIN, Command, held, held_up


@pytest.fixture
def new(server: Settings) -> Iterator[Settings]:
    """Settings of a collection that does not exist yet; dropped afterwards."""
    settings = replace(server, db=f"stc_new_{os.getpid()}")
    yield settings
    with suppress(UnknownObject):
        drop(settings)


def whole(settings: Settings) -> None:
    with psycopg.connect(conninfo(settings)) as conn:
        assert in_step(conn)
        assert drift(conn) == []


@pytest.mark.slow
def test_two_create_one_collection(new: Settings, tmp_path: Path) -> None:
    two = [Command(new, tmp_path, "db", "create", new.db) for _ in range(2)]
    two.sort(key=lambda one: one.process.wait(timeout=60))
    two[0].ends()
    two[1].refused(f"the collection {new.db!r} already exists", "'stc db upgrade' upgrades it", code=2)
    whole(new)


@pytest.mark.slow
def test_two_create_one_collection_if_it_is_not_there(new: Settings, tmp_path: Path) -> None:
    two = [Command(new, tmp_path, "db", "create", "--if-not-exists", new.db) for _ in range(2)]
    told = sorted(one.ends().out for one in two)
    assert told == [f"created the collection {new.db!r}\n", f"found the collection {new.db!r}\n"]
    whole(new)


@pytest.mark.slow
def test_two_upgrades(conn: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    conn.execute("DROP VIEW run_overview")
    conn.execute("UPDATE stc_objects SET fingerprint = '' WHERE file IN ('runs/run_overview.sql', 'runs/trec_score.sql')")
    with held(conn, "stc_objects"):
        two = [Command(settings, tmp_path, "db", "upgrade") for _ in range(2)]
        waits = "SELECT FROM pg_locks WHERE relation = 'stc_objects'::regclass AND NOT granted"
        until(lambda: conn.execute(waits).rowcount > 0)
    told = sorted(one.ends().out for one in two)
    assert told == [
        f"{settings.db!r} is up to date (revision {head()})\n",
        f"{settings.db!r}: revision {head()} → {head()}, 2 files of sql/ installed\n",
    ]
    whole(settings)


@pytest.mark.slow
def test_a_collection_is_dropped_while_a_command_works_in_it(new: Settings, tmp_path: Path) -> None:
    Command(new, tmp_path, "db", "create", new.db).ends()
    file = tmp_path / "q.tsv"
    file.write_text("q1\twords\n")
    with psycopg.connect(conninfo(new), autocommit=True) as conn, held(conn, "st1_queries"):
        loading = Command(new, tmp_path, "topics", "load", file)
        held_up(conn, loading)
        Command(new, tmp_path, "db", "drop", "--yes", new.db).ends()
        loading.refused("terminating connection due to administrator command", AGAIN)
    assert new.db not in {one.name for one in collections(new)}
    Command(new, tmp_path, "topics", "load", file).refused("there is no collection", "'stc db create", code=2)


@pytest.mark.slow
def test_two_drop_one_collection(new: Settings, tmp_path: Path) -> None:
    Command(new, tmp_path, "db", "create", new.db).ends()
    two = [Command(new, tmp_path, "db", "drop", "--yes", new.db) for _ in range(2)]
    two.sort(key=lambda one: one.process.wait(timeout=60))
    two[0].ends()
    two[1].refused("there is no collection", "'stc show collections'", code=2)


@pytest.mark.slow
def test_two_commands_start_the_server_of_one_home(tmp_path: Path) -> None:
    home = tmp_path / "home"
    settings = Settings(db="mine", home=home, dsn=None)
    try:
        two = [
            Command(settings, tmp_path, "db", "create", "--if-not-exists", "mine"), Command(settings, tmp_path, "db", "start"),
            Command(settings, tmp_path, "db", "list"),
        ]  # fmt: skip
        for one in two:
            one.ends()
        assert (home / "pg18" / "server.log").read_text().count("ready to accept connections") == 1
        assert f"pid {EmbeddedServer(home).pid()}" in two[1].out
        whole(settings)
    finally:
        EmbeddedServer(home).stop()

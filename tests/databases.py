"""The databases of the tests: cloned in little time, handed on where nothing was written, dropped several at a time."""

from __future__ import annotations

import inspect
import itertools
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest
from psycopg import sql

from stcollection.db.connection import conninfo
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.sessions import open_session, pinned
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from tests.borrowed import Borrowed

# What only a server that is thrown away may do: nothing is flushed, and few buffers are to be searched when a database goes.
# (Not synchronous_commit: VACUUM would not yet see what was just committed as visible to all.)
# Autovacuum would hold a snapshot at a moment of its choice, so that VACUUM cannot mark what was just committed as visible to all.
THROWN_AWAY = {"fsync": "off", "full_page_writes": "off", "shared_buffers": "128MB", "autovacuum": "off"}
# A drop waits for sessions that are just ending and for a checkpoint; some time later both are done, or small.
WAITING = 12

Build = Callable[..., object]
_worlds: dict[object, Build] = {}  # by the fixture


def world(build: Build) -> Any:
    """A fixture of the module: a connection to a collection that the function has filled.

    The function takes a connection to an empty collection, and ``tmp_path`` if it writes files. It runs once; each test has a copy,
    which its ``conn``, ``dsn`` and ``settings`` reach too. State of a session (SET, temporary tables) and the server has in memory
    (the newest part of an index of pg_textsearch) is not copied.
    """

    @pytest.fixture(name=build.__name__)
    def filled(conn: psycopg.Connection) -> psycopg.Connection:
        return conn

    _worlds[filled] = build
    return filled


def world_of(module: object, fixtures: Iterable[str]) -> Build | None:
    """The function of the world that a test of this module with these fixtures wants, None for an empty collection.

    It is in the module, or in the conftest.py of its folder.
    """
    modules = [module, sys.modules.get(f"{getattr(module, '__name__', '').rpartition('.')[0]}.conftest")]
    there = [getattr(place, name, None) for place in modules for name in fixtures]
    wanted = [build for fixture, build in _worlds.items() if any(one is fixture for one in there)]
    assert len(wanted) <= 1, "a test has one world"
    return wanted[0] if wanted else None


def start(settings: Settings) -> None:
    """Start an embedded server for the tests alone."""
    server = EmbeddedServer(settings.home)
    server.ensure()
    with open_session(conninfo(settings), autocommit=True) as conn:
        for name, value in THROWN_AWAY.items():
            conn.execute(sql.SQL("ALTER SYSTEM SET {} = {}").format(sql.Identifier(name), value))
    server.stop()
    server.ensure()


def make_template(server: Settings, admin: psycopg.Connection, name: str) -> None:
    """Make a migrated collection without a row, with a linguistic collation if the server has one."""
    database = sql.Identifier(name)
    try:
        admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'en_US.UTF-8'").format(database))
    except psycopg.Error as error:
        if os.environ.get("CI"):
            raise
        print(f"tests run without a linguistic collation: {error}")
        admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(database))
    admin.execute(sql.SQL("COMMENT ON DATABASE {} IS 'unfinished template'").format(database))
    upgrade(replace(server, db=name))


class _Lent(NamedTuple):
    template: str
    reader: object
    name: str
    conn: Borrowed
    sequences: dict[str, tuple[int, bool]]
    state: tuple[object, ...]


def _state(conn: psycopg.Connection) -> tuple[object, ...]:
    """What a transaction leaves that is rolled back: megabytes of dead rows, and counts of rows by ANALYZE and CREATE INDEX.

    With either, PostgreSQL would plan the next test's queries by the rows of this one.
    """
    counts = "SELECT pg_database_size(current_database()) >> 20, sum(relpages::bigint + reltuples::bigint) FROM pg_class"
    row = conn.execute(counts + " WHERE relnamespace::regnamespace::text IN ('public', 'stc', 'stc_all')").fetchone()
    assert row is not None
    return row


def _sequences(conn: psycopg.Connection) -> dict[str, tuple[int, bool]]:
    """The value of each sequence, and whether it was given out."""
    rows = conn.execute(
        "SELECT format('%I.%I', schemaname, sequencename), coalesce(last_value, start_value), last_value IS NOT NULL"
        " FROM pg_sequences"
    )
    return {name: (value, given) for name, value, given in rows}


def _set_back(conn: psycopg.Connection, before: dict[str, tuple[int, bool]]) -> None:
    """Set sequences to their values before the test. They do not take part in transactions."""
    for name, state in _sequences(conn).items():
        if before[name] != state:
            conn.execute("SELECT setval(%s, %s, %s)", [name, *before[name]])


class Databases:
    """The databases of one session.

    :param server: on a server of the session's own, copying files is the quickest way to clone; elsewhere they are flushed.
    """

    def __init__(self, server: Settings, admin: psycopg.Connection) -> None:
        self._server = server
        self._admin = admin
        self._strategy = sql.SQL("STRATEGY FILE_COPY" if server.dsn is None else "")
        self._filled: dict[Build, str] = {}
        self._spare: dict[str, list[str]] = {}
        self._waiting: list[str] = []
        self._before: dict[str, tuple[str, int]] = {}
        self._made = 0
        self._lent: _Lent | None = None

    def clone(self, template: str, name: str) -> None:
        """Make a database with this name as a copy of the template."""
        self._admin.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} {}").format(sql.Identifier(name), sql.Identifier(template), self._strategy)
        )

    def filled(self, template: str, build: Build, folder: Callable[[], Path]) -> str:
        """The name of a template that a world's function has filled: once for all tests that use it.

        :param folder: makes a folder for the files that the function writes.
        """
        if build not in self._filled:
            name = f"{template}_{len(self._filled) + 1}"
            self.clone(template, name)
            with psycopg.connect(pinned(conninfo(replace(self._server, db=name))), autocommit=True) as conn:
                if "tmp_path" in inspect.signature(build).parameters:
                    build(conn, folder())
                else:
                    build(conn)
            self._filled[build] = name
        return self._filled[build]

    def take(self, template: str) -> str:
        """The name of a collection like the template: a new one, or one in which nothing was ever written."""
        spare = self._spare.setdefault(template, [])
        if spare:
            name = spare.pop()
        else:
            self._made += 1
            name = f"stc_test_{os.getpid()}_{self._made}"
            self.clone(template, name)
            self._admin.execute(sql.SQL("COMMENT ON DATABASE {} IS 'stcollection'").format(sql.Identifier(name)))
        self._before[name] = template, self._transactions()
        return name

    def give_back(self, name: str) -> None:
        """End its sessions; keep it for another test if nothing on the whole server was written meanwhile, else drop it."""
        template, before = self._before.pop(name)
        if self._all_ended(name) and self._transactions() == before:
            self._spare[template].append(name)
        else:
            self.drop(name)

    def _all_ended(self, name: str) -> bool:
        """End the sessions of a database. :returns: whether they ended in time.

        The function of PostgreSQL that also waits for the end does so in steps of a tenth of a second.
        """
        sessions = "FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'"
        until = time.monotonic() + 1
        while self._admin.execute(f"SELECT pg_terminate_backend(pid) {sessions}".encode(), [name]).fetchall():
            if time.monotonic() > until:
                return False
            time.sleep(0.004)
        return True

    @contextmanager
    def borrow(self, template: str, *, reader: object) -> Iterator[psycopg.Connection]:
        """A connection to a collection like the template, in a transaction that is rolled back at the end.

        Callers with the same template and reader share a collection, one after another, as long as the rollback leaves it as new.
        """
        if self._lent is None or (self._lent.template, self._lent.reader) != (template, reader):
            self._take_back()
            name = self.take(template)
            conn = Borrowed.connect(pinned(conninfo(replace(self._server, db=name))), autocommit=True)
            self._lent = _Lent(template, reader, name, conn, _sequences(conn), _state(conn))
        lent = self._lent
        lent.conn.begin()
        try:
            yield lent.conn
        finally:
            if lent.conn.undo() and _state(lent.conn) == lent.state:
                _set_back(lent.conn, lent.sequences)
            else:
                self._take_back()

    def _take_back(self) -> None:
        if self._lent is not None:
            self._lent.conn.close()
            self.give_back(self._lent.name)
            self._lent = None

    def drop(self, name: str) -> None:
        """Drop it soon."""
        self._waiting.append(name)
        if len(self._waiting) >= WAITING:
            self._drop()

    def close(self) -> None:
        """Drop all."""
        self._take_back()
        self._waiting += itertools.chain.from_iterable(self._spare.values())
        self._waiting += self._filled.values()
        self._spare.clear()
        self._filled.clear()
        self._drop()

    def _drop(self) -> None:
        for name in self._waiting:
            self._admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
        self._waiting.clear()

    def _transactions(self) -> int:
        """The number that the next transaction which writes will get; rolled back ones count too, those that only read do not."""
        row = self._admin.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint").fetchone()
        assert row is not None
        return int(row[0])

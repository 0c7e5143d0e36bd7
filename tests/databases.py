"""The databases of the tests: cloned in little time, handed on where nothing was written, dropped several at a time."""

from __future__ import annotations

import itertools

import psycopg
from psycopg import sql

from stcollection.db.connection import conninfo
from stcollection.db.embedded import Embedded
from stcollection.db.settings import Settings

# What only a server that is thrown away may do: nothing is flushed, and few buffers are to be searched when a database goes.
THROWN_AWAY = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "shared_buffers": "128MB"}
# A drop waits for sessions that are just ending and for a checkpoint; some time later both are done, or small.
WAITING = 12


def start(settings: Settings) -> None:
    """Start an embedded server for the tests alone."""
    server = Embedded(settings.home)
    server.ensure()
    with psycopg.connect(conninfo(settings), autocommit=True) as conn:
        for name, value in THROWN_AWAY.items():
            conn.execute(sql.SQL("ALTER SYSTEM SET {} = {}").format(sql.Identifier(name), value))
    server.stop()
    server.ensure()


class Databases:
    """:param own: the server is the session's own, where copying files is the quickest way to clone; elsewhere they are flushed."""

    def __init__(self, admin: psycopg.Connection, *, own: bool) -> None:
        self._admin = admin
        self._strategy = sql.SQL("STRATEGY FILE_COPY" if own else "")
        self._spare: dict[str, list[str]] = {}
        self._waiting: list[str] = []
        self._before: dict[str, tuple[str, int]] = {}
        self._made = 0

    def clone(self, template: str, name: str) -> None:
        """Make a database of that name like the template."""
        self._admin.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} {}").format(sql.Identifier(name), sql.Identifier(template), self._strategy)
        )

    def take(self, template: str) -> str:
        """The name of a collection like the template: a new one, or one in which nothing was ever written."""
        spare = self._spare.setdefault(template, [])
        if spare:
            name = spare.pop()
        else:
            self._made += 1
            name = f"{template.replace('template', 'test')}_{self._made}"
            self.clone(template, name)
            self._admin.execute(sql.SQL("COMMENT ON DATABASE {} IS 'stcollection'").format(sql.Identifier(name)))
        self._before[name] = template, self._transactions()
        return name

    def give_back(self, name: str) -> None:
        """End its sessions; keep it for another test if nothing on the whole server was written meanwhile, else drop it."""
        template, before = self._before.pop(name)
        ended = self._admin.execute(
            "SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'",
            [name],
        ).fetchall()
        if all(done for (done,) in ended) and self._transactions() == before:
            self._spare[template].append(name)
        else:
            self.drop(name)

    def drop(self, name: str) -> None:
        """Drop it soon."""
        self._waiting.append(name)
        if len(self._waiting) >= WAITING:
            self._drop()

    def close(self) -> None:
        """Drop all."""
        self._waiting += itertools.chain.from_iterable(self._spare.values())
        self._spare.clear()
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

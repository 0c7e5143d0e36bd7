"""An upgrade during reads: each answer is that of the old or of the new version, and no reader waits for long.

The collection is set to an earlier state, in which functions and a view differ from sql/, and upgraded with the command.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from stcollection.db.current import in_step
from stcollection.db.embedded import binaries
from stcollection.db.objects import SqlFile, drift, read, sync
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from stcollection.errors import StcError, from_postgres
from stcollection.web.desk import Desk
from tests.at_once import until
from tests.databases import world
from tests.durability import rivals
from tests.durability.commands import COMMANDS
from tests.durability.rivals import Command, held, held_up, waiting

stocked = world(rivals.stocked)

# Earlier and current definitions: different score and signature, a view with one column less, a different body.
EARLIER = {
    "retrieval/boolean_search.sql": [
        (
            "SELECT * FROM matching_search(wanted, boolean_search.k, boolean_search.filter);",
            "SELECT m.doc, m.score + 1000, m.rank FROM matching_search(wanted, boolean_search.k, boolean_search.filter) m;",
        ),
        (
            "SELECT *\n            FROM minimum_search(",
            "SELECT m.doc, m.score + 1000, m.rank\n            FROM minimum_search(",
        ),
        ("boolean_search.k, boolean_search.filter);", "boolean_search.k, boolean_search.filter) m;"),
        ("minimum integer DEFAULT NULL", "minimum integer DEFAULT NULL, other integer DEFAULT NULL"),
        ("(text, integer, jsonb, integer)", "(text, integer, jsonb, integer, integer)"),
    ],
    "runs/run_overview.sql": [
        ("n.manual, n.family,", "n.manual,"),
        ("COMMENT ON COLUMN public.run_overview.family IS 'kind of system; NULL if unknown';", ""),
    ],
    "corpus/corpus_status.sql": [("'documents', count(*)", "'documents', count(*) + 1000")],
}
QUERIES = [
    "SELECT doc, score, rank FROM boolean_search('language', 5)", "SELECT * FROM run_overview ORDER BY run",
    "SELECT * FROM stc.corpus_status()",
]  # fmt: skip
# Errors that a reader may get at the moment of the change: does not exist (any more), has changed, was replaced meanwhile.
RETRY = {"42883", "42P01", "42703", "XX000", "40P01"}


def earlier(conn: psycopg.Connection, changed: dict[str, list[tuple[str, str]]]) -> None:
    """Set the collection to the state of these files."""

    def text(file: SqlFile) -> SqlFile:
        said = file.text
        for now, then in changed.get(file.path, []):
            assert now in said, (file.path, now)
            said = said.replace(now, then)
        return replace(file, text=said)

    with conn.transaction():
        assert sync(conn, [text(file) for file in read()]) >= len(changed)
    assert not in_step(conn)


def answers(conn: psycopg.Connection) -> list[str]:
    return [str(conn.execute(query.encode(), prepare=False).fetchall()) for query in QUERIES]


class Readers:
    """Sessions that repeat queries, each in a thread; a context manager.

    :param open_: opens a session and returns a function that answers the query with a given number.
    """

    def __init__(self, *open_: Callable[[], Callable[[int], str]]) -> None:
        self.got: Counter[tuple[int, str]] = Counter()
        self.refused: Counter[str] = Counter()
        self._done = threading.Event()
        self._threads = [threading.Thread(target=self._read, args=[one]) for one in open_]

    def __enter__(self) -> Readers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join(timeout=60)
            assert not thread.is_alive()

    def _read(self, open_: Callable[[], Callable[[int], str]]) -> None:
        ask = open_()
        while not self._done.is_set():
            for number in range(len(QUERIES)):
                try:
                    self.got[number, ask(number)] += 1
                except psycopg.Error as error:
                    self.refused[error.sqlstate or str(error)] += 1
                except StcError as error:
                    self.refused[error.sqlstate or str(error)] += 1


@pytest.mark.slow
def test_readers_get_the_answer_before_or_the_one_after(
    settings: Settings, dsn: str, stocked: psycopg.Connection, tmp_path: Path
) -> None:
    after = answers(stocked)
    earlier(stocked, EARLIER)
    before = answers(stocked)
    assert all(one != other for one, other in zip(before, after, strict=True))
    desk = Desk(dsn)
    desk.open()
    opened: list[psycopg.Connection] = []
    told: set[str | None] = set()

    def session() -> Callable[[int], str]:
        opened.append(psycopg.connect(dsn, autocommit=True, prepare_threshold=None))
        conn = opened[-1]
        return lambda number: str(conn.execute(QUERIES[number].encode()).fetchall())

    def that_prepares() -> Callable[[int], str]:
        here = [psycopg.connect(dsn, autocommit=True)]  # psycopg prepares statements that are repeated a few times

        def ask(number: int) -> str:
            try:
                return str(here[0].execute(QUERIES[number].encode()).fetchall())
            except psycopg.errors.FeatureNotSupported as error:
                told.add(from_postgres(error).hint)
                here[0].close()
                here[0] = psycopg.connect(dsn, autocommit=True)
                return str(here[0].execute(QUERIES[number].encode()).fetchall())

        return ask

    def at_the_desk() -> Callable[[int], str]:
        def ask(conn: psycopg.Connection, number: int) -> str:
            return str(conn.execute(QUERIES[number].encode()).fetchall())

        return lambda number: asyncio.run(desk.ask(ask, number))

    with Readers(session, that_prepares, at_the_desk) as readers:
        for _ in range(2):
            seen = readers.got.total()
            until(lambda seen=seen: readers.got.total() > seen + 30)  # type: ignore[misc]
            Command(settings, tmp_path, "db", "upgrade").ends()
            seen = readers.got.total()
            until(lambda seen=seen: readers.got.total() > seen + 30)  # type: ignore[misc]
            earlier(stocked, EARLIER)
        upgrade(settings)
    assert set(readers.got) == {(number, one[number]) for one in (before, after) for number in range(len(QUERIES))}
    assert set(readers.refused) <= RETRY
    # From now on, the new functions answer, also in sessions opened earlier.
    assert answers(opened[0]) == after
    assert all("Then connect again" in (hint or "") for hint in told)
    assert [asyncio.run(desk.ask(lambda conn: answers(conn)))] == [after]
    desk.close()
    assert drift(stocked) == []


@contextmanager
def psql(dsn: str, folder: Path, statements: str) -> Iterator[subprocess.Popen[bytes]]:
    """psql with an open transaction."""
    file = folder / "session.sql"
    file.write_text(statements)
    process = subprocess.Popen(
        [str(binaries() / "psql"), dsn, "-X", "-f", str(file), "-v", "ON_ERROR_STOP=1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "PGAPPNAME": "psql"},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_a_long_transaction_of_a_reader_holds_up_the_upgrade_and_nobody_else(
    settings: Settings, dsn: str, stocked: psycopg.Connection, tmp_path: Path
) -> None:
    after = answers(stocked)
    earlier(stocked, EARLIER)
    before = answers(stocked)
    with psql(dsn, tmp_path, "BEGIN; SELECT count(*) FROM run_overview; SELECT pg_sleep(600)"):
        until(
            lambda: (
                stocked.execute("SELECT FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND state = 'active'").rowcount > 1
            )
        )
        [(pid,)] = stocked.execute(
            "SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()"
        ).fetchall()
        command = Command(settings, tmp_path, "db", "upgrade", "--wait", "2")
        seen = 0
        while command.process.poll() is None:  # others keep reading
            assert answers(stocked) == before
            seen += 1
        assert seen > 3
        command.refused(f"for run_overview, held by session {pid} (psql, user ", "Nothing was changed")
        assert "pg_sleep(600)" in command.err
        assert f"pg_terminate_backend({pid})" in command.err
        assert answers(stocked) == before
        command = Command(settings, tmp_path, "db", "upgrade")
        until(lambda: "waiting for run_overview" in command.err)
        stocked.execute("SELECT pg_terminate_backend(%s)", [pid])  # as the message says
        assert "3 files of sql/ installed" in command.ends().out
    assert answers(stocked) == after
    assert drift(stocked) == []


@pytest.mark.slow
def test_an_upgrade_and_a_reader_in_each_others_way(
    settings: Settings, dsn: str, stocked: psycopg.Connection, tmp_path: Path
) -> None:
    """The reader locks a view that the upgrade needs, then needs one that the upgrade locked: the upgrade gives way and retries."""
    after = answers(stocked)
    earlier(stocked, EARLIER | {"runs/rankings.sql": [("AS\nSELECT", "AS\n-- earlier\nSELECT")]})
    changed = [file.path for file in read() if file.path in ("runs/run_overview.sql", "runs/rankings.sql")]
    first, last = (Path(path).stem for path in changed)  # in the order of the upgrade
    with psycopg.connect(dsn) as reader:
        reader.execute(f"SELECT count(*) FROM {last}".encode())
        command = Command(settings, tmp_path, "db", "upgrade")
        until(lambda: waiting(stocked))
        reader.execute(f"SELECT count(*) FROM {first}".encode())
        until(lambda: f"waiting for {last}" in command.err)
        reader.execute(f"SELECT count(*) FROM {first}".encode())
    command.ends()
    assert answers(stocked) == after


@pytest.mark.slow
def test_an_upgrade_waits_for_a_run_that_is_being_made(
    settings: Settings, dsn: str, stocked: psycopg.Connection, tmp_path: Path
) -> None:
    """Otherwise, the old functions would answer some queries of the run and the new functions others."""
    make = ["retrieval", "run", "boolean", "--depth", "5"]
    asks = "    SELECT * INTO asked FROM read_query"
    gate = (asks, f"    PERFORM pg_advisory_xact_lock_shared(57);\n{asks}")
    earlier(stocked, {**EARLIER, "retrieval/boolean_search.sql": [*EARLIER["retrieval/boolean_search.sql"], gate]})
    with psycopg.connect(dsn, autocommit=True) as keeper:
        keeper.execute("SELECT pg_advisory_lock(57)")
        # Commands reject a collection of an older version; a user of psql can still query it.
        with psql(dsn, tmp_path, "SELECT * FROM make_run('mine', 'boolean', 5)") as running:
            until(lambda: stocked.execute("SELECT FROM pg_locks WHERE objid = 57 AND NOT granted").rowcount == 1)
            upgrading = Command(settings, tmp_path, "db", "upgrade")
            until(lambda: "waiting for stc.removals, held by session" in upgrading.err)
            keeper.execute("SELECT pg_advisory_unlock(57)")
            assert running.wait(timeout=60) == 0
    upgrading.ends()
    scores = [row[0] for row in stocked.execute("SELECT rel_score FROM rankings WHERE run = 'mine'")]
    assert len(scores) > 24
    assert all(score > 1000 for score in scores)  # all by the old function
    Command(settings, tmp_path, *make).ends()
    scores = [row[0] for row in stocked.execute("SELECT rel_score FROM rankings WHERE run = 'boolean'")]
    assert all(score < 1000 for score in scores)


@pytest.mark.slow
def test_an_upgrade_while_documents_are_loaded(
    settings: Settings, stocked: psycopg.Connection, ids: list[int], tmp_path: Path
) -> None:
    table, arguments = COMMANDS["corpus load"]
    with held(stocked, table):
        loading = Command(settings, tmp_path, *arguments(tmp_path, ids))
        held_up(stocked, loading)
        upgrading = Command(settings, tmp_path, "db", "upgrade", "--force")  # also triggers of the tables
        until(lambda: "waiting for dblp" in upgrading.err)
    loading.ends()
    upgrading.ends()
    assert stocked.execute("SELECT count(*) FROM dblp_facts").fetchone() == (216 + 60,)  # kept by a trigger
    assert drift(stocked) == []

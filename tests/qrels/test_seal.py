"""Sealed editions cannot be changed in any way; their SHA-256 equals that of the exported file."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner
from psycopg.pq import TransactionStatus

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, DatabaseError, StateError, UnknownObject
from stcollection.qrels.derive import derive
from stcollection.qrels.editions import describe, drop_edition, editions, seal, verify
from stcollection.qrels.load import import_qrels
from tests.at_once import at_once
from tests.groups import qrels
from tests.qrels.conftest import Judge, says
from tests.qrels.test_editions import exported

pytestmark = pytest.mark.slow

THREE = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 -1\n"
ADD = (
    "INSERT INTO qrels_judgments (edition, query, doc, rel, annotator) SELECT e.id, q.id, d.id, 1, 'late'"
    " FROM qrels_editions e, st1_queries q, dblp d WHERE e.edition = 'mine' AND q.query = 'q1' AND d.docno = 'd1'"
)


def test_the_fingerprint_is_the_sha256_of_the_export(conn: psycopg.Connection, judge: Judge) -> None:
    judge("b 0 1 1\na-b 0 10 1\nab 0 9 1\nB 0 é 1\nab 0 10 -1\n")
    judge("b 0 1 2\nb 0 2 2\n", origin="llm")
    done = seal(conn, "mine")
    assert done.fingerprint == hashlib.sha256(exported(conn).encode()).hexdigest()
    assert (done.judgments, done.already) == (6, False)
    assert seal(conn, "mine") == (6, done.fingerprint, done.sealed, True)
    [found] = verify(conn, "mine")
    assert (found.intact, found.computed) == (True, done.fingerprint)
    assert {one.edition: one.intact for one in verify(conn)} == {"mine": True, "decoy": None}


@pytest.mark.parametrize(
    "statement",
    [
        ADD,
        "COPY qrels_judgments (edition, query, doc, rel, annotator) FROM STDIN",
        "UPDATE qrels_editions SET sealed = NULL, fingerprint = NULL WHERE edition = 'mine'",
        "UPDATE qrels_editions SET edition = 'yours' WHERE edition = 'mine'",
        "UPDATE qrels_editions SET year = 2023 WHERE edition = 'mine'",
        "DELETE FROM qrels_editions WHERE edition = 'mine'",
        "SELECT stc.drop_edition('mine')",
        "SELECT stc.describe_edition('mine', split => 'test')",
    ],
)
def test_nothing_of_a_sealed_edition_changes(conn: psycopg.Connection, judge: Judge, statement: str) -> None:
    judge(THREE)
    before, sealed = says(conn), seal(conn, "mine")
    [edition, query, doc] = conn.execute("SELECT edition, query, doc FROM qrels_judgments ORDER BY id LIMIT 1").fetchone() or ()

    def attempt() -> None:
        with conn.cursor() as cursor:
            if statement.startswith("COPY"):
                with cursor.copy(statement.encode()) as copy:
                    copy.write_row((edition, query, doc, 1, "late"))
            else:
                cursor.execute(statement.encode())

    with pytest.raises(psycopg.Error, match="edition 'mine' has been sealed since") as error:
        attempt()
    assert error.value.sqlstate == "IR407"
    assert says(conn) == before
    assert verify(conn, "mine")[0][1:] == (3, sealed.sealed, sealed.fingerprint, sealed.fingerprint, True)


def test_an_import_into_a_sealed_edition(conn: psycopg.Connection, judge: Judge) -> None:
    judge(THREE)
    seal(conn, "mine")
    assert (judge(THREE).added, judge(THREE).unchanged) == (0, 3)  # repeating its judgments changes nothing
    with pytest.raises(StateError, match="edition 'mine' has been sealed") as error:
        judge("q9 0 d9 1\n")
    assert error.value.exit_code == 4
    assert conn.execute("SELECT 1 FROM dblp WHERE docno = 'd9'").fetchone() is None
    derive(conn, "next", ["mine"])
    assert judge("q9 0 d9 1\n", "next").added == 1
    describe(conn, "mine", description="the official one")
    assert {one.edition: one.description for one in editions(conn)}["mine"] == "the official one"


def test_a_seal_cannot_be_forged(conn: psycopg.Connection, judge: Judge) -> None:
    judge(THREE)
    with pytest.raises(psycopg.Error, match="without its fingerprint"):
        conn.execute("UPDATE qrels_editions SET sealed = now() WHERE edition = 'mine'")


def test_a_sealed_edition_is_dropped_by_a_stronger_word(conn: psycopg.Connection, judge: Judge, settings: Settings) -> None:
    judge(THREE)
    seal(conn, "mine")
    with pytest.raises(StateError) as error:
        drop_edition(conn, "mine")
    assert "--even-sealed" in (error.value.hint or "")
    told = CliRunner().invoke(qrels, ["drop", "mine", "--even-sealed", "--yes"], obj=settings, catch_exceptions=False)
    assert told.stdout.endswith("removed the edition 'mine': 3 judgments\n")
    assert [one.edition for one in editions(conn)] == ["decoy"]


def test_a_change_behind_the_seal_is_found(conn: psycopg.Connection, judge: Judge, settings: Settings) -> None:
    judge(THREE)
    seal(conn, "mine")
    conn.execute("UPDATE dblp SET docno = 'd3' WHERE docno = 'd2'")
    assert verify(conn, "mine")[0].intact is False
    told = CliRunner().invoke(qrels, ["verify"], obj=settings)
    assert isinstance(told.exception, BadInput)
    assert told.exception.exit_code == 3
    assert "sealed, CHANGED" in told.stdout


def test_what_cannot_be_sealed(conn: psycopg.Connection, judge: Judge) -> None:
    judge("query,doc,rel\nq,a b,1\n")
    with pytest.raises(BadArgument, match="'a b' contains white space"):
        seal(conn, "mine")
    conn.execute("INSERT INTO qrels_editions (edition) VALUES ('empty')")
    with pytest.raises(StateError, match="'empty' has no judgment"):
        seal(conn, "empty")
    with pytest.raises(UnknownObject, match="no edition 'mines'") as error:
        seal(conn, "mines")
    assert "Did you mean 'mine'?" in (error.value.hint or "")
    with pytest.raises(UnknownObject):
        verify(conn, "mines")


def aside(dsn: str, work: Callable[[psycopg.Connection], object]) -> tuple[threading.Thread, list[object]]:
    """Run a call in a thread and wait until it waits for a lock; the list receives its result or error."""
    outcome: list[object] = []
    other = psycopg.connect(dsn, autocommit=True)
    pid = other.info.backend_pid

    def run() -> None:
        try:
            outcome.append(work(other))
        except Exception as error:
            outcome.append(error)
        finally:
            other.close()

    thread = threading.Thread(target=run)
    thread.start()
    with psycopg.connect(dsn, autocommit=True) as watch:
        for _ in range(1000):
            waits = watch.execute("SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = %s", [pid]).fetchone()
            if waits == (True,) or outcome:
                break
            time.sleep(0.01)
    return thread, outcome


def test_a_seal_waits_for_what_is_being_added(conn: psycopg.Connection, judge: Judge, dsn: str) -> None:
    judge(THREE)
    with conn.transaction():
        conn.execute(ADD.replace("'d1'", "'d2'").replace("'q1'", "'q2'").encode())
        thread, outcome = aside(dsn, lambda other: seal(other, "mine"))
        assert outcome == []
    thread.join()
    [done] = outcome
    assert done.judgments == 4  # type: ignore[attr-defined]
    assert verify(conn, "mine")[0].intact is True


@pytest.mark.parametrize("isolation", ["READ COMMITTED", "REPEATABLE READ"])
def test_what_is_added_waits_for_a_seal_and_is_refused(conn: psycopg.Connection, judge: Judge, dsn: str, isolation: str) -> None:
    judge(THREE)

    def add(other: psycopg.Connection) -> None:
        with other.transaction():
            other.execute(f"SET TRANSACTION ISOLATION LEVEL {isolation}".encode())
            other.execute("SELECT 1 FROM qrels_editions")
            other.execute(ADD.encode())

    with conn.transaction():
        seal(conn, "mine")
        thread, outcome = aside(dsn, add)
        assert outcome == []
    thread.join()
    [error] = outcome
    assert isinstance(error, psycopg.Error)
    assert error.sqlstate == ("IR407" if isolation == "READ COMMITTED" else "40001")
    assert len(says(conn)) == 3
    assert verify(conn, "mine")[0].intact is True


def test_an_import_waits_for_a_seal_and_is_refused(conn: psycopg.Connection, judge: Judge, dsn: str, tmp_path: Path) -> None:
    judge(THREE)
    more = tmp_path / "more.qrels"
    more.write_text("q1 0 d8 1\nq1 0 d9 1\n")
    with conn.transaction():
        seal(conn, "mine")
        thread, outcome = aside(dsn, lambda other: import_qrels(other, more, edition="mine"))
        assert outcome == []
    thread.join()
    [error] = outcome
    assert isinstance(error, StateError)
    assert says(conn) == {("q1", "d1"): 2, ("q1", "d2"): 0, ("q2", "d1"): -1}


def test_two_imports_of_one_file_at_once(conn: psycopg.Connection, dsn: str, tmp_path: Path) -> None:
    path = tmp_path / "big.qrels"
    path.write_text("".join(f"q{n % 7} 0 d{n} {n % 3}\n" for n in range(2000)))
    turned = tmp_path / "turned.qrels"  # the same in another order: the second must wait, not deadlock
    turned.write_text("".join(f"q{n % 7} 0 d{n} {n % 3}\n" for n in reversed(range(2000))))
    conn.execute("INSERT INTO qrels_editions (edition) VALUES ('mine')")
    done: list[object] = []

    def take(file: Path) -> None:
        with psycopg.connect(dsn) as other:
            try:
                done.append(import_qrels(other, file, edition="mine").added)
            except DatabaseError as error:
                done.append(error)
            assert other.info.transaction_status == TransactionStatus.IDLE

    at_once(take, (path, turned, path))
    assert sorted(done) == [0, 0, 2000]  # type: ignore[type-var]
    assert len(says(conn)) == 2000

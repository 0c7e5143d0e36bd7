"""Loads that are killed, interrupted, or lose their server or a worker resume without losing or duplicating documents."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil  # type: ignore[import-untyped, unused-ignore]
import psycopg
import pytest

from stcollection.corpus.load import load
from stcollection.errors import DatabaseError
from stcollection.io.corpus import chunks
from tests.corpus.conftest import Load, Write, one, record

pytestmark = pytest.mark.long

COUNT = 6000
BAD = 40  # interval between records without a title
CHUNK_BYTES = 2**15
# A process started in the background, as in CI, and its children ignore Ctrl-C; enable it for these tests.
SCRIPT = f"""
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from stcollection.io.corpus import chunks
chunks.CHUNK_BYTES = {CHUNK_BYTES}
from stcollection.corpus.load import load
try:
    print(load(sys.argv[1], [sys.argv[2]], workers=int(sys.argv[3]))[0].documents)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.fixture
def file(write: Write, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file of 3 MB, half of it padding, in a hundred chunks; one record in BAD is a reject."""
    monkeypatch.setattr(chunks, "CHUNK_BYTES", CHUNK_BYTES)
    records = (record(number, "" if number % BAD == 0 else f"Title of {number}", padding="x" * 300) for number in range(COUNT))
    return write("big.json", "[\n" + ",\n".join(map(json.dumps, records)) + "\n]\n")


@contextmanager
def loading(dsn: str, file: Path, *, workers: int) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, dsn, str(file), str(workers)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for(condition: Callable[[], bool], *, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it does not come about"
        time.sleep(0.002)


def workers() -> list[psutil.Process]:
    """Return the worker processes of loads in this process."""
    return [child for child in psutil.Process().children() if "stcollection.db.worker" in child.cmdline()]


def chunks_of(conn: psycopg.Connection) -> int:
    return int(one(conn, "SELECT count(*) FROM stc.corpus_chunks"))


def others(conn: psycopg.Connection) -> int:
    """Count connections to the database other than this one."""
    return int(one(conn, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"))


@contextmanager
def gate(conn: psycopg.Connection, dsn: str, *, after: int) -> Iterator[None]:
    """Allow a number of chunks to be committed and block the next, so that the load is unfinished on any machine."""
    conn.execute("CREATE TABLE public.gate ()")
    conn.execute(
        "CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN"
        f" IF (SELECT count(*)"
        f" FROM stc.corpus_chunks) > {after} THEN LOCK TABLE public.gate IN ACCESS SHARE MODE; END IF; RETURN NULL; END$$"
    )
    conn.execute("CREATE TRIGGER gate AFTER INSERT ON stc.corpus_chunks FOR EACH STATEMENT EXECUTE FUNCTION wait_at_gate()")
    with psycopg.connect(dsn) as keeper:
        keeper.execute("LOCK TABLE public.gate IN ACCESS EXCLUSIVE MODE")
        yield
    wait_for(lambda: others(conn) == 0)  # blocked workers continue, find no parent, and are rolled back
    conn.execute("DROP TRIGGER gate ON stc.corpus_chunks")


def check_half(conn: psycopg.Connection) -> None:
    """Check that whole chunks are committed: documents, texts and rejects match the ledger."""
    documents, rejects, duplicates = conn.execute(
        "SELECT coalesce(sum(documents), 0), coalesce(sum(rejects), 0), coalesce(sum(duplicates), 0) FROM stc.corpus_chunks"
    ).fetchall()[0]
    assert duplicates == 0
    assert one(conn, "SELECT count(*) FROM dblp") == documents
    assert one(conn, "SELECT count(*) FROM dblp_text") == documents
    assert one(conn, "SELECT count(*) FROM stc.corpus_rejects") == rejects
    assert one(conn, "SELECT count(*) FROM stc.corpus_files WHERE state = 'loaded'") == 0


def check_whole(conn: psycopg.Connection) -> None:
    bad = COUNT // BAD
    assert one(conn, "SELECT count(*) FROM dblp") == one(conn, "SELECT count(*) FROM dblp_text") == COUNT - bad
    assert one(conn, "SELECT count(*) FROM dblp_text WHERE title <> 'Title of ' || id") == 0
    assert (
        one(conn, "SELECT count(DISTINCT line) FROM stc.corpus_rejects")
        == one(conn, "SELECT count(*) FROM stc.corpus_rejects")
        == bad
    )
    [row] = conn.execute("SELECT state, documents, duplicates, rejects FROM stc.corpus_files").fetchall()
    assert row == ("loaded", COUNT - bad, 0, bad)


@pytest.mark.slow
@pytest.mark.parametrize(("workers", "at"), [(1, 5), (2, 1), (2, 30), (2, 60)])
def test_kill_9_in_the_middle_then_resume(
    workers: int, at: int, dsn: str, conn: psycopg.Connection, file: Path, load_file: Load
) -> None:
    with loading(dsn, file, workers=workers) as process, gate(conn, dsn, after=at):
        wait_for(lambda: chunks_of(conn) >= at)
        process.kill()
        process.wait()
    check_half(conn)
    committed = chunks_of(conn)
    assert at <= committed < 90
    before = one(conn, "SELECT max(xmin::text::bigint) FROM stc.corpus_chunks")
    load_file(file, workers=workers)
    check_whole(conn)
    # It resumed where it stopped: existing chunks were not touched.
    assert one(conn, "SELECT count(*) FROM stc.corpus_chunks WHERE xmin::text::bigint <= %s", before) == committed


@pytest.mark.slow
def test_kill_9_before_the_first_document_leaves_nothing(dsn: str, conn: psycopg.Connection, file: Path, load_file: Load) -> None:
    waiting = "SELECT count(*) FROM pg_locks WHERE relation = 'public.gate'::regclass AND NOT granted"
    with loading(dsn, file, workers=2) as process, gate(conn, dsn, after=0):
        wait_for(lambda: one(conn, waiting) == 1)
        process.kill()
        process.wait()
    for table in ("files", "chunks", "rejects"):
        assert one(conn, f"SELECT count(*) FROM stc.corpus_{table}") == 0
    load_file(file, format="jsonl")
    assert one(conn, "SELECT count(*) FROM stc.corpus_files WHERE state = 'loaded'") == 1


@pytest.mark.slow
def test_resuming_at_once_while_an_orphan_may_still_write(dsn: str, conn: psycopg.Connection, file: Path, load_file: Load) -> None:
    for at in (10, 40):
        with loading(dsn, file, workers=2) as process:
            wait_for(lambda at=at: chunks_of(conn) >= at)  # type: ignore[misc]
            process.kill()
    load_file(file, workers=2)
    check_whole(conn)


@pytest.mark.slow
def test_ctrl_c_ends_all_workers_and_keeps_what_is_committed(
    dsn: str, conn: psycopg.Connection, file: Path, load_file: Load
) -> None:
    with loading(dsn, file, workers=2) as process, gate(conn, dsn, after=10):
        wait_for(lambda: chunks_of(conn) >= 10)
        children = psutil.Process(process.pid).children(recursive=True)
        os.killpg(process.pid, signal.SIGINT)  # like a terminal: to the process group
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (130, "")
        assert not any(child.is_running() and child.status() != psutil.STATUS_ZOMBIE for child in children)
    check_half(conn)
    load_file(file)
    check_whole(conn)


@contextmanager
def in_a_thread(dsn: str, file: Path, *, workers: int) -> Iterator[list[BaseException]]:
    """Load in a thread; the list receives its error."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            load(dsn, [str(file)], workers=workers)
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    yield raised
    thread.join(timeout=20)
    assert not thread.is_alive()


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_server_that_is_gone(workers: int, dsn: str, conn: psycopg.Connection, file: Path, load_file: Load) -> None:
    with in_a_thread(dsn, file, workers=workers) as raised:
        wait_for(lambda: chunks_of(conn) >= 10)
        conn.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    [error] = raised
    assert isinstance(error, DatabaseError)
    assert "same command again" in (error.hint or "")
    check_half(conn)
    load_file(file, workers=workers)
    check_whole(conn)


@pytest.mark.slow
def test_a_worker_that_is_killed(dsn: str, conn: psycopg.Connection, file: Path, load_file: Load) -> None:
    with in_a_thread(dsn, file, workers=2) as raised:
        wait_for(lambda: chunks_of(conn) >= 10)
        workers()[0].kill()
    [error] = raised
    assert isinstance(error, DatabaseError)
    assert "a worker process exited (code -9)" in error.message
    assert "same command again" in (error.hint or "")
    assert workers() == []
    wait_for(lambda: others(conn) == 0)
    check_half(conn)
    load_file(file)
    check_whole(conn)


@pytest.mark.slow
def test_a_full_disk(conn: psycopg.Connection, file: Path, load_file: Load) -> None:
    # The server's error, raised while a row is written.
    conn.execute(
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.id = 3001 THEN"
        " RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END IF; RETURN NEW; END $$;"
        "CREATE TRIGGER full_disk BEFORE INSERT ON dblp_text FOR EACH ROW EXECUTE FUNCTION full_disk()"
    )
    with pytest.raises(DatabaseError, match="No space left on device") as error:
        load_file(file, workers=2)
    assert "disk space" in (error.value.hint or "")
    assert "same command again" in (error.value.hint or "")
    wait_for(lambda: others(conn) == 0)
    check_half(conn)
    conn.execute("DROP TRIGGER full_disk ON dblp_text")
    load_file(file, workers=2)
    check_whole(conn)

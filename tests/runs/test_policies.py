"""Duplicates and unknown names under every combination of policies in each format, and the state after failed imports."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from stcollection.db.settings import Settings
from stcollection.errors import BadInput, StcError
from stcollection.runs.load import ImportOptions, import_runs
from tests.at_once import at_once
from tests.in_process import in_new_words
from tests.runs.conftest import ranking

pytestmark = pytest.mark.slow

Row = tuple[str, str, float]
ROWS: list[Row] = [
    ("q1", "d1", 1.0), ("q1", "d2", 3.0), ("q1", "x", 2.5), ("q2", "d1", 1.5), ("q1", "d1", 4.0), ("q1", "x", 0.5),
    ("q2", "x", 1.0), ("q2", "x", 2.0),
]  # fmt: skip


def write_trec(path: Path, rows: list[Row]) -> int:
    path.write_text("".join(f"{query} Q0 {docno} 1 {score} t\n" for query, docno, score in rows))
    return 0


def write_json(path: Path, rows: list[Row]) -> int:
    records = [{"run_id": "A_task1_x", "query_id": query, "doc_id": docno, "rel_score": score} for query, docno, score in rows]
    path.write_text("[\n" + ",\n".join(map(json.dumps, records)) + "\n]")
    return 1


def write_tsv(path: Path, rows: list[Row]) -> int:
    lines = [f"A_task1_x\t0\t{query}\t0\t{docno}\tp" for query, docno, _ in rows]
    path.write_text("\n".join(["run_id\tmanual\ttopic_id\tquery_id\tdoc_id\tpassage", *lines]))
    return 1


def expected(rows: list[Row], duplicates: str, documents: str, queries: str) -> tuple[Any, ...]:
    """Return the expected rows, or the row (from 0) with an error, by a separate row-by-row model."""
    known_queries, known_documents = {"q1"}, {"d1", "d2"}
    left = list(enumerate(rows))
    skipped_queries = skipped_documents = 0
    for policy, known, part in ((queries, known_queries, 0), (documents, known_documents, 1)):
        unknown = [place for place, row in left if row[part] not in known]
        if policy == "error" and unknown:
            return ("error", unknown[0])
        if policy == "skip":
            left = [(place, row) for place, row in left if row[part] in known]
            skipped_queries, skipped_documents = (len(unknown), skipped_documents) if part == 0 else (skipped_queries, len(unknown))
    best: dict[tuple[str, str], float] = {}
    dropped = 0
    for place, (query, docno, score) in left:
        if (query, docno) in best:
            if duplicates == "error":
                return ("error", place)
            dropped += 1
            score = max(score, best[query, docno]) if duplicates == "best" else best[query, docno]
        best[query, docno] = score
    order: dict[str, list[str]] = {}
    for query, docno in sorted(best, key=lambda pair: (pair[0], best[pair], pair[1]), reverse=True):
        order.setdefault(query, []).append(docno)
    new_queries = len({query for query, _ in best} - known_queries)
    new_documents = len({docno for _, docno in best} - known_documents)
    return (order, len(best), dropped, new_documents, skipped_documents, new_queries, skipped_queries)


@pytest.mark.slow
@pytest.mark.parametrize("write", [write_trec, write_json, write_tsv])
def test_all_policies(conn: psycopg.Connection, tmp_path: Path, write: Callable[[Path, list[Row]], int]) -> None:
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, 'd1', '{}'), (2, 'd2', '{}')")
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q1', 'x')")
    path = tmp_path / "run"
    header = write(path, ROWS)
    rows = ROWS
    if write is write_tsv:  # the order determines the rank
        places = {query: itertools.count(1) for query in ("q1", "q2")}
        rows = [(query, docno, 1 / next(places[query])) for query, docno, _ in ROWS]
    for duplicates, documents, queries in itertools.product(
        ("error", "first", "best"), ("stub", "skip", "error"), ("stub", "skip", "error")
    ):
        case = (duplicates, documents, queries)
        wanted = expected(rows, *case)
        options = ImportOptions(on_duplicate=duplicates, unknown_documents=documents, unknown_queries=queries)
        with conn.transaction(force_rollback=True):
            if wanted[0] == "error":
                with pytest.raises(BadInput) as error:
                    list(import_runs(conn, [path], name="mine", options=options))
                assert f"{path}:{wanted[1] + 1 + header}: " in error.value.message, case
                assert error.value.hint
                continue
            [done] = import_runs(conn, [path], name="mine", options=options)
            got = done.counts
            assert ranking(conn) == wanted[0], case
            assert (
                got.ranked,
                got.duplicates,
                got.new_documents,
                got.skipped_documents,
                got.new_queries,
                got.skipped_queries,
            ) == wanted[1:], case
            assert got.ranked + got.duplicates + got.skipped_documents + got.skipped_queries == len(ROWS), case
            assert conn.execute("SELECT count(*) FROM dblp WHERE stub").fetchone() == (got.new_documents,), case
            assert conn.execute("SELECT count(*) FROM st1_queries WHERE text IS NULL").fetchone() == (got.new_queries,), case
            stored = conn.execute("SELECT params -> 'import' FROM st1_runs WHERE run = 'mine'").fetchone()
            assert stored == ({"on_duplicate": duplicates, "unknown_documents": documents, "unknown_queries": queries},), case


def contents(conn: psycopg.Connection) -> dict[str, tuple[int, str]]:
    """Return the number of rows and a digest of every table of the collection."""
    tables = conn.execute(
        "SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('public', 'stc', 'stc_all') ORDER BY 1, 2"
    ).fetchall()
    found = {}
    for schema, table in tables:
        rows = sorted(str(row) for (row,) in conn.execute(f"SELECT t::text FROM {schema}.{table} t".encode()))
        found[f"{'' if schema != 'stc_all' else 'stc_all.'}{table}"] = (
            len(rows),
            hashlib.sha256("\n".join(rows).encode()).hexdigest(),
        )
    return found


LAST = [
    b"q1 Q0 d3 1 nan t\n", b"q1 Q0 d3 1\n", b"q1 Q0 caf\xe9 1 1 t\n", b"q1 Q0 a\0b 1 1 t\n", b"q1 Q0 d1 1 1 t\n", b"# q\nq9\n",
]  # fmt: skip


@pytest.mark.parametrize("last", LAST)
@pytest.mark.parametrize("replace", [False, True])
def test_a_bad_file_leaves_every_table_as_it_was(conn: psycopg.Connection, tmp_path: Path, last: bytes, replace: bool) -> None:
    good, bad = tmp_path / "good.run", tmp_path / "bad.run"
    write_trec(good, ROWS[:3])
    list(import_runs(conn, [good], name="good"))
    if replace:
        list(import_runs(conn, [good], name="bad"))
    before = contents(conn)
    assert before["ranked_lists"][0] == (2 if replace else 1)
    bad.write_bytes(b"q1 Q0 d1 1 1 t\nnew Q0 new 1 1 t\n" + last)
    with pytest.raises(StcError):
        list(import_runs(conn, [bad], options=ImportOptions(replace=replace)))
    assert contents(conn) == before


def large(path: Path) -> Path:
    with path.open("w") as file:
        for query in range(60):
            file.writelines(f"q{query} Q0 d{docno} 1 {docno}.5 t\n" for docno in range(1000))
    return path


def killed(
    settings: Settings,
    arguments: list[str],
    conn: psycopg.Connection,
    signal_: int,
    *,
    when: str = "true",
    held: str | None = None,
    claimed: str | None = None,
) -> int:
    """Start the command, and kill it while the database stores its data.

    :param when: a condition in SQL to wait for. :param held: a table locked until then, so that the command cannot finish.
    :param claimed: a run that it cannot store until then.
    """
    environment = os.environ | {"STC_HOME": str(settings.home), "STC_DB": settings.db}
    if settings.dsn is not None:
        environment["STC_DSN"] = settings.dsn
    process = subprocess.Popen(
        [sys.executable, "-m", "stcollection", *in_new_words(arguments)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    others = "SELECT count(*) > 0 FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"
    storing = f"SELECT ({others} AND state = 'active' AND query LIKE '%stc.import_run(%') AND {when}".encode()
    with psycopg.connect(conn.info.dsn, dbname="postgres" if held is None and claimed is None else conn.info.dbname) as keeper:
        if held is not None:
            keeper.execute(f"LOCK TABLE {held} IN SHARE MODE")
        if claimed is not None:
            keeper.execute("SELECT stc.claim_run(%s)", [claimed])
        for _ in range(6000):
            if conn.execute(storing).fetchone() == (True,) or process.poll() is not None:
                break
            time.sleep(0.005)
        assert process.poll() is None, "it was over before it could be ended"
        process.send_signal(signal_)
        code = process.wait()
    for _ in range(6000):
        if conn.execute(others).fetchone() == (False,):
            break
        time.sleep(0.005)
    return code


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("signal_", [signal.SIGKILL, signal.SIGINT])
def test_an_import_that_is_killed_leaves_nothing(
    settings: Settings, conn: psycopg.Connection, tmp_path: Path, signal_: int
) -> None:
    path = large(tmp_path / "large.run")
    before = contents(conn)
    code = killed(settings, ["runs", "import", str(path)], conn, signal_, held="stc.st1_rankings")
    assert code == (130 if signal_ == signal.SIGINT else -signal.SIGKILL)
    assert contents(conn) == before
    [done] = import_runs(conn, [path])
    assert done.counts.ranked == 60_000


@pytest.mark.slow
def test_two_at_once_of_one_name(dsn: str, conn: psycopg.Connection, tmp_path: Path) -> None:
    """One of them is stored completely; the other gets an error."""
    paths = [tmp_path / "a.run", tmp_path / "b.run"]
    for number, path in enumerate(paths):
        path.write_text("".join(f"q{q} Q0 d{number}{d} 1 {d} t\n" for q in range(20) for d in range(200)))
    told: list[str] = []

    def work(path: Path) -> None:
        with psycopg.connect(dsn) as own:
            try:
                list(import_runs(own, [path], name="mine"))
                told.append("stored")
            except StcError as error:
                told.append(error.message)

    at_once(work, paths)
    assert (len(told), told.count("stored")) == (2, 1)
    assert conn.execute("SELECT count(*), count(DISTINCT left(docno, 2)) FROM rankings").fetchone() == (4000, 1)


@pytest.fixture(autouse=True)
def _no_temporary_table_is_left(conn: psycopg.Connection) -> Iterator[None]:
    """Check that a failed import leaves no staging table in the session."""
    yield
    assert conn.execute("SELECT to_regclass('pg_temp.incoming')").fetchone() == (None,)

"""Searches, pools and scores as of a day are exact, and read a small snapshot of a large collection through an index."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest

from tests import databases
from tests.evaluation.conftest import StoreQrels, StoreRun

pytestmark = pytest.mark.slow

DOCUMENTS = 20_000
# Days of the snapshots; the first has few documents, and each later one more.
DAYS = [f"{2015 + number // 4}-{1 + 3 * (number % 4):02}-01" for number in range(40)]
FIRST, LAST = DAYS[0], DAYS[-1]
RANKED = 30

_DOCUMENTS = "INSERT INTO dblp (id, docno, doc) SELECT n, 'd' || n, '{}' FROM generate_series(1, %s) n"
# Document n arrives with snapshot n % 40. One in five leaves three snapshots later, one in seven is absent from the next, and one
# in fifty is not from a snapshot.
_DATES = """
UPDATE dblp_facts f SET first_date = x.first, last_date = x.last, absent = x.absent
  FROM (SELECT n, d.days[1 + n %% 40] AS first, d.days[least(40, 1 + n %% 40 + CASE WHEN n %% 5 = 0 THEN 3 ELSE 40 END)] AS last,
               CASE WHEN n %% 7 = 0 AND n %% 40 < 38 THEN ARRAY[d.days[2 + n %% 40]] END AS absent
          FROM generate_series(1, %s) n, (SELECT %s::date[] AS days) d
         WHERE n %% 50 <> 0) x
 WHERE f.id = x.n
"""
_SNAPSHOTS = "INSERT INTO stc.corpus_snapshots (day, file) SELECT unnest(%s::date[]), id FROM stc.corpus_files"


def contained(n: int, day: str) -> bool:
    """Return whether the snapshot of a day contains document n, by the rules above."""
    first, at = n % 40, DAYS.index(day)
    last = min(39, first + (3 if n % 5 == 0 else 40))
    gone = n % 7 == 0 and first < 38 and at == first + 1
    return n % 50 == 0 or (first <= at <= last and not gone)


@databases.world
def large(conn: psycopg.Connection) -> psycopg.Connection:
    conn.execute(_DOCUMENTS, [DOCUMENTS])
    conn.execute("INSERT INTO dblp_text (id, title) SELECT id, 'Voice ' || docno FROM dblp")
    conn.execute("INSERT INTO stc.corpus_files (path, sha256, bytes, format) VALUES ('f', 'f', 1, 'jsonl')")
    conn.execute(_SNAPSHOTS, [DAYS])
    conn.execute(_DATES, [DOCUMENTS, DAYS])
    conn.execute("ANALYZE dblp, dblp_text, dblp_facts")
    return conn


def reads(conn: psycopg.Connection, statement: str, values: list[Any]) -> tuple[list[Any], int]:
    """Return the rows of a statement, and how often it read the whole table of facts."""
    count = "SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = 'dblp_facts'"
    with conn.transaction():
        [(before,)] = conn.execute(count.encode()).fetchall()
        rows = conn.execute(statement.encode(), values).fetchall()
        [(after,)] = conn.execute(count.encode()).fetchall()
    return rows, after - before


@pytest.mark.parametrize("day", [FIRST, DAYS[1], DAYS[20], LAST])
def test_a_filter_is_exact(day: str, large: psycopg.Connection) -> None:
    expected = [n for n in range(1, DOCUMENTS + 1) if contained(n, day)]
    [(docs,)] = large.execute("SELECT filter_docs(%s)", [json.dumps({"as_of": day})]).fetchall()
    assert sorted(docs) == expected
    assert [row[0] for row in large.execute("SELECT doc FROM documents_as_of(%s) ORDER BY doc", [day])] == expected


def test_the_planner_knows_the_size_of_a_snapshot(large: psycopg.Connection) -> None:
    for day, index in ((FIRST, True), (LAST, False)):
        [(condition,)] = large.execute("SELECT stc.filter_condition(%s)", [json.dumps({"as_of": day})]).fetchall()
        [[[described]]] = large.execute(
            f"EXPLAIN (FORMAT json) SELECT d.id FROM dblp_facts d WHERE {condition}".encode()
        ).fetchall()
        expected = sum(contained(n, day) for n in range(1, DOCUMENTS + 1))
        assert described["Plan"]["Plan Rows"] == pytest.approx(expected, rel=0.3)
        assert ("dblp_facts_first_date_idx" in json.dumps(described)) is index


def test_a_small_snapshot_is_not_searched_in_all_documents(large: psycopg.Connection) -> None:
    for statement, values in (
        ("SELECT unnest(filter_docs(%s))", [json.dumps({"as_of": FIRST})]),
        ("SELECT doc FROM documents_as_of(%s)", [FIRST]),
    ):
        rows, scans = reads(large, statement, values)
        assert {doc for (doc,) in rows} == {n for n in range(1, DOCUMENTS + 1) if contained(n, FIRST)}
        assert scans == 0
    # A plan that must read all facts is counted.
    assert reads(large, "SELECT count(year) FROM dblp_facts", [])[1] == 1


def test_pools_and_scores_read_only_ranked_and_judged_documents(
    large: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels
) -> None:
    ranked = {f"d{n}": 100.0 - n for n in range(1, RANKED + 1)}
    store_run({"q1": ranked}, "one", decoy=False)
    store_qrels({"q1": {f"d{n}": n % 2 for n in range(1, RANKED + 11)}}, "all")
    large.execute("ANALYZE")
    for day in (DAYS[20], LAST):
        there = [n for n in range(1, RANKED + 1) if contained(n, day)]
        rows, scans = reads(large, "SELECT doc, best_rank FROM stc.pool_candidates('{one}', 10, as_of => %s)", [day])
        assert sorted(rows) == [(n, place) for place, n in enumerate(there[:10], 1)]
        assert scans == 0
        rows, scans = reads(large, "SELECT value FROM stc.scores_as_of('{one}', 'all', '{P_10}', %s)", [day])
        assert rows == [(sum(n % 2 for n in there[:10]) / 10,)]
        assert scans == 0

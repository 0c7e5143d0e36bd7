"""A run of known queries and documents is ranked and stored as lists; the rows are those of an import row by row."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.errors import BadArgument, StcError
from stcollection.io.roles import run_format
from stcollection.runs.lists import stage_lists
from stcollection.runs.load import ImportOptions, import_run
from tests.examples import examples

Row = tuple[str, str, int, float]
LISTS = """SELECT query, first, docs, rel_scores, comb_scores, file_ranks, passages FROM stc.ranked_lists
  WHERE run = (SELECT id FROM st1_runs WHERE run = %s) ORDER BY query, first"""
QUERIES, DOCUMENTS = ["q1", "q2", "Q1"], ["a", "B", "é", "a-1", "a,1", *map(str, range(400))]
SCORES = st.sampled_from([0.0, -0.0, 1.0, 1.00000001, 0.1, 0.10000000149011612, 1e300, 1e200, -1e300, 1e-300]) | st.floats(
    allow_nan=False, allow_infinity=False
)

ROWS = st.tuples(st.sampled_from(QUERIES), st.sampled_from(DOCUMENTS), st.integers(0, 999_999_999), SCORES)


@pytest.fixture
def known(conn: psycopg.Connection) -> None:
    conn.execute("INSERT INTO st1_queries (query) SELECT unnest(%s::text[])", [QUERIES])
    conn.execute("SELECT stc.store_stubs(%s)", [DOCUMENTS])


def as_trec(path: Path, rows: Sequence[Row]) -> Path:
    path.write_text("".join(f"{query} Q0 {docno} {rank} {score!r} tag\n" for query, docno, rank, score in rows))
    return path


def as_csv(path: Path, rows: Sequence[Row]) -> Path:
    with path.open("w", newline="") as out:
        csv.writer(out).writerows([("query", "docno", "rank", "score"), *((*row[:3], repr(row[3])) for row in rows)])
    return path


def stored(conn: psycopg.Connection, path: Path, name: str, **options: Any) -> list[Any]:
    import_run(conn, path, name=name, options=ImportOptions(replace=True, **options))
    return conn.execute(LISTS, [name]).fetchall()


def are_lists(conn: psycopg.Connection, path: Path, unknown: str = "stub") -> bool:
    file = run_format(path).read(path, "rel", None)
    with conn.transaction(force_rollback=True):
        return stage_lists(conn, file, source="a.run", unknown_documents=unknown, unknown_queries=unknown) is not None


def test_like_rows(conn: psycopg.Connection, known: None, tmp_path: Path) -> None:
    @given(rows=st.lists(ROWS, min_size=1, max_size=20, unique_by=lambda row: row[:2]))
    @examples(40)
    def check(rows: list[Row]) -> None:
        path = as_trec(tmp_path / "a.run", rows)
        assert are_lists(conn, path)
        assert stored(conn, path, "a") == stored(conn, as_csv(tmp_path / "b.csv", rows), "b")

    check()


@pytest.mark.parametrize("counted_from", [0, 1])
def test_long_lists_with_ties(conn: psycopg.Connection, known: None, tmp_path: Path, counted_from: int) -> None:
    rows = [
        (query, docno, place + counted_from, float(-(place // 50))) for query in QUERIES for place, docno in enumerate(DOCUMENTS)
    ]
    path = as_trec(tmp_path / "a.run", rows)
    assert are_lists(conn, path)
    lists = stored(conn, path, "a")
    assert lists == stored(conn, as_csv(tmp_path / "b.csv", rows), "b")
    assert len(lists) == 3 * 4
    ordered = [(*row[:2], place % 405 + 1, -float(place)) for place, row in enumerate(sorted(rows, key=lambda row: row[0]))]
    assert {tuple(ranks) for *_, ranks, _ in stored(conn, as_trec(tmp_path / "c.run", ordered), "c")} == {()}


UNKNOWN = "q1 Q0 new\\N 1 2.0 t\nq9 Q0 7007 1 1.0 t\nq1 Q0 a 2 1.0 t\nq9 Q0 new\\N 2 0.5 t\n"
REFUSED = [
    ("q1 Q0 a 1 2.0 t\nq2 Q0 a 1 2.0 t\nq1 Q0 a 2 1.0 t\n", "a.run:3: query q1 has document a already, on line 1"),
    ("q1 Q0 a 1 2.0 t\nq1 Q0 B 2 x t\n", "a.run:2: the score 'x' is not a number"),
    ("# nothing\n", "no ranked document"),
]


def test_a_rank_that_is_not_an_integer(conn: psycopg.Connection, known: None, tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 a - 2.0 t\nq1 Q0 B 2 1.0 t\n")
    assert not are_lists(conn, path)
    assert [row[5] for row in stored(conn, path, "a")] == [[None, 2]]


@pytest.mark.parametrize("policy", ["stub", "few"])
def test_unknown_names_are_stored(conn: psycopg.Connection, known: None, tmp_path: Path, policy: str) -> None:
    path = tmp_path / "a.run"
    path.write_text(UNKNOWN)
    assert are_lists(conn, path, policy)
    options = ImportOptions(unknown_documents=policy, unknown_queries=policy)
    counts = import_run(conn, path, options=options).counts
    assert (counts.queries, counts.ranked, counts.new_documents, counts.new_queries) == (2, 4, 2, 1)
    rows = "SELECT r.query, d.docno FROM st1_rankings r JOIN dblp d ON d.id = r.doc ORDER BY r.query, r.rank"
    assert conn.execute(rows).fetchall() == [("q1", "new\\N"), ("q1", "a"), ("q9", "7007"), ("q9", "new\\N")]
    assert conn.execute("SELECT id FROM dblp WHERE docno = '7007' AND stub").fetchone() == (7007,)


@pytest.mark.parametrize("policy", ["skip", "error"])
def test_unknown_names_are_skipped_or_refused_by_row(conn: psycopg.Connection, known: None, tmp_path: Path, policy: str) -> None:
    path = tmp_path / "a.run"
    path.write_text(UNKNOWN)
    assert not are_lists(conn, path, policy)
    options = ImportOptions(unknown_documents=policy, unknown_queries=policy)
    if policy == "skip":
        assert import_run(conn, path, options=options).counts.skipped_documents == 1
    else:
        with pytest.raises(StcError, match=r"a\.run:2: query q9 is not stored"):
            import_run(conn, path, options=options)
    assert conn.execute("SELECT count(*) FROM st1_queries WHERE query = 'q9'").fetchone() == (0,)


def test_a_name_that_no_query_can_have(conn: psycopg.Connection, known: None, tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(f"# a comment\nq1 Q0 a 1 2.0 t\n{201 * 'q'} Q0 new 1 2.0 t\n")
    assert not are_lists(conn, path)
    with pytest.raises(StcError, match=r"a\.run:3: .* cannot be the name of a query"):
        import_run(conn, path, options=ImportOptions())
    assert conn.execute("SELECT count(*) FROM dblp WHERE docno = 'new'").fetchone() == (0,)


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_lines_are_named(conn: psycopg.Connection, known: None, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.run"
    path.write_text(text)
    assert not are_lists(conn, path)
    with pytest.raises(StcError, match=message):
        import_run(conn, path, options=ImportOptions())


def test_policies_are_checked(conn: psycopg.Connection, known: None, tmp_path: Path) -> None:
    path = as_trec(tmp_path / "a.run", [("q1", "a", 1, 1.0)])
    for policy in ("unknown_documents", "unknown_queries", "on_duplicate"):
        with pytest.raises(BadArgument, match="'other' is not a policy"):
            stored(conn, path, "a", **{policy: "other"})

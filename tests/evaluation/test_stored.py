"""Values that judge_runs stores are read while they are current and never afterwards, whatever changed and however."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.evaluation.measures import parse_measures
from stcollection.evaluation.score import judge, leaderboard, score
from tests.evaluation.conftest import StoreQrels, StoreRun
from tests.groups import qrels, runs

pytestmark = pytest.mark.slow

RUN = {"q1": {f"d{number}": 1.0 / number for number in range(1, 31)}, "q2": {"d1": 2.0, "d2": 1.0}}
QRELS = {"q1": {"d2": 1, "d3": 0, "d15": 2, "d7": -1, "d40": 1}, "q2": {"d1": 1}, "q3": {"d1": 1}}
MEASURES = [*parse_measures("official"), *parse_measures("all_trec"), *parse_measures("nDCG@10"), *parse_measures("Judged@10")]
Change = Callable[[psycopg.Connection], object]


def fresh(conn: psycopg.Connection, edition: str) -> list[str]:
    """Return the runs whose stored rows are current."""
    return [
        run
        for [run] in conn.execute(
            "SELECT n.run FROM stc_all.judged_runs g JOIN st1_runs n ON n.id = g.run AND n.version = g.run_version"
            " JOIN qrels_editions e ON e.id = g.edition AND e.version = g.edition_version WHERE e.edition = %s ORDER BY 1",
            [edition],
        )
    ]


def values(conn: psycopg.Connection, edition: str) -> list[object]:
    """Return the values that SQL reads; it stores nothing."""
    return [
        row
        for measures in (MEASURES, MEASURES[:5])
        for row in conn.execute(
            "SELECT run, query, measure, value FROM scores('{}', %s, %s) ORDER BY 1, 2, 3",
            [edition, [str(one) for one in measures]],
        )
    ]


def unstored(conn: psycopg.Connection, edition: str) -> list[object]:
    """Return the values computed without stored rows, and restore these afterwards."""
    with conn.transaction(force_rollback=True):
        conn.execute("DELETE FROM stc_all.judged_runs")
        conn.execute("DELETE FROM stc_all.judged_queries")
        return values(conn, edition)


@pytest.fixture
def edition(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> str:
    store_run(RUN, "first")
    store_run({"q1": {"d2": 1.0, "d15": 0.5}}, "second")
    return store_qrels(QRELS, "judged")


def test_the_same_values_stored_and_not(conn: psycopg.Connection, edition: str) -> None:
    before = values(conn, edition)
    assert judge(conn, edition=edition) == 4
    assert fresh(conn, edition) == ["first", "second", "~first", "~second"]
    assert values(conn, edition) == before == unstored(conn, edition)
    assert judge(conn, edition=edition) == 0


def test_scoring_stores_values_outside_a_transaction(conn: psycopg.Connection, edition: str) -> None:
    with conn.transaction():
        found = score(conn, runs=["first"], edition=edition, measures=MEASURES)
    assert fresh(conn, edition) == []
    assert score(conn, runs=["first"], edition=edition, measures=MEASURES) == found
    assert fresh(conn, edition) == ["first"]
    leaderboard(conn, edition=edition)
    assert fresh(conn, edition) == ["first", "second", "~first", "~second"]


def test_stored_values_are_read(conn: psycopg.Connection, edition: str) -> None:
    judge(conn, edition=edition)
    conn.execute("UPDATE stc_all.judged_scores SET scores = array_fill(7.0::double precision, ARRAY[cardinality(scores)])")
    assert {row[0] for row in conn.execute("SELECT value FROM scores('{}', %s, '{map,P_10}')", [edition])} == {7.0}


INSERT = "INSERT INTO {} SELECT {}"
CHANGES: dict[str, str] = {
    "a judgment": "INSERT INTO qrels_judgments (edition, query, doc, rel)"
    " SELECT e.id, q.id, d.id, 3 FROM qrels_editions e, st1_queries q, dblp d"
    " WHERE e.edition = 'judged' AND q.query = 'q1' AND d.docno = 'd1'",
    "a better judge": "INSERT INTO qrels_judgments (edition, query, doc, rel, annotator)"
    " SELECT e.id, q.id, d.id, 1, 'a' FROM qrels_editions e, st1_queries q, dblp d"
    " WHERE e.edition = 'judged' AND q.query = 'q2' AND d.docno = 'd2'",
    "a row gone": "DELETE FROM stc.st1_rankings r USING st1_runs n WHERE n.id = r.run AND n.run = 'first' AND r.rank > 10",
    "ranks": "UPDATE stc.st1_rankings r SET rank = l.last + 1 - r.rank, rel_score = -r.rel_score"
    " FROM st1_runs n, (SELECT run, query, max(rank) AS last FROM stc.st1_rankings GROUP BY 1, 2) l"
    " WHERE n.id = r.run AND n.run = 'first' AND (l.run, l.query) = (r.run, r.query)",
    "another run's rows": "UPDATE stc.ranked_lists r SET run = (SELECT id FROM st1_runs WHERE run = 'second')"
    " FROM st1_runs n, st1_queries q WHERE n.id = r.run AND n.run = 'first' AND q.id = r.query AND q.query = 'q2'",
    "no rankings": "TRUNCATE stc.ranked_lists",
    "a run gone": "DELETE FROM st1_runs WHERE run = 'first'",
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_detected(conn: psycopg.Connection, edition: str, change: str) -> None:
    judge(conn, edition=edition)
    before = values(conn, edition)
    conn.execute(CHANGES[change].encode())
    after = values(conn, edition)
    assert after != before or change == "ranks"
    assert after == unstored(conn, edition)
    judge(conn, edition=edition)
    assert values(conn, edition) == after
    assert judge(conn, edition=edition) == 0


def test_a_reverted_change_keeps_stored_values(conn: psycopg.Connection, edition: str) -> None:
    judge(conn, edition=edition)
    before = values(conn, edition)
    for change in CHANGES.values():
        with conn.transaction(force_rollback=True):
            conn.execute(change.encode())
            assert judge(conn, edition=edition) > 0 or "DELETE FROM st1_runs" in change
        assert fresh(conn, edition) == ["first", "second", "~first", "~second"]
        assert values(conn, edition) == before


def test_adding_a_run_stores_only_that_run(conn: psycopg.Connection, edition: str, store_run: StoreRun) -> None:
    judge(conn, edition=edition)
    kept = "SELECT run, query, xmin::text FROM stc_all.judged_rankings ORDER BY 1, 2"
    before = conn.execute(kept).fetchall()
    store_run({"q2": {"d9": 2.0, "d1": 1.0}}, "third", decoy=False)
    assert values(conn, edition) == unstored(conn, edition)
    assert judge(conn, edition=edition) == 1
    after = conn.execute(kept).fetchall()
    assert after[: len(before)] == before
    assert len(after) == len(before) + 3  # one row per judged query


def test_dropping_an_edition_drops_its_rows(conn: psycopg.Connection, edition: str) -> None:
    judge(conn, edition=edition)
    judge(conn, edition=f"~{edition}")
    conn.execute("SELECT stc.drop_edition(%s)", [edition])
    for table in ("judged_runs", "judged_queries", "judged_rankings", "judged_scores"):
        [[rows, editions]] = conn.execute(f"SELECT count(*), count(DISTINCT edition) FROM stc_all.{table}").fetchall()
        assert rows > 0, table
        assert editions == 1, table


def test_another_transaction_sees_committed_rows(conn: psycopg.Connection, dsn: str, edition: str) -> None:
    judge(conn, edition=edition)
    before = values(conn, edition)
    with psycopg.connect(dsn) as other:
        other.execute(CHANGES["a judgment"].encode())
        judge(other, edition=edition)
        changed = values(other, edition)
        assert changed != before
        assert values(conn, edition) == before
        other.commit()
    assert values(conn, edition) == changed == unstored(conn, edition)


def test_a_snapshot_keeps_reading_its_rows(conn: psycopg.Connection, dsn: str, edition: str) -> None:
    judge(conn, edition=edition)
    with psycopg.connect(dsn) as reader:
        reader.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        before = values(reader, edition)
        conn.execute(CHANGES["a row gone"].encode())
        judge(conn, edition=edition)
        assert values(reader, edition) == before
    assert values(conn, edition) != before


def test_a_reader_gets_the_same_values_and_stores_nothing(conn: psycopg.Connection, dsn: str, edition: str) -> None:
    before = values(conn, edition)
    with psycopg.connect(dsn) as reader:
        reader.read_only = True
        assert judge(reader, edition=edition) == 0
        assert values(reader, edition) == before
    conn.execute("DROP ROLE IF EXISTS stc_test_reader")
    conn.execute("CREATE ROLE stc_test_reader")
    try:
        conn.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public, stc TO stc_test_reader")
        conn.execute("SET ROLE stc_test_reader")
        assert judge(conn, edition=edition) == 0
        assert values(conn, edition) == before
        conn.execute("RESET ROLE")
        judge(conn, edition=edition)
        conn.execute("SET ROLE stc_test_reader")
        assert values(conn, edition) == before
    finally:
        conn.execute("RESET ROLE")
        conn.execute("DROP OWNED BY stc_test_reader")
        conn.execute("DROP ROLE stc_test_reader")


def test_imported_scores_are_returned_by_name(conn: psycopg.Connection, edition: str) -> None:
    conn.execute("INSERT INTO st1_runs (run) VALUES ('theirs')")
    conn.execute(
        "INSERT INTO st1_scores (edition, run, query, measure, value) SELECT e.id, n.id, q.id, 'ndcg_cut_10', 0.25"
        " FROM qrels_editions e, st1_runs n, st1_queries q"
        " WHERE e.edition = 'judged' AND n.run = 'theirs' AND q.query IN ('q1', 'q3')"
    )
    rows = conn.execute("SELECT * FROM scores('{theirs}', %s, '{nDCG@10,map}') ORDER BY query", [edition]).fetchall()
    assert rows == [("theirs", "q1", "nDCG@10", 0.25), ("theirs", "q2", "nDCG@10", 0.0), ("theirs", "q3", "nDCG@10", 0.25)]
    rows = conn.execute("SELECT * FROM scores('{theirs}', %s, '{nDCG@10}', false) ORDER BY query", [edition]).fetchall()
    assert [row[1] for row in rows] == ["q1", "q3"]
    [mean] = conn.execute("SELECT value, queries FROM mean_scores('{theirs}', %s, '{nDCG@10}')", [edition]).fetchall()
    assert mean == (pytest.approx(1 / 6), 3)
    assert not conn.execute("SELECT * FROM scores('{theirs}', %s, '{nDCG@10}', relevance_level => 2)", [edition]).fetchall()
    board: dict[str, float] = dict(conn.execute("SELECT run, ndcg_cut_10 FROM leaderboard(%s)", [edition]).fetchall())
    assert board["theirs"] == pytest.approx(1 / 6)
    assert len(board) == 5


def test_imported_runs_and_sealed_editions_are_judged(
    conn: psycopg.Connection, settings: Settings, tmp_path: Path, store_qrels: StoreQrels
) -> None:
    edition = store_qrels({"q1": {"a": 1, "b": 0}})
    (tmp_path / "mine.run").write_text("q1 Q0 a 1 2.0 mine\nq1 Q0 b 2 1.0 mine\n")
    done = CliRunner().invoke(runs, ["import", str(tmp_path / "mine.run")], obj=settings)
    assert done.exit_code == 0, done.output
    judged = (
        "SELECT e.edition, n.run FROM stc_all.judged_runs g JOIN qrels_editions e ON e.id = g.edition JOIN"
        " st1_runs n ON n.id = g.run"
    )
    assert sorted(conn.execute(judged).fetchall()) == [(edition, "mine"), (f"~{edition}", "mine")]
    conn.execute("INSERT INTO qrels_editions (edition) SELECT 'later'")
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT l.id, j.query, j.doc, j.rel"
        " FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition AND e.edition = %s, qrels_editions l"
        " WHERE l.edition = 'later'",
        [edition],
    )
    done = CliRunner().invoke(qrels, ["seal", "later", "--yes"], obj=settings)
    assert done.exit_code == 0, done.output
    assert ("later", "mine") in conn.execute(judged).fetchall()

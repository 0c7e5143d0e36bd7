"""The SQL functions as called from psql, and the rows they read."""

from __future__ import annotations

import psycopg
import pytest

from stcollection.evaluation.kinds import KINDS
from stcollection.evaluation.measures import AP, RR, Bpref, Judged, P, R, nDCG
from stcollection.evaluation.score import score
from tests.evaluation.conftest import StoreQrels, StoreRun

RUN = {"q1": {f"d{number}": 1.0 / number for number in range(1, 31)}, "q2": {"d1": 2.0, "d2": 1.0}}
QRELS = {"q1": {"d2": 1, "d3": 0, "d15": 2, "d40": 1}, "q2": {"d1": 1}, "q3": {"d1": 1}}


CALLS = {
    "ndcg(%s, %s)": nDCG @ 10,
    "ndcg(%s, %s, cutoff => 20)": nDCG @ 20,
    "precision_at(%s, %s, 20)": P @ 20,
    "recall_at(%s, %s, 2)": R @ 2,
    "judged_at(%s, %s, 5)": Judged @ 5,
    "reciprocal_rank(%s, %s)": RR,
    "average_precision(%s, %s)": AP,
    "bpref(%s, %s, complete => false)": Bpref,
}


def test_a_function_for_each_measure(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    run, edition = store_run(RUN), store_qrels(QRELS)
    for call, measure in CALLS.items():
        rows = conn.execute(f"SELECT run, query, value FROM {call}", [[run], edition]).fetchall()
        scores = score(conn, runs=[run], edition=edition, measures=[measure], complete="complete => false" not in call)
        assert sorted(rows) == [(one.run, one.query, one.value) for one in scores]
        assert any(one.value for one in scores)


def test_the_leaderboard_in_psql(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    run, edition = store_run(RUN), store_qrels(QRELS)
    cursor = conn.execute("SELECT * FROM leaderboard(%s)", [edition])
    columns = [column.name for column in cursor.description or []]
    measures = [nDCG @ 10, nDCG @ 20, P @ 10, P @ 20, RR, Bpref, AP, R @ 100, Judged @ 10]
    assert columns == ["run", *(measure.trec_eval.lower() for measure in measures)]

    rows = cursor.fetchall()
    assert [row[0] for row in rows] == [run, f"~{run}"]
    assert rows[0][1] > rows[1][1]
    for name, *means in rows:
        values = score(conn, runs=[name], edition=edition, measures=measures)
        assert means == pytest.approx([sum(one.value for one in values if one.measure == m) / 3 for m in measures])
    assert conn.execute("SELECT * FROM leaderboard(%s, %s)", [edition, [run]]).fetchall() == rows[:1]


def test_means_report_the_number_of_queries(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    run, edition = store_run(RUN), store_qrels(QRELS)
    statement = "SELECT cutoff, queries FROM stc.evaluate_runs(%s, %s, '{5,10}', %s) ORDER BY cutoff"
    assert conn.execute(statement, [[run], edition, True]).fetchall() == [(5, 3), (10, 3)]
    assert conn.execute(statement, [[run], edition, False]).fetchall() == [(5, 2), (10, 2)]


def reads(conn: psycopg.Connection, call: str) -> int:
    """Return how many entries of the indexes of the ranked lists a call reads."""
    conn.execute("SET max_parallel_workers_per_gather = 0")
    conn.execute("SELECT pg_stat_force_next_flush()")
    conn.execute("SELECT pg_stat_reset()")
    conn.execute(call)
    conn.execute("SELECT pg_stat_force_next_flush()")
    [(scans, entries)] = conn.execute(
        "SELECT sum(t.seq_scan), sum(i.idx_tup_read) FROM pg_stat_user_indexes i JOIN pg_stat_user_tables t USING (relid)"
        " WHERE i.relname = 'ranked_lists'"
    ).fetchall()
    assert scans == 0
    return int(entries)


@pytest.mark.usefixtures("dsn")
def test_a_score_reads_the_lists_of_its_runs_alone(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    for number in range(5):
        store_run(RUN, f"run{number}", decoy=False)
    edition = store_qrels(QRELS)
    for shape in ("VACUUM", "VACUUM ANALYZE"):
        conn.execute(shape.encode())
        alone = reads(conn, f"SELECT * FROM evaluate('{{run3}}', '{edition}')")
        assert 0 < alone <= 3 * len(RUN), shape
        assert alone < reads(conn, f"SELECT * FROM evaluate('{{}}', '{edition}')") <= 5 * 3 * len(RUN), shape


@pytest.mark.parametrize("options", ["", "relevance_level => 2", "relevance_level => 0", "judged_only => true", "max_rank => 4"])
def test_a_cutoff_measure_alone_has_the_same_value(
    conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels, options: str
) -> None:
    """Alone, it is computed from the ranks down to its cutoff; with AP, nDCG and infAP from all of them."""
    store_run(RUN)
    edition = store_qrels({**QRELS, "q1": {**QRELS["q1"], "d4": -1, "d9": 3}})
    kinds = [name for name, kind in KINDS.items() if kind.takes == "cutoff" and not {"subtopics", "strata"} & {*kind.uses}]
    names = [f"{name}_{cutoff}" for name in kinds for cutoff in (2, 10)]
    statement = (
        f"SELECT run, query, measure, value FROM scores('{{}}', %s, %s{', ' * bool(options)}{options}) WHERE measure = ANY (%s)"
    )
    together = sorted(conn.execute(statement, [edition, [*names, "map", "ndcg", "infAP"], names]))
    alone = [row for name in names for row in conn.execute(statement, [edition, [name], [name]])]
    assert sorted(alone) == together
    assert sorted(conn.execute(statement, [edition, names, names])) == together
    assert len({value for *_, value in together}) > 10


@pytest.mark.usefixtures("dsn")
@pytest.mark.slow
def test_parallel_processes_share_the_queries(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    queries = [f"q{number}" for number in range(260)]  # with fewer lists, starting processes would take longer
    store_run({query: {f"d{number}": number + len(query) for number in range(50)} for query in queries})
    edition = store_qrels({query: {f"d{number}": number % 3 for number in range(0, 60, 7)} for query in queries})
    found = []
    for workers in (0, 2):
        conn.execute(f"SET max_parallel_workers_per_gather = {workers}")
        conn.execute("DISCARD PLANS")
        found.append(sorted(conn.execute("SELECT * FROM scores('{}', %s, '{AP,nDCG@5}')", [edition]).fetchall()))
    assert found[0] == found[1]
    assert len(found[0]) == 2 * 2 * len(queries)
    if conn.info.server_version >= 180000:
        conn.execute("SELECT pg_stat_force_next_flush()")
        [launched] = (
            conn.execute("SELECT parallel_workers_launched FROM pg_stat_database WHERE datname = current_database()").fetchone()
            or []
        )
        assert launched > 0


def test_runs_whose_keys_are_far_apart(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    """A packed rank stores a run modulo 2^17."""
    run, edition = store_run(RUN), store_qrels(QRELS)
    measures = [AP, Bpref, P @ 5]
    expected = score(conn, runs=[], edition=edition, measures=measures)
    [(first, second)] = conn.execute("SELECT min(id), max(id) FROM st1_runs").fetchall()
    conn.execute("INSERT INTO st1_runs (id, run) OVERRIDING SYSTEM VALUE SELECT %s, 'far'", [first + 2**17])
    conn.execute("UPDATE stc.ranked_lists SET run = %s WHERE run = %s", [first + 2**17, second])
    assert score(conn, runs=[run, "far"], edition=edition, measures=measures) == sorted(
        (one._replace(run="far") if one.run != run else one for one in expected), key=lambda one: (one.run, one.query)
    )

"""The contract of each measure: values computed by hand."""

from __future__ import annotations

import math

import psycopg
import pytest

from stcollection.evaluation.measures import AP, OFFICIAL, RR, Bpref, Judged, Measure, P, R, nDCG
from stcollection.evaluation.score import RunStanding, Score, leaderboard, score
from tests.evaluation.conftest import StoreQrels, StoreRun

# d1 … d6 in this order; d7 and d8 are judged but not retrieved, d4 is retrieved but not judged.
RUN = {"q1": {"d1": 6.0, "d2": 5.0, "d3": 4.0, "d4": 3.0, "d5": 2.0, "d6": 1.0}}
QRELS = {"q1": {"d1": 2, "d2": 0, "d3": 1, "d5": 0, "d6": 1, "d7": 2, "d8": 0}}

BY_HAND = {
    P @ 5: 2 / 5,
    P @ 10: 3 / 10,  # divided by the cutoff, not by the number retrieved
    R @ 5: 2 / 4,
    R @ 100: 3 / 4,
    RR: 1.0,
    AP: (1 / 1 + 2 / 3 + 3 / 6) / 4,
    Bpref: (1 + (1 - 1 / 3) + (1 - 2 / 3)) / 4,  # R = 4, N = 3
    nDCG @ 2: 2 / (2 + 2 / math.log2(3)),
    nDCG @ 5: (2 + 1 / math.log2(4)) / (2 + 2 / math.log2(3) + 1 / math.log2(4) + 1 / math.log2(5)),
    Judged @ 5: 4 / 5,
    Judged @ 10: 5 / 6,  # of the six retrieved documents
}


@pytest.fixture
def value(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels):  # type: ignore[no-untyped-def]
    """Return a function that computes one measure for one run with one query."""

    def value(run: dict[str, float], qrels: dict[str, int], measure: Measure) -> float:
        name, edition = store_run({"q": run}), store_qrels({"q": qrels})
        [got] = score(conn, runs=[name], edition=edition, measures=[measure])
        assert got[:3] == (name, "q", measure)
        return got.value

    return value


def test_a_ranking_with_all_cases(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    run, edition = store_run(RUN), store_qrels(QRELS)
    found = {one.measure: one.value for one in score(conn, runs=[run], edition=edition, measures=BY_HAND)}
    assert found == pytest.approx(BY_HAND, abs=1e-12)


def test_one_relevant_document_at_rank_two(value) -> None:  # type: ignore[no-untyped-def]
    assert value({"d1": 9.0, "d2": 8.0}, {"d2": 1}, nDCG @ 10) == pytest.approx(1 / math.log2(3))


def test_reciprocal_rank_uses_the_first_relevant_document(value) -> None:  # type: ignore[no-untyped-def]
    assert value({"d1": 9.0, "d2": 8.0, "d3": 7.0}, {"d2": 1, "d3": 2}, RR) == pytest.approx(1 / 2)


def test_bpref_counts_at_most_r_documents_above(value) -> None:  # type: ignore[no-untyped-def]
    assert value({"a": 5.0, "b": 4.0, "c": 3.0, "d": 2.0}, {"a": 0, "b": 0, "c": 0, "d": 1, "e": 0}, Bpref) == 0


def test_bpref_without_nonrelevant_judgments(value) -> None:  # type: ignore[no-untyped-def]
    assert value({"a": 5.0, "b": 4.0}, {"b": 1, "c": 1}, Bpref) == pytest.approx(1 / 2)


def test_a_negative_grade_is_no_judgment(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    run, edition = store_run({"q": {"a": 5.0, "b": 4.0}}), store_qrels({"q": {"a": -1, "b": 1, "c": -2, "d": 0}})
    expected = {P @ 2: 1 / 2, nDCG @ 2: 1 / math.log2(3), AP: 1 / 2, Bpref: 1.0, R @ 2: 1.0, Judged @ 2: 1 / 2}
    found = {one.measure: one.value for one in score(conn, runs=[run], edition=edition, measures=expected)}
    assert found == pytest.approx(expected)


def test_a_query_without_a_relevant_document_scores_zero(
    conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels
) -> None:
    run = store_run({"none relevant": {"a": 5.0, "b": 4.0}, "none judged": {"a": 5.0, "b": 4.0}})
    edition = store_qrels({"none relevant": {"a": 0, "z": 0}, "none judged": {"a": -1, "z": -2}})
    scores = score(conn, runs=[run], edition=edition, measures=OFFICIAL)
    assert [one.value for one in scores] == [0.0] * (2 * len(OFFICIAL))


def _move_last(conn: psycopg.Connection, query: str, rank: int) -> None:
    """Move the last document of a query to a rank below a gap, which triggers refuse otherwise."""
    conn.execute("ALTER TABLE stc.ranked_lists DISABLE TRIGGER USER")
    conn.execute(
        "WITH shortened AS (UPDATE stc.ranked_lists l SET docs = trim_array(docs, 1), rel_scores = trim_array(rel_scores, 1)"
        " FROM st1_queries q WHERE q.id = l.query AND q.query = %s RETURNING old.*)"
        " INSERT INTO stc.ranked_lists (run, query, first, docs, rel_scores)"
        " SELECT run, query, %s, ARRAY[docs[cardinality(docs)]], ARRAY[rel_scores[cardinality(docs)]] FROM shortened",
        [query, rank],
    )
    conn.execute("ALTER TABLE stc.ranked_lists ENABLE TRIGGER USER")


def test_the_largest_grade_rank_and_cutoff(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    store_run({"q": {"a": 2.0, "b": 1.0}}, decoy=False)
    edition = store_qrels({"q": {"a": 0, "b": 2**15 - 1, "c": 1}})
    conn.execute("INSERT INTO st1_runs (id, run) OVERRIDING SYSTEM VALUE VALUES (2 ^ 16 - 1, 'last')")  # the largest key that fits
    conn.execute("UPDATE stc.ranked_lists SET run = 2 ^ 16 - 1")
    _move_last(conn, "q", 2**31 - 1)
    expected = {RR: 1 / (2**31 - 1), P @ 2: 0, R @ (2**31 - 1): 1 / 2, R @ (2**31 - 2): 0, Bpref: 0, nDCG @ (2**31 - 1): 1 / 31}
    expected[nDCG @ (2**31 - 1)] *= (2**15 - 1) / (2**15 - 1 + 1 / math.log2(3))
    found = {one.measure: one.value for one in score(conn, runs=["last"], edition=edition, measures=expected)}
    assert found == pytest.approx(expected, rel=1e-9)


def test_values_too_small_for_a_number_count_as_zero(
    conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels
) -> None:
    """Underflow counts as 0, although PostgreSQL raises an error for 0.9^10000 or a product of 400 factors of 1/16."""
    docs = [f"d{rank:05}" for rank in range(400)]
    many = {doc: -float(rank) for rank, doc in enumerate(docs)}
    run = store_run({"deep": {"a": 3.0, "b": 2.0, "c": 1.0}, "many": many}, decoy=False)
    _move_last(conn, "deep", 10_000)
    edition = store_qrels({"deep": {"a": 0, "b": 1, "c": 1}, "many": dict.fromkeys(docs, 4)})
    names = ["RBP(p=0.5)", "RBP(p=0)", "RBP(p=1)", "rbp", "rbp_resid", "ERR@20", "INST(max_rel=4)", "INSQ(max_rel=4)"]
    names += ["NERR8(max_rel=4)@1000", "NERR9(max_rel=8)@1000", "NERR10(max_rel=8)", "NERR11(max_rel=4)", "BPM(max_rel=8)@1000"]
    rows = conn.execute("SELECT query, measure, value FROM scores(%s, %s, %s)", [[run], edition, names]).fetchall()
    found = {(query, measure): value for query, measure, value in rows}
    assert [found["deep", name] for name in names[:4]] == pytest.approx([0.25, 0, 0, 0.09])
    satisfied = 15 / 16
    expected = sum(satisfied * (1 - satisfied) ** (rank - 1) / rank for rank in range(1, 21))
    assert found["many", "ERR@20"] == pytest.approx(expected)
    assert found["many", "INST(max_rel=4)"] == pytest.approx(1, abs=0.01)


def test_a_query_the_run_has_nothing_for_is_zero_or_left_out(
    conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels
) -> None:
    run = store_run({"q1": {"a": 1.0}, "q2": {"z": 1.0}, "elsewhere": {"a": 1.0}})
    edition = store_qrels({"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}})
    measures = [P @ 1, Judged @ 1]

    complete = score(conn, runs=[run], edition=edition, measures=measures)
    assert [(one.query, one.value) for one in complete] == [("q1", 1), ("q1", 1), ("q2", 0), ("q2", 0), ("q3", 0), ("q3", 0)]
    [standing] = leaderboard(conn, runs=[run], edition=edition, measures=measures)
    assert standing.run == run
    assert standing.values == pytest.approx((1 / 3, 1 / 3), abs=1e-12)

    retrieved = score(conn, runs=[run], edition=edition, measures=measures, complete=False)
    assert retrieved == complete[:4]  # q2 stays: the run has unjudged documents for it
    assert leaderboard(conn, runs=[run], edition=edition, measures=measures, complete=False) == [RunStanding(run, (1 / 2, 1 / 2))]


def test_a_run_without_a_row(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    run, edition = store_run({}), store_qrels(QRELS)
    assert {one.value for one in score(conn, runs=[run], edition=edition, measures=[*OFFICIAL, Judged @ 10])} == {0.0}
    assert score(conn, runs=[run], edition=edition, measures=OFFICIAL, complete=False) == []


def test_an_edition_without_a_judgment(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    store_run(RUN)
    edition = store_qrels({})
    assert score(conn, runs=[], edition=edition, measures=OFFICIAL) == []
    assert leaderboard(conn, edition=edition) == []


def test_human_before_machine_judgments(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    run, edition = store_run({"q": {"a": 2.0, "b": 1.0}}), store_qrels({"q": {"a": 0}})
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel, origin) SELECT e.id, q.id, d.id, 2, 'llm'"
        " FROM qrels_editions e, st1_queries q, dblp d WHERE e.edition = %s",
        [edition],
    )
    assert [one.value for one in score(conn, runs=[run], edition=edition, measures=[RR, AP])] == [1 / 2, 1 / 2]


def test_the_default_is_all_runs_in_order(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    store_run({"q1": {"a": 2.0, "b": 1.0}, "q10": {"a": 1.0}, "q2": {"a": 1.0}}, "first")
    edition = store_qrels({"q2": {"a": 1}, "q10": {"a": 1}})
    assert score(conn, runs=[], edition=edition, measures=[RR, P @ 1]) == [
        Score(run, query, measure, 1.0) for run in ("first", "~first") for query in ("q10", "q2") for measure in (RR, P @ 1)
    ]


def test_the_best_run_comes_first_and_ties_are_by_name(
    conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels
) -> None:
    for name, relevant in (("b", 2.0), ("a", 2.0), ("c", 4.0)):
        store_run({"q": {"x": 3.0, "y": relevant}}, name, decoy=False)
    edition = store_qrels({"q": {"y": 1}})
    assert leaderboard(conn, edition=edition, measures=[RR, P @ 1]) == [
        RunStanding("c", (1.0, 1.0)),
        RunStanding("a", (0.5, 0.0)),
        RunStanding("b", (0.5, 0.0)),
    ]

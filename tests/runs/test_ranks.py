"""Ranks equal those of trec_eval 9: score in single precision descending, ties by docno as bytes descending."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import psycopg
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from stcollection.runs.load import ImportOptions, import_runs
from tests.examples import examples
from tests.runs.conftest import Ranking, Store, ranking, trec

Run = dict[str, list[tuple[str, float]]]


def by_trec_eval(run: Run) -> Ranking:
    """Return trec_eval's order, from the reciprocal rank of each document as the only relevant one."""
    alone = {(query, docno): f"{query}\t{docno}" for query, rows in run.items() for docno, _ in rows}
    qrels = {topic: {docno: 1} for (_, docno), topic in alone.items()}
    runs = {topic: dict(run[query]) for (query, _), topic in alone.items()}
    measured = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(runs)
    ranks = {pair: round(1 / measured[topic]["recip_rank"]) for pair, topic in alone.items()}
    return {query: [docno for _, docno in sorted((ranks[query, docno], docno) for docno, _ in rows)] for query, rows in run.items()}


def by_numpy(run: Run) -> Ranking:
    found = {}
    for query, rows in run.items():
        docnos = np.array([docno.encode() for docno, _ in rows])
        order = np.lexsort((docnos, np.array([score for _, score in rows]).astype(np.float32)))[::-1]
        found[query] = [rows[place][0] for place in order]
    return found


def read(path: Path, *, best_of_pair: bool = False) -> Run:
    """Read a run in the simplest way; the first of a repeated pair is kept."""
    run: dict[str, dict[str, float]] = {}
    for line in path.read_text().splitlines():
        query, _, docno, _, score = line.split()[:5]
        rows = run.setdefault(query, {})
        rows[docno] = max(float(score), rows.get(docno, -math.inf)) if best_of_pair else rows.get(docno, float(score))
    return {query: list(rows.items()) for query, rows in run.items()}


BY_HAND: list[tuple[list[tuple[str, float]], list[str]]] = [
    ([("a", 1.0), ("b", 2.0)], ["b", "a"]),
    ([("9", 1.0), ("10", 1.0)], ["9", "10"]),  # docnos are text, even if they are numbers
    ([("10", 1.0), ("9", 1.00000001)], ["9", "10"]),  # equal in single precision
    ([("10", 1.00000001), ("9", 1.0)], ["9", "10"]),
    ([("10", 1.0000002), ("9", 1.0)], ["10", "9"]),
    ([("B", 1.0), ("a", 1.0), ("_", 1.0), ("é", 1.0)], ["é", "a", "_", "B"]),  # bytes, not letters
    ([("a-1", 1.0), ("a1", 1.0), ("a 0".replace(" ", "!"), 1.0)], ["a1", "a-1", "a!0"]),
    ([("a", 1e300), ("b", 1e200), ("c", 3.4e38)], ["b", "a", "c"]),  # infinite both in single precision
    ([("a", -1e300), ("b", -1e200), ("c", -3.4e38)], ["c", "b", "a"]),
    ([("a", 1e-300), ("b", 0.0), ("c", -1e-300), ("d", 1e-45)], ["d", "c", "b", "a"]),
    ([("a", -1.0), ("b", -2.0), ("c", -0.0), ("d", 0.0)], ["d", "c", "a", "b"]),
]


def test_by_hand_and_by_trec_eval(conn: psycopg.Connection, store: Store) -> None:
    for rows, order in BY_HAND:
        store(trec({"q": rows}), replace=True)
        assert ranking(conn) == {"q": order} == by_trec_eval({"q": rows})
        assert ranking(conn, "decoy") == {"q": order[::-1]}


SCORES = st.one_of(
    st.sampled_from([0.0, 1.0, 1.00000001, 0.1, 0.10000000149011612]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-3, 3).map(float),
)
DOCNOS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=5)
RUNS = st.dictionaries(
    st.sampled_from(["q1", "q2", "Q1"]),
    st.dictionaries(DOCNOS, SCORES, min_size=1, max_size=8).map(lambda rows: list(rows.items())),
    min_size=1,
)


@pytest.mark.slow
@examples(40)
@given(run=RUNS)
def test_agrees_with_trec_eval(conn: psycopg.Connection, store: Store, run: Run) -> None:
    store(trec(run), replace=True)
    assert ranking(conn) == by_trec_eval(run)


def test_trec_score_is_the_cast_of_c(conn: psycopg.Connection) -> None:
    largest, smallest = float(np.finfo(np.float32).max), float(np.finfo(np.float32).smallest_subnormal)
    edges = [
        largest * (1 + 2**-25),
        np.nextafter(largest * (1 + 2**-25), 0),
        smallest / 2,
        np.nextafter(smallest / 2, 1),
        1e-40,
        0.1,
        16777217.0,
    ]
    values = [sign * float(edge) for edge in edges for sign in (1, -1)]
    got = [
        row[0]
        for row in conn.execute(
            "SELECT stc.trec_score(v)::float8 FROM unnest(%s::float8[]) WITH ORDINALITY AS u (v, n) ORDER BY n", [values]
        )
    ]
    with np.errstate(over="ignore"):
        assert got == [float(np.float32(value)) for value in values]


@pytest.mark.long
@pytest.mark.parametrize("policy", ["first", "best"])
def test_real_runs_with_many_ties(conn: psycopg.Connection, data: Path, policy: str) -> None:
    for path in sorted((data / "simpletext/runs").glob("*.run")):
        run = read(path, best_of_pair=policy == "best")
        [done] = import_runs(conn, [path], options=ImportOptions(on_duplicate=policy))
        assert done.counts.ranked == sum(map(len, run.values()))
        assert ranking(conn, done.run) == by_numpy(run)
        tied = {query: rows for query, rows in run.items() if len({np.float32(score) for _, score in rows}) < len(rows)}
        some = dict(sorted(tied.items())[:15])
        assert {query: ranking(conn, done.run)[query] for query in some} == by_trec_eval(some)


def test_the_files_own_rank_is_kept_beside_it(conn: psycopg.Connection, store: Store) -> None:
    store("q Q0 a 1 1.0 t\nq Q0 b 2 2.0 t\nq Q0 c x 3.0 t\nq Q0 d 99999999999 4.0 t\n")
    rows = conn.execute(
        "SELECT d.docno, r.rank, r.file_rank FROM stc.st1_rankings r JOIN dblp d ON d.id = r.doc JOIN st1_runs n ON n.id = r.run"
        " WHERE n.run = 'mine' ORDER BY r.rank"
    ).fetchall()
    assert rows == [("d", 1, None), ("c", 2, None), ("b", 3, 2), ("a", 4, 1)]


@pytest.mark.parametrize("number", [2, 30])
def test_the_rankings_of_documents(conn: psycopg.Connection, store: Store, number: int) -> None:
    for run, shift in (("a", 0), ("b", 100)):
        store(trec({query: [(f"d{i}", float(-i)) for i in range(shift, shift + 150)] for query in ("q1", "q2")}), name=run)
    docs = [f"d{99 + i}" for i in range(number)]
    of, where = "stc.rankings_of(d.ids)", "stc.st1_rankings r WHERE r.doc = ANY (d.ids)"
    found, expected = (
        conn.execute(
            "WITH d AS MATERIALIZED (SELECT array_agg(id) AS ids FROM dblp WHERE docno = ANY (%s))"
            f" SELECT r.* FROM d CROSS JOIN LATERAL (SELECT run, query, doc, rank FROM {source}) r ORDER BY 1, 2, 4".encode(),
            [docs],
        ).fetchall()
        for source in (of, where)
    )
    assert found == expected
    assert len({row[:2] for row in found}) == 6  # with the decoy

"""fuse and fuse_runs: by hand, compared with numpy, and as typed in psql."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from stcollection.cli.retrieval.fusion import fuse_command
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.retrieval.fuse import FusionRule
from stcollection.retrieval.fuse import fuse as fuse_runs
from tests import databases
from tests.examples import examples
from tests.retrieval.fusing import METHODS, Scores, by_rank, fused, put_documents, put_run, rows, stored
from tests.text.documents import build, put

pytestmark = pytest.mark.slow

A: Scores = {1: 10.0, 2: 6.0, 3: 2.0}
B: Scores = {3: 0.9, 1: 0.5, 4: 0.4, 5: 0.1}


def call(
    conn: psycopg.Connection, rankings: Mapping[str, Scores] | list[tuple[object, ...]], **arguments: object
) -> list[tuple[int, float, int]]:
    given = rows(rankings) if isinstance(rankings, Mapping) else rankings
    array = "ARRAY[" + ", ".join(["(%s, %s, %s, %s)::ranked"] * len(given)) + "]::ranked[]"
    names = "".join(f", {name} => %s" for name in arguments)
    values = [Jsonb(value) if name == "weights" and value is not None else value for name, value in arguments.items()]
    return conn.execute(f"SELECT * FROM fuse({array}{names})", [*(x for row in given for x in row), *values]).fetchall()


def scores(found: list[tuple[int, float, int]]) -> dict[int, float]:
    assert [rank for _, _, rank in found] == list(range(1, len(found) + 1))
    return {doc: score for doc, score, _ in found}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, {1: 1 / 61 + 1 / 62, 3: 1 / 63 + 1 / 61, 2: 1 / 62, 4: 1 / 63, 5: 1 / 64}),
        ({"constant": 0}, {1: 1.5, 3: 1 / 3 + 1, 2: 0.5, 4: 1 / 3, 5: 1 / 4}),
        ({"weights": {"a": 3, "b": 1}, "constant": 1}, {1: 3 / 2 + 1 / 3, 2: 3 / 3, 3: 3 / 4 + 1 / 2, 4: 1 / 4, 5: 1 / 5}),
        ({"method": "sum"}, {1: 1 + 0.5, 3: 0 + 1.0, 2: 0.5, 4: 0.375, 5: 0.0}),
        ({"method": "mnz"}, {1: 2 * 1.5, 3: 2 * 1.0, 2: 0.5, 4: 0.375, 5: 0.0}),
        ({"method": "sum", "weights": {"a": 0.25, "b": 2}}, {1: 0.25 + 1, 3: 2.0, 2: 0.125, 4: 0.75, 5: 0.0}),
        ({"method": "sum", "norm": "none"}, {1: 10.5, 2: 6.0, 3: 2.9, 4: 0.4, 5: 0.1}),
        ({"method": "sum", "norm": "rank"}, {1: 1 + 3 / 4, 3: 1 / 3 + 1, 2: 2 / 3, 4: 2 / 4, 5: 1 / 4}),
        ({"method": "sum", "norm": "zscore"}, {
            1: 8 / math.sqrt(32 / 3) + 0.4 / math.sqrt(1.23 / 4 - 0.475**2), 3: 0.8 / math.sqrt(1.23 / 4 - 0.475**2),
            2: 4 / math.sqrt(32 / 3), 4: 0.3 / math.sqrt(1.23 / 4 - 0.475**2), 5: 0.0}),
    ],
)  # fmt: skip
def test_by_hand(conn: psycopg.Connection, arguments: dict[str, object], expected: dict[int, float]) -> None:
    put_documents(conn, range(1, 6))
    found = call(conn, {"a": A, "b": B}, **arguments)
    assert scores(found) == pytest.approx(expected, rel=1e-14)
    assert [doc for doc, _, _ in found] == by_rank(expected)
    assert call(conn, {"a": A, "b": B}, k=2, **arguments) == found[:2]


numbers = st.integers(-4, 4).map(float) | st.floats(-1e3, 1e3).map(lambda x: round(x, 3))
a_ranking = st.dictionaries(st.integers(1, 12), numbers, max_size=8)


@given(
    rankings=st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), a_ranking, min_size=1),
    how=st.sampled_from(METHODS),
    weights=st.none() | st.fixed_dictionaries({name: st.sampled_from([0, 0.1, 1, 2.5]) for name in "abcd"}),
    constant=st.integers(0, 100),
)
@examples(150)
def test_agrees_with_numpy(
    conn: psycopg.Connection, rankings: dict[str, Scores], how: tuple[str, str], weights: dict[str, float] | None, constant: int
) -> None:
    if weights is not None and not any(weights.values()):
        weights["a"] = 1
    put_documents(conn, range(1, 13))
    method, norm = how
    found = call(conn, rankings, method=method, norm=norm, weights=weights, constant=constant)
    expected = fused(rankings, method=method, norm=norm, weights=weights, constant=constant)
    assert scores(found) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    # Sums in another order may differ in the last places: compare the order by our scores, and the scores approximately.
    assert [doc for doc, _, _ in found] == by_rank(scores(found))
    assert call(conn, rankings, method=method, norm=norm, weights=weights, constant=constant, k=3) == found[:3]


@given(rankings=st.fixed_dictionaries({name: st.dictionaries(st.integers(1, 9), numbers, min_size=2) for name in "ab"}))
@examples(30)
def test_zscore_counts_what_is_missing_as_the_lowest_z(conn: psycopg.Connection, rankings: dict[str, Scores]) -> None:
    found = scores(call(conn, rankings, method="sum", norm="zscore"))
    sums = dict.fromkeys(found, 0.0)
    for ranking in rankings.values():
        values = np.array(list(ranking.values()))
        if np.ptp(values) == 0:  # a retrieved document counts as one deviation
            for doc in ranking:
                sums[doc] += 1
            continue
        z = dict(zip(ranking, (values - values.mean()) / values.std(), strict=True))
        for doc in sums:
            sums[doc] += z.get(doc, min(z.values()))
    shift = next(iter(sums.values())) - next(iter(found.values()))
    assert {doc: value - shift for doc, value in sums.items()} == pytest.approx(found, abs=1e-6)


def test_equal_scores_by_docno_descending_as_bytes_also_at_the_cut(conn: psycopg.Connection) -> None:
    put_documents(conn, range(1, 21))
    even = dict.fromkeys(range(1, 21), 1.0)
    order = sorted(even, key=lambda doc: str(doc).encode(), reverse=True)
    for k in (20, 7, 1):
        assert [doc for doc, _, _ in call(conn, {"a": even}, k=k, method="sum")] == order[:k]
    # 1 and 2 are exchanged: the same parts in another order have the same sum.
    assert [doc for doc, _, _ in call(conn, {"a": {1: 3, 2: 2, 3: 1}, "b": {2: 3, 1: 2}, "c": {1: 1}, "d": {2: 1}})][:2] == [2, 1]


def test_all_scores_equal_and_a_single_document(conn: psycopg.Connection) -> None:
    put_documents(conn, range(1, 4))
    for norm, value in (("minmax", 1.0), ("zscore", 1.0)):
        assert scores(call(conn, {"a": {1: 0.1, 2: 0.1, 3: 0.1}}, method="sum", norm=norm)) == {1: value, 2: value, 3: value}
        assert scores(call(conn, {"a": {1: -7.0}}, method="sum", norm=norm)) == {1: value}


def test_weight_zero_leaves_a_ranking_out(conn: psycopg.Connection) -> None:
    put_documents(conn, range(1, 6))
    for method in ("rrf", "sum", "mnz"):
        assert call(conn, {"a": A, "b": B}, method=method, weights={"a": 1, "b": 0}) == call(conn, {"a": A}, method=method)


def test_rankings_that_found_nothing(conn: psycopg.Connection) -> None:
    put_documents(conn, range(1, 6))
    assert conn.execute("SELECT * FROM fuse(NULL)").fetchall() == []
    assert conn.execute("SELECT * FROM fuse('{}', 10, 'sum', weights => '{\"a\": 1}')").fetchall() == []
    assert call(conn, {"a": A}, weights={"a": 1, "b": 1}) == call(conn, {"a": A})


@pytest.mark.parametrize(
    ("state", "arguments", "what"),
    [
        ("IR201", {"k": 0}, "k is 0"),
        ("IR201", {"k": None}, "k is NULL"),
        ("IR202", {"method": "borda"}, "borda"),
        ("IR202", {"method": None}, "NULL"),
        ("IR202", {"norm": "max", "method": "sum"}, "max"),
        ("IR202", {"constant": -1}, "-1"),
        ("IR202", {"weights": {"a": 1}}, "b has no weight"),
        ("IR202", {"weights": {"a": 1, "bb": 1}}, "b has no weight"),
        ("IR202", {"weights": {"a": 1, "b": -1}}, "-1"),
        ("IR202", {"weights": {"a": 1, "b": "NaN"}}, "NaN"),
        ("IR202", {"weights": {"a": 1, "b": None}}, "null"),
        ("IR202", {"weights": {"a": 1, "b": 1e300}}, "000"),
        ("IR202", {"weights": {"a": 0, "b": 0}}, "no weight is above 0"),
        ("IR202", {"weights": {}}, "no weight"),
        ("IR202", {"weights": [1, 2]}, r"\[1, 2\]"),
    ],
)
def test_arguments_out_of_range(conn: psycopg.Connection, state: str, arguments: dict[str, object], what: str) -> None:
    with pytest.raises(psycopg.Error, match=what) as error:
        call(conn, {"a": A, "b": B}, **arguments)
    assert error.value.sqlstate == state
    assert error.value.diag.message_hint


@pytest.mark.parametrize(
    ("row", "method", "what"),
    [
        (("a", 1, 0.5, 9), "rrf", "document 1 2 times"),
        ((None, 1, 0.5, 9), "rrf", "lacks the name"),
        (("a", None, 0.5, 9), "sum", "lacks the name"),
        (("a", 9, 0.5, 0), "rrf", "document 9 has no rank"),
        (("a", 9, 0.5, None), "rrf", "document 9 has no rank"),
        (("a", 9, math.nan, 9), "sum", "document 9 has no finite score"),
        (("a", 9, -math.inf, 9), "mnz", "document 9 has no finite score"),
        (("a", 9, 1e39, 9), "sum", "document 9 has no finite score"),
        (("a", 9, None, 9), "sum", "document 9 has no finite score"),
    ],
)
def test_rows_that_cannot_be_fused(conn: psycopg.Connection, row: tuple[object, ...], method: str, what: str) -> None:
    with pytest.raises(psycopg.Error, match=what) as error:
        call(conn, [*rows({"a": A}), row], method=method)
    assert error.value.sqlstate == "IR202"
    # A method ignores parameters that it does not use.
    if row[:2] == ("a", 9):
        other = "rrf" if method != "rrf" else "sum"
        assert 9 in scores(call(conn, [*rows({"a": A}), row], method=other))


def test_as_in_psql(conn: psycopg.Connection) -> None:
    put(conn, {1: ("fake news", None), 2: ("news", "fake and real"), 3: ("fakes", None), 4: ("the news of the day", None)})
    build(conn, "portable")
    found = conn.execute("""
        SELECT * FROM fuse((SELECT array_agg(('bm25', doc, score, rank)::ranked) FROM bm25_search('fake news', 1000))
                        || (SELECT array_agg(('boolean', doc, score, rank)::ranked) FROM boolean_search('fake news', 1000)),
                           3, 'sum')
        """).fetchall()
    parts: dict[str, Scores] = {
        name: dict(conn.execute(f"SELECT doc, score FROM {name}_search('fake news', 1000)").fetchall())
        for name in ("bm25", "boolean")
    }
    assert len(parts["bm25"]) == 4
    assert len(parts["boolean"]) == 2
    expected = fused(parts, method="sum")
    assert scores(found) == pytest.approx({doc: expected[doc] for doc in by_rank(expected)[:3]})
    # An empty ranking is NULL for array_agg and adds nothing.
    [(count,)] = conn.execute("""
        SELECT count(*) FROM fuse((SELECT array_agg(('bm25', doc, score, rank)::ranked) FROM bm25_search('fake', 10))
                               || (SELECT array_agg(('boolean', doc, score, rank)::ranked) FROM boolean_search('xyzzy', 10)))
        """).fetchall()
    assert count == 3


def test_the_part_is_inlined(conn: psycopg.Connection) -> None:
    plan = conn.execute(
        "EXPLAIN (VERBOSE) SELECT stc.fusion_part('sum', 'minmax', 1, k.rel_score, k.rank, 0, 1, 1, 9, 60) FROM stc.st1_rankings k"
    ).fetchall()
    assert not any("fusion_part" in line for (line,) in plan)
    plan = conn.execute("EXPLAIN (VERBOSE) SELECT * FROM stc.fusion_query_parts(1, '{1,2}', 'sum', 'minmax', 60)").fetchall()
    assert not any("fusion_query_parts" in line or "fusion_part" in line for (line,) in plan)


# stored runs ----------------------------------------------------------------------------------------------------------------

RUNS: dict[str, dict[str, Scores]] = {
    "a": {"q1": A, "q2": {1: 3.0, 7: 1.0}, "q3": {8: 1.0}},
    "b": {"q1": B, "q2": {7: 5.0, 2: 4.0, 1: 4.0}},
    "c": {"q1": {9: 2.0, 1: 1.0}},
}


@databases.world
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    put_documents(conn, range(1, 21))
    for name, queries in RUNS.items():
        put_run(conn, queries, name)
    return conn


@pytest.mark.parametrize("how", METHODS, ids=" ".join)
def test_runs_are_fused_query_by_query(filled: psycopg.Connection, how: tuple[str, str]) -> None:
    method, norm = how
    for number, weights in enumerate((None, {"a": 0.5, "b": 2, "c": 1}, {"a": 0, "b": 1, "c": 1})):
        done = fuse_runs(
            filled,
            name=f"new{number}",
            runs=["a", "b", "c"],
            rule=FusionRule(method=method, norm=norm, constant=7),
            weights=weights,
        )
        found = stored(filled, f"new{number}")
        expected = {}
        for query in ("q1", "q2", "q3"):
            expected[query] = fused(
                {name: RUNS[name].get(query, {}) for name in RUNS}, method=method, norm=norm, weights=weights, constant=7
            )
        assert found.keys() == {query for query, docs in expected.items() if docs}
        for query, ranked in found.items():
            assert dict(ranked) == pytest.approx(expected[query], rel=1e-12, abs=1e-12)
            # Single precision, as trec_eval 9 compares.
            assert [doc for doc, _ in ranked] == by_rank({doc: float(np.float32(score)) for doc, score in ranked})
        assert (done.run, done.queries, done.ranked) == (f"new{number}", len(found), sum(map(len, found.values())))


def test_a_stored_fusion_is_that_of_the_function(filled: psycopg.Connection) -> None:
    for method, norm in METHODS:
        fuse_runs(filled, name="new", runs=["a", "b"], rule=FusionRule(method=method, norm=norm), replace=True)
        assert dict(stored(filled, "new")["q1"]) == pytest.approx(scores(call(filled, {"a": A, "b": B}, method=method, norm=norm)))


def test_what_is_recorded(filled: psycopg.Connection) -> None:
    filled.execute("UPDATE st1_runs SET sha256 = 'f00' WHERE run = 'b'")
    fuse_runs(
        filled, name="new", runs=["b", "a"], rule=FusionRule(method="sum", norm="zscore"), weights={"a": 1, "b": 0.5}, depth=9
    )
    fuse_runs(filled, name="newer", runs=["new", "c"], rule=FusionRule(constant=3))
    made: dict[str, str] = dict(filled.execute("SELECT run, to_jsonb(made) #>> '{}' FROM st1_runs").fetchall())
    own = {"of": "tests", "nothing": None}
    new = {
        "system": "fusion", "method": "sum", "norm": "zscore", "depth": 9,
        "runs": [
            {"run": "b", "made": made["b"], "sha256": "f00", "params": own, "weight": 0.5},
            {"run": "a", "made": made["a"], "params": own, "weight": 1},
        ],
    }  # fmt: skip
    told: dict[str, Any] = dict(filled.execute("SELECT run, params FROM st1_runs WHERE family = 'fusion'").fetchall())
    assert told["new"] == new
    assert told["newer"]["runs"][0] == {"run": "new", "made": made["new"], "params": new, "weight": 1}
    assert (told["newer"]["constant"], "norm" in told["newer"]) == (3, False)


def test_depth_is_a_query(filled: psycopg.Connection) -> None:
    fuse_runs(filled, name="all", runs=["a", "b"])
    fuse_runs(filled, name="two", runs=["a", "b"], depth=2)
    assert stored(filled, "two") == {query: ranked[:2] for query, ranked in stored(filled, "all").items()}


def test_a_name_that_is_taken(filled: psycopg.Connection) -> None:
    fuse_runs(filled, name="new", runs=["a", "b"])
    before = stored(filled, "new")
    with pytest.raises(BadArgument, match="run new already exists"):
        fuse_runs(filled, name="new", runs=["b", "c"])
    with pytest.raises(BadArgument, match="one of its sources"):
        fuse_runs(filled, name="a", runs=["a", "b"], replace=True)
    with pytest.raises(BadArgument, match="the name of the run is empty"):
        fuse_runs(filled, name=" ", runs=["a", "b"])
    assert stored(filled, "new") == before
    fuse_runs(filled, name="new", runs=["b", "c"], replace=True)
    assert stored(filled, "new") != before
    assert filled.execute("SELECT count(*) FROM st1_runs WHERE run = 'new'").fetchone() == (1,)


def test_errors_of_runs(filled: psycopg.Connection) -> None:
    with pytest.raises(UnknownObject, match="no run 'aa'"):
        fuse_runs(filled, name="new", runs=["a", "aa"])
    with pytest.raises(BadArgument, match="no runs"):
        fuse_runs(filled, name="new", runs=[])
    with pytest.raises(BadArgument, match="a is given twice"):
        fuse_runs(filled, name="new", runs=["a", "b", "a"])
    with pytest.raises(BadArgument, match="depth is 0") as error:
        fuse_runs(filled, name="new", runs=["a", "b"], depth=0)
    assert error.value.sqlstate == "IR201"
    for weights in ({"a": 1.0}, {"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 0.0, "b": 0.0}):
        with pytest.raises(BadArgument, match="weight"):
            fuse_runs(filled, name="new", runs=["a", "b"], weights=weights)
    filled.execute("UPDATE st1_rankings SET rel_score = 1e39 WHERE run = 'c' AND rank = 1")
    with pytest.raises(BadArgument, match=r"the run c has a score of 1e\+39 for query q1") as error:
        fuse_runs(filled, name="new", runs=["a", "c"], rule=FusionRule(method="sum"))
    assert error.value.hint
    fuse_runs(filled, name="new", runs=["a", "c"], rule=FusionRule(method="sum", norm="rank"))
    filled.execute("INSERT INTO st1_runs (run) VALUES ('empty')")
    with pytest.raises(StateError, match="empty"):
        fuse_runs(filled, name="nothing", runs=["empty"])
    assert {row[0] for row in filled.execute("SELECT run FROM st1_runs WHERE family = 'fusion'")} == {"new"}


def test_the_command(filled: psycopg.Connection, settings: Settings) -> None:
    arguments = ["a", "b", "--name", "new", "--method", "mnz", "--norm", "rank", "-w", "a=0.25", "-w", "b=2"]
    done = CliRunner().invoke(fuse_command, arguments, obj=settings, catch_exceptions=False)
    assert done.exit_code == 0
    assert done.stdout == "new: 9 documents for 3 queries\n"
    [(params,)] = filled.execute("SELECT params FROM st1_runs WHERE run = 'new'").fetchall()
    assert [one["weight"] for one in params["runs"]] == [0.25, 2]
    assert json.dumps(params)
    for wrong in (["-w", "a"], ["-w", "a=x"], ["-w", "=1"], ["-w", "a=1", "-w", "a=2"], ["--method", "borda"], ["--norm", "max"]):
        assert CliRunner().invoke(fuse_command, ["a", "b", "--name", "other", *wrong], obj=settings).exit_code == 2

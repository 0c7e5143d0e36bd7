"""Paired tests equal scipy and statsmodels; pairs are formed by query name; an impossible test affects no other."""

from __future__ import annotations

import math
from itertools import permutations, product
from typing import Any

import numpy as np
import psycopg
import pytest
import scipy.stats
from click.testing import CliRunner
from statsmodels.stats.multitest import multipletests

from stcollection.analysis import paired
from stcollection.analysis.corrections import benjamini_hochberg, holm
from stcollection.analysis.significance import PairedTest, RunComparison, compare, places
from stcollection.cli.analysis.comparisons import compare_command as compare_
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from stcollection.evaluation.measures import AP, RR, P, nDCG
from tests.evaluation import conftest as stored

pytestmark = pytest.mark.slow

store_run, store_qrels = stored.store_run, stored.store_qrels  # fixtures

ONE, TWO = "q1", "q2"


def differences(queries: int, pairs: int, *, seed: int = 1, step: float | None = None) -> paired.Floats:
    """Return differences of systems that differ a little, in multiples of ``step`` so that ties are common."""
    drawn = np.random.default_rng(seed).normal(0.05, 0.2, (queries, pairs))
    return np.asarray(np.round(drawn if step is None else np.round(drawn / step) * step, 12))


def test_t_equals_scipy() -> None:
    moves = differences(53, 20)
    zeros = np.zeros_like(moves)
    expected = scipy.stats.ttest_rel(moves, zeros)
    interval = expected.confidence_interval(0.9)
    assert paired.t_test(moves) == pytest.approx(expected.pvalue, rel=1e-9)
    low, high = paired.t_interval(moves, alpha=0.1)
    assert low == pytest.approx(interval.low, rel=1e-9)
    assert high == pytest.approx(interval.high, rel=1e-9)


def test_a_missing_query_is_dropped_only_from_its_pair() -> None:
    moves = differences(20, 3)
    moves[4, 1] = np.nan
    without = np.delete(moves, 4, axis=0)
    for test in (paired.t_test, paired.wilcoxon):
        assert test(moves)[1] == pytest.approx(test(without)[1])
        assert test(moves)[[0, 2]] == pytest.approx(test(np.delete(moves, 1, axis=1)))
    p, low, high = paired.bootstrap(moves, resamples=500, seed=3, alpha=0.05)
    alone = [part[0] for part in paired.bootstrap(without[:, [1]], resamples=500, seed=3, alpha=0.05)]
    assert [p[1], low[1], high[1]] == pytest.approx(alone)
    assert paired.randomisation(moves[:10], permutations=2000, seed=0)[1] == pytest.approx(
        paired.randomisation(np.delete(moves[:10], 4, axis=0), permutations=2000, seed=0)[1]
    )


@pytest.mark.parametrize("step", [None, 0.1])
def test_wilcoxon_equals_scipy(step: float | None) -> None:
    moves = differences(30, 10, step=step)
    expected = [scipy.stats.wilcoxon(column).pvalue for column in moves.T]
    assert paired.wilcoxon(moves) == pytest.approx(expected)


@pytest.mark.parametrize("step", [None, 0.1])
def test_exact_randomisation_equals_scipy(step: float | None) -> None:
    moves = differences(11, 8, step=step)
    expected = [
        scipy.stats.permutation_test(
            (column, np.zeros_like(column)),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=np.inf,
        ).pvalue
        for column in moves.T
    ]
    assert paired.randomisation(moves, permutations=2**11, seed=0) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("step", [None, 0.1])
def test_sampled_randomisation_is_near_the_exact_test(step: float | None) -> None:
    moves, drawn = differences(14, 12, seed=5, step=step), 16_000
    moves[moves == 0] = 0.1  # otherwise fewer than 14 differences count
    exact = paired.randomisation(moves, permutations=2**14, seed=0)
    sampled = paired.randomisation(moves, permutations=drawn, seed=8)
    assert not np.array_equal(exact, sampled)
    assert np.all(np.abs(sampled - exact) < 5 * np.sqrt(exact * (1 - exact) / drawn) + 2 / drawn)


def test_p_depends_on_the_seed_but_not_on_other_pairs() -> None:
    moves = differences(40, 6)
    p = paired.randomisation(moves, permutations=3000, seed=7)
    assert p[2] == paired.randomisation(moves[:, [2]], permutations=3000, seed=7)[0]
    assert not np.array_equal(p, paired.randomisation(moves, permutations=3000, seed=8))
    every, one = (paired.bootstrap(some, resamples=900, seed=7, alpha=0.05) for some in (moves, moves[:, [2]]))
    assert [part[2] for part in every] == pytest.approx([part[0] for part in one], abs=1e-12)


def test_bootstrap_equals_scipy() -> None:
    moves, resamples = differences(25, 3), 3000
    p, low, high = paired.bootstrap(moves, resamples=resamples, seed=11, alpha=0.05)
    for pair, column in enumerate(moves.T):
        theirs = scipy.stats.bootstrap(
            (column,), np.mean, n_resamples=resamples, method="BCa", rng=np.random.default_rng(11), vectorized=True
        )
        assert (low[pair], high[pair]) == pytest.approx(theirs.confidence_interval, abs=1e-9)
        means = theirs.bootstrap_distribution
        assert p[pair] == (np.sum(np.abs(means - column.mean()) >= abs(column.mean())) + 1) / (resamples + 1)


def test_honest_difference_of_two_runs_equals_their_randomisation_test() -> None:
    values = np.random.default_rng(2).uniform(size=(9, 2))
    exact = paired.randomisation(values[:, [0]] - values[:, [1]], permutations=2**9, seed=0)[0]
    assert paired.honest_difference(values, permutations=40_000, seed=1)[0, 1] == pytest.approx(exact, abs=0.015)


def test_honest_difference_by_all_orders() -> None:
    values = np.random.default_rng(4).uniform(size=(3, 3))
    spans = [np.ptp(np.mean(drawn, axis=0)) for drawn in product(*(list(permutations(row)) for row in values))]
    means = values.mean(axis=0)
    expected = [[np.mean(np.array(spans) >= abs(x - y) - 1e-12) for y in means] for x in means]
    found = paired.honest_difference(values, permutations=40_000, seed=1)
    assert found == pytest.approx(np.array(expected), abs=0.015)
    assert np.array_equal(found, found.T)


def test_effect_sizes() -> None:
    column = np.array([0.1, 0.3, -0.1, 0.4, 0.2])
    [d], [g] = paired.effect_sizes(paired.summarise(column[:, None]))
    assert d == pytest.approx(column.mean() / column.std(ddof=1))
    assert g == pytest.approx(d * math.gamma(2) / (math.sqrt(2) * math.gamma(1.5)))


@pytest.mark.parametrize(("ours", "theirs"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])
def test_corrections_equal_statsmodels_and_ignore_nan(ours, theirs: str) -> None:  # type: ignore[no-untyped-def]
    p = np.random.default_rng(3).uniform(size=40) ** 3
    p[5] = p[6]
    expected = multipletests(p, method=theirs)[1]
    assert ours(p) == pytest.approx(expected)
    corrected = ours(np.insert(p, 10, np.nan))
    assert math.isnan(corrected[10])
    assert np.delete(corrected, 10) == pytest.approx(expected)
    assert list(ours([])) == []
    assert math.isnan(ours([np.nan])[0])


def test_equal_values_and_too_few_queries() -> None:
    moves = np.array(
        [[0.0, 0.1, 0.3, np.nan], [0.0, 0.1, np.nan, np.nan], [0.0, 0.1, np.nan, np.nan]]
    )  # all 0, all equal, one, none
    t, signed, drawn = paired.t_test(moves), paired.wilcoxon(moves), paired.randomisation(moves, permutations=1000, seed=0)
    shifted, low, high = paired.bootstrap(moves, resamples=999, seed=0, alpha=0.05)
    assert t == pytest.approx([1, 0, np.nan, np.nan], nan_ok=True)
    assert signed == pytest.approx([1, scipy.stats.wilcoxon(moves[:, 1]).pvalue, np.nan, np.nan], nan_ok=True)
    assert drawn == pytest.approx([1, 0.25, 1, np.nan], nan_ok=True)
    assert shifted == pytest.approx([1, 0.001, np.nan, np.nan], nan_ok=True)
    assert low == pytest.approx([0, 0.1, np.nan, np.nan], nan_ok=True)
    assert high == pytest.approx([0, 0.1, np.nan, np.nan], nan_ok=True)
    assert paired.effect_sizes(paired.summarise(moves))[0] == pytest.approx([0, np.nan, np.nan, np.nan], nan_ok=True)


def test_one_permutation() -> None:
    assert paired.randomisation(differences(30, 2), permutations=1, seed=0) == pytest.approx([0.5, 1], abs=0.5)


# In the database --------------------------------------------------------------------------------------------------------------

JUDGED = {f"q{number}": {"a": 1, "b": 0} for number in range(1, 9)}


def ranking(*tops: str, skip: tuple[int, ...] = (), reverse: bool = False) -> dict[str, dict[str, float]]:
    """Return, per query, a ranking with the given letter first and the other one of a and b second."""
    rows = [(f"q{number}", {top: 2.0, "ab".replace(top, ""): 1.0}) for number, top in enumerate(tops, 1) if number not in skip]
    return dict(reversed(rows) if reverse else rows)


def by_pair(found: list[RunComparison]) -> dict[tuple[str, str], RunComparison]:
    return {(one.run, one.against): one for one in found}


@pytest.fixture
def world(store_run: stored.StoreRun, store_qrels: stored.StoreQrels) -> str:
    """Three runs: good, bad, and half, which ranks its queries in the opposite order and lacks q7 and q8."""
    store_run(ranking(*"aaaaaaba"), "good")
    store_run(ranking(*"abababaa", skip=(7, 8), reverse=True), "half")
    store_run(ranking(*"bbbbbbbb"), "bad")
    return store_qrels(JUDGED)


NAMES = ("good", "half", "bad")
GOOD = [1, 1, 1, 1, 1, 1, 0.5, 1]  # RR
HALF = [1, 0.5, 1, 0.5, 1, 0.5, 0, 0]


def test_pairs_are_by_query_and_a_missing_one_is_zero(conn: psycopg.Connection, world: str) -> None:
    found = by_pair(compare(conn, edition=world, measures=[RR], runs=NAMES))
    assert set(found) == {("good", "half"), ("good", "bad"), ("half", "bad")}  # the better one first
    one = found["good", "half"]
    expected = scipy.stats.ttest_rel(GOOD, HALF)
    assert (one.mean, one.mean_against) == pytest.approx((np.mean(GOOD), np.mean(HALF)))
    assert (one.queries, one.wins, one.ties, one.losses) == (8, 5, 3, 0)
    assert one.p == pytest.approx(expected.pvalue)
    assert (one.low, one.high) == pytest.approx(tuple(expected.confidence_interval(0.95)))


def test_a_missing_query_is_dropped_from_its_pairs(conn: psycopg.Connection, world: str) -> None:
    found = by_pair(compare(conn, edition=world, measures=[RR], runs=NAMES, test=PairedTest(missing="drop")))
    one = found["good", "half"]
    assert (one.queries, one.mean, one.mean_against) == (6, 1, 0.75)
    assert one.p == pytest.approx(scipy.stats.ttest_rel(GOOD[:6], HALF[:6]).pvalue)
    assert found["good", "bad"].queries == 8


def test_against_a_baseline_that_need_not_be_named(conn: psycopg.Connection, world: str) -> None:
    found = compare(conn, edition=world, measures=[RR], runs=["good", "half"], baseline="bad")
    assert [(one.run, one.against) for one in found] == [("good", "bad"), ("half", "bad")]
    again = compare(conn, edition=world, measures=[RR], runs=["good", "half", "bad"], baseline="bad")
    assert found == again
    pairs = by_pair(compare(conn, edition=world, measures=[RR], runs=NAMES))
    assert [one.p for one in found] == [pairs[one.run, one.against].p for one in found]
    assert found[0].corrected < pairs["good", "bad"].corrected  # two tests, not three


def test_the_family_is_of_a_measure_or_of_all(conn: psycopg.Connection, world: str) -> None:
    each = compare(conn, edition=world, measures=[RR, nDCG @ 1], runs=NAMES)
    every = compare(conn, edition=world, measures=[RR, nDCG @ 1], runs=NAMES, test=PairedTest(family="all"))
    assert [one.p for one in each] == [one.p for one in every]
    assert [one.corrected for one in every] == pytest.approx(list(multipletests([one.p for one in every], method="holm")[1]))
    assert [one.corrected for one in each[:3]] == pytest.approx(list(multipletests([one.p for one in each[:3]], method="holm")[1]))
    assert [one.measure for one in each] == ["RR"] * 3 + ["nDCG@1"] * 3


def test_sql_gives_the_same_values(conn: psycopg.Connection, world: str) -> None:
    for missing in ("zero", "drop"):
        rows = conn.execute(
            "SELECT run, against, queries, difference, d, wins, ties, losses, p, p_holm, p_bh"
            " FROM compare_runs(%s, 'RR', %s, missing => %s)",
            [world, list(NAMES), missing],
        ).fetchall()
        assert len(rows) == 3
        corrected = {
            method: by_pair(
                compare(conn, edition=world, measures=[RR], runs=NAMES, test=PairedTest(correction=method, missing=missing))
            )
            for method in ("holm", "bh")
        }
        for run, against, queries, difference, d, wins, ties, losses, p, p_holm, p_bh in rows:
            pair, sign = ((run, against), 1) if (run, against) in corrected["bh"] else ((against, run), -1)
            one = corrected["holm"][pair]
            assert (queries, ties) == (one.queries, one.ties)
            assert (wins, losses) == (one.wins, one.losses)[::sign]
            assert (sign * difference, p, p_holm) == pytest.approx((one.difference, one.p, one.corrected))
            assert d is None if math.isnan(one.d) else sign * d == pytest.approx(one.d)
            assert p_bh == pytest.approx(corrected["bh"][pair].corrected)


@pytest.mark.parametrize("df", [1, 2, 3, 4, 7, 8, 52, 53, 999])
def test_student_t_p_equals_scipy(conn: psycopg.Connection, df: int) -> None:
    for t in (0.0, 0.3, -1.7, 2.0, 5.0, 40.0):
        [p] = conn.execute("SELECT stc.student_t_p(%s, %s)", [t, df]).fetchone() or []
        assert p == pytest.approx(2 * scipy.stats.t.sf(abs(t), df), abs=1e-13)
    row = conn.execute(
        "SELECT stc.student_t_p(NULL, 3), stc.student_t_p(1, 0), stc.student_t_p('NaN', 3), stc.student_t_p('Infinity', 3)"
    ).fetchone()
    assert row == (None, None, None, pytest.approx(0, abs=1e-14))


def values_of(conn: psycopg.Connection, rows: str) -> None:
    """Make scores() return these rows for any arguments, to test values that no ranking produces."""
    conn.execute("DROP FUNCTION scores CASCADE")  # also drops the view of the same name
    conn.execute(
        "CREATE FUNCTION scores(runs text[], edition text, measures text[], complete boolean DEFAULT true,"
        " query_set text DEFAULT 'all')"
        " RETURNS TABLE (run text, query text, measure text, value double precision) LANGUAGE sql STABLE"
        f" AS $$ SELECT v.run, v.query, 'RR', v.value FROM (VALUES {rows}) v (run, query, value)"
        "        WHERE complete OR v.value IS NOT NULL $$"
    )


def test_a_run_without_a_value_does_not_affect_others(conn: psycopg.Connection, world: str) -> None:
    nothing = ["'NaN'::float8", "'NaN'::float8", "NULL::float8"]
    values: dict[str, list[Any]] = {"good": [0.9, 0.8, 0.7], "half": [0.6, 0.7, 0.2], "bad": nothing}
    values_of(conn, ", ".join(f"('{run}', 'q{q}', {value})" for run, row in values.items() for q, value in enumerate(row)))
    for correction in ("holm", "bh", "none"):
        found = by_pair(
            compare(conn, edition=world, measures=[RR], runs=NAMES, test=PairedTest(correction=correction, missing="drop"))
        )
        one = found["good", "half"]
        assert one.p == pytest.approx(scipy.stats.ttest_rel(values["good"], values["half"]).pvalue)
        assert one.corrected == pytest.approx(one.p)  # it is the only test
        for pair in (("good", "bad"), ("half", "bad")):
            assert found[pair].queries == 0
            assert all(math.isnan(value) for value in (found[pair].p, found[pair].corrected, found[pair].difference))
    rows = conn.execute(
        "SELECT p, p_holm, p_bh FROM compare_runs(%s, 'RR', %s, missing => 'drop')", [world, list(NAMES)]
    ).fetchall()
    assert [row for row in rows if row[0] is not None] == [pytest.approx((one.p, one.p, one.p))]
    assert len(rows) == 3
    zero = by_pair(compare(conn, edition=world, measures=[RR], runs=NAMES))
    assert zero["good", "bad"].mean_against == 0


def test_places(conn: psycopg.Connection, world: str) -> None:
    found = places(compare(conn, edition=world, measures=[RR], runs=NAMES), alpha=0.05)
    assert [(one.run, one.best) for one in found] == [("good", True), ("half", False), ("bad", False)]
    found = places(compare(conn, edition=world, measures=[RR], runs=NAMES), alpha=0.001)
    assert [(one.run, one.best) for one in found] == [("good", True), ("half", True), ("bad", False)]


def test_two_identical_runs(conn: psycopg.Connection, world: str, store_run: stored.StoreRun) -> None:
    store_run(ranking(*"aaaaaaba"), "twin")
    for test in ("t", "wilcoxon", "randomisation", "bootstrap"):
        one = by_pair(compare(conn, edition=world, measures=[RR], runs=["good", "twin"], test=PairedTest(kind=test)))[
            "good", "twin"
        ]
        assert (one.difference, one.d, one.p, one.corrected, one.ties) == (0, 0, 1, 1, 8)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"runs": ["god"]}, UnknownObject), ({"baseline": "bda"}, UnknownObject), ({"edition": "tset"}, UnknownObject),
        ({"runs": ["good"]}, BadArgument), ({"runs": ["good"], "baseline": "good"}, BadArgument), ({"measures": []}, BadArgument),
        ({"measures": ""}, BadArgument),
    ],
)  # fmt: skip
def test_errors(conn: psycopg.Connection, world: str, given: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        compare(conn, **{"edition": world, "measures": [RR], "runs": NAMES, **given})


@pytest.mark.parametrize(
    "options",
    [
        {"kind": "z"}, {"correction": "bonferroni"}, {"family": "none"}, {"alpha": 1.0}, {"permutations": 0}, {"seed": -1},
        {"missing": "one"}, {"correction": "hsd"},
    ],
)  # fmt: skip
def test_a_wrong_option_of_the_test_is_an_error(conn: psycopg.Connection, world: str, options: dict[str, Any]) -> None:
    with pytest.raises(BadArgument):
        compare(conn, edition=world, measures=[RR], runs=NAMES, test=PairedTest(**options))


def test_the_command(settings: Settings, world: str) -> None:
    call = [*NAMES, "--edition", world, "-m", "RR,P@1"]
    done = CliRunner().invoke(compare_, call, obj=settings, catch_exceptions=False)
    assert done.exit_code == 0
    assert "5/3/0" in done.output
    assert "Holm over the tests of each measure, 6 in all" in done.output
    assert "8 queries are few" in done.output
    done = CliRunner().invoke(compare_, [*call, "--ranking", "--family", "all"], obj=settings, catch_exceptions=False)
    assert "Holm over 6 tests" in done.output
    with pytest.raises(BadArgument, match="nothing to compare"):
        CliRunner().invoke(compare_, ["good", "--edition", world], obj=settings, catch_exceptions=False)
    with pytest.raises(BadArgument, match="--ranking"):
        CliRunner().invoke(compare_, [*call, "--ranking", "--baseline", "bad"], obj=settings, catch_exceptions=False)


def test_measures_of_the_whole_ranking_and_with_cutoffs(conn: psycopg.Connection, world: str) -> None:
    found = compare(conn, edition=world, measures=[AP, P @ 1], runs=["good", "bad"])
    assert [(one.measure, one.mean) for one in found] == [("AP", pytest.approx(np.mean(GOOD))), ("P@1", 7 / 8)]

"""Rankings that admit ties: known cases, the tests they build on, and coverage in simulated collections."""

from __future__ import annotations

import math

import numpy as np
import psycopg
import pytest
import scipy.stats

from benchmarks.ties import Draw, coverage, normal, skewed
from stcollection.analysis import paired
from stcollection.analysis.draws import query_counts
from stcollection.analysis.rank_intervals import all_pairs, queries_needed, rank_bounds
from stcollection.analysis.ties import TieRules, tied_ranking
from stcollection.evaluation.measures import parse_measure
from tests.evaluation.conftest import StoreQrels, StoreRun, store_qrels, store_run  # noqa: F401

pytestmark = pytest.mark.slow


def test_one_pair_is_nearly_the_t_test() -> None:
    values = normal(np.random.default_rng(3), np.array([0.5, 0.45]), 60)
    found = all_pairs(values, resamples=50_000, seed=0, alpha=0.05)
    moves = values[:, :1] - values[:, 1:]
    low, high = paired.t_interval(moves, alpha=0.05)
    assert found.p == pytest.approx(paired.t_test(moves), abs=0.01)
    assert [found.low[0], found.high[0]] == pytest.approx([low[0], high[0]], abs=0.003)
    sure = float(scipy.stats.norm.cdf(moves.mean() / (moves.std() / math.sqrt(60))))
    assert found.beats[0] == pytest.approx(sure, abs=0.02)


def test_equal_runs_tie_and_a_constant_difference_separates() -> None:
    first = np.linspace(0.2, 0.8, 20)
    found = all_pairs(np.column_stack([first, first, first - 0.1]), resamples=1000, seed=0, alpha=0.05)
    assert found.p.tolist() == [1.0, pytest.approx(1 / 1001), pytest.approx(1 / 1001)]
    assert found.beats.tolist() == [0.5, 1.0, 1.0]
    low, high = rank_bounds(found.separated(3, 0.05))
    assert (low.tolist(), high.tolist()) == ([1, 1, 3], [2, 2, 3])


@pytest.mark.parametrize("level", [0.05, 0.001])
@pytest.mark.parametrize("effect", [0.15, 0.4, 0.9])
def test_the_number_of_queries_has_the_power(level: float, effect: float) -> None:
    n = float(queries_needed(np.array([effect]), level=level, power=0.8)[0])

    def power(queries: float) -> float:
        limit = scipy.stats.t.isf(level / 2, queries - 1)
        return float(scipy.stats.nct.sf(limit, queries - 1, effect * math.sqrt(queries)))

    assert power(n + 2) >= 0.8 > power(n - 2)
    assert queries_needed(np.array([0.0]), level=level, power=0.8)[0] == math.inf


@pytest.mark.parametrize(("queries", "seed"), [(1, 0), (7, 1), (100, 2**31 - 1)])
def test_draws_are_those_of_postgresql(conn: psycopg.Connection, queries: int, seed: int) -> None:
    drawn = (
        "SELECT b, i, (hashint8extended(hashint4extended(i, (%s::bigint << 32) + b), 0) >> 32 & 4294967295) * %s >> 32"
        " FROM generate_series(11, 30) b, generate_series(1, %s) i"
    )
    theirs = np.zeros((20, queries))
    for resample, _, query in conn.execute(drawn, [seed, queries, queries]):
        theirs[resample - 11, query] += 1
    assert query_counts(queries, range(11, 31), seed).tolist() == theirs.tolist()


def test_draws_are_uniform_and_independent() -> None:
    """Counts of a query are binomial, and those of two queries of a resample have the covariance of a multinomial."""
    counts = query_counts(20, range(1, 20_001), 0)
    assert scipy.stats.chisquare(counts.sum(axis=0)).pvalue > 0.001
    seen = [int(np.count_nonzero(counts[:, 3] == times)) for times in range(5)]
    expected = [20_000 * float(scipy.stats.binom.pmf(times, 20, 1 / 20)) for times in range(5)]
    assert scipy.stats.chisquare([*seen, 20_000 - sum(seen)], [*expected, 20_000 - sum(expected)]).pvalue > 0.001
    assert np.cov(counts.T)[0, 1:] == pytest.approx(-1 / 20, abs=0.03)
    assert np.corrcoef(counts[:-1, 0], counts[1:, 0])[0, 1] == pytest.approx(0, abs=0.03)


def test_quantiles_and_numbers_of_queries_in_sql(conn: psycopg.Connection) -> None:
    for p in (1e-300, 1e-9, 0.025, 0.3, 0.5, 0.8, 0.999):
        assert conn.execute("SELECT stc.normal_quantile(%s)", [p]).fetchone() == (
            pytest.approx(scipy.stats.norm.ppf(p), rel=1e-13),
        )
    for p in (1e-5, 0.05, 0.9):
        for df in (1, 2, 14, 99, 1000):
            [t] = conn.execute("SELECT stc.student_t_quantile(%s, %s)", [p, df]).fetchone() or [None]
            assert t == pytest.approx(scipy.stats.t.isf(p / 2, df), rel=1e-8)
    ends = "SELECT stc.normal_quantile(0), stc.normal_quantile(1), stc.normal_quantile(2)"
    assert conn.execute(ends).fetchone() == (-math.inf, math.inf, None)
    ends = "SELECT stc.student_t_quantile(0, 3), stc.student_t_quantile(1, 3), stc.student_t_quantile(0.5, 0)"
    assert conn.execute(ends).fetchone() == (math.inf, 0, None)
    for effect in (-0.9, 0.15, 0.4, 30.0, 0.0, math.nan, 1e-4):
        for level in (0.05, 0.001):
            ours = float(queries_needed(np.array([effect]), level=level, power=0.8)[0])
            [theirs] = conn.execute("SELECT queries_needed(%s, %s)", [effect, level]).fetchone() or [0]
            assert theirs == (int(ours) if ours <= 1_000_000 else None)


@pytest.mark.parametrize("queries", [24, 25])
def test_sql_has_the_same_values(
    conn: psycopg.Connection,
    store_run: StoreRun,  # noqa: F811
    store_qrels: StoreQrels,  # noqa: F811
    queries: int,
) -> None:
    """Few queries, with Bonferroni's correction, and enough."""
    random = np.random.default_rng(queries)
    names = [f"q{number}" for number in range(queries)]
    edition = store_qrels({name: {f"d{number}": 1 for number in range(6)} for name in names})
    runs = [
        store_run({name: {f"d{d}": random.normal() - better * (d > 5) for d in range(20)} for name in names}, decoy=False)
        for better in (0.0, 0.2, 0.6, 0.9)
    ]
    rules = TieRules(resamples=3000, seed=4)
    found = tied_ranking(conn, edition=edition, measure=parse_measure("P@10"), runs=runs, rules=rules)
    arguments = "(%s, 'P@10', %s, resamples => 3000, seed => 4)"
    pairs = conn.execute(f"SELECT * FROM tied_pairs{arguments}", [edition, runs]).fetchall()
    expected = [(*pair[:2], *(pytest.approx(value, abs=1e-9) for value in pair[2:7]), pair.needed) for pair in found.pairs]
    assert pairs == expected
    p = {round(pair.p, 6) for pair in found.pairs}
    assert min(p) < 0.05 < max(p)
    assert len(p) > 3


def test_few_queries_are_at_least_as_strict_as_bonferroni() -> None:
    values = normal(np.random.default_rng(3), np.array([0.5, 0.45, 0.4, 0.3]), 10)
    found = all_pairs(values, resamples=1000, seed=0, alpha=0.05)
    alone = paired.t_test(values[:, found.one] - values[:, found.other])
    assert np.all(found.p >= np.minimum(1, 6 * alone) - 1e-12)
    assert found.critical >= scipy.stats.t.isf(0.05 / 6 / 2, 9) - 1e-9
    assert ((found.p < 0.05) == ((found.low > 0) | (found.high < 0))).all()


def test_pairs_without_variance(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:  # noqa: F811
    """A run, its copy, and a run that is worse by the same amount on each query."""
    queries = [f"q{number}" for number in range(6)]
    edition = store_qrels({query: {"d1": 1} for query in queries})
    documents = ({"d1": 2.0, "d2": 1.0}, {"d1": 3.0, "d2": 1.0}, {"d2": 2.0, "d3": 1.0})
    runs = [store_run(dict.fromkeys(queries, docs), decoy=False) for docs in documents]
    found = tied_ranking(conn, edition=edition, measure=parse_measure("P@1"), runs=runs, rules=TieRules(resamples=200))
    arguments = "(%s, 'P@1', %s, resamples => 200)"
    pairs = conn.execute(f"SELECT * FROM tied_pairs{arguments}", [edition, runs]).fetchall()
    always = (1, 1, 1, pytest.approx(1 / 201), 1, None)
    assert [row[2:] for row in pairs] == [(0, 0, 0, 1, 0.5, None), always, always]
    assert pairs == [tuple(pair) for pair in found.pairs]
    assert conn.execute(f"SELECT * FROM tied_ranking{arguments}", [edition, runs]).fetchall() == [tuple(run) for run in found.runs]
    assert [run[4:] for run in found.runs] == [(1, 1, 2, "A"), (1, 1, 2, "A"), (3, 3, 3, "B")]


def test_sql_with_one_run_and_with_too_many(
    conn: psycopg.Connection,
    store_run: StoreRun,  # noqa: F811
    store_qrels: StoreQrels,  # noqa: F811
) -> None:
    run = store_run({"q1": {"d1": 1.0}, "q2": {"d2": 1.0}}, decoy=False)
    edition = store_qrels({"q1": {"d1": 1}, "q2": {"d1": 1, "d2": 0}})
    assert conn.execute("SELECT * FROM tied_pairs(%s, 'P@1', %s)", [edition, [run]]).fetchall() == []
    [only] = tied_ranking(conn, edition=edition, measure=parse_measure("P@1"), runs=[run]).runs
    assert conn.execute("SELECT * FROM tied_ranking(%s, 'P@1', %s)", [edition, [run]]).fetchall() == [
        (only.run, *map(pytest.approx, only[1:4]), *only[4:])
    ]
    conn.execute("INSERT INTO st1_runs (run) SELECT 'r' || n FROM generate_series(1, 1500) n")
    conn.execute(
        "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score) SELECT r.id, k.query, k.doc, 1, 1"
        " FROM st1_runs r, stc.st1_rankings k JOIN st1_runs n ON n.id = k.run WHERE n.run = %s AND r.run <> %s",
        [run, run],
    )
    with pytest.raises(psycopg.Error, match="at most 1500 runs; got 1501") as error:
        conn.execute("SELECT * FROM tied_pairs(%s, 'P@1')", [edition])
    assert error.value.sqlstate == "IR202"


@pytest.mark.parametrize("draw", [normal, skewed])
def test_few_collections_are_covered(draw: Draw) -> None:
    """Wide bounds: with 150 collections the share has a standard error of 1.8 %."""
    shares = coverage(draw, np.full(12, 0.35), queries=100, collections=150)
    assert all(0.89 <= share <= 1 for share in shares[:3])


@pytest.mark.parametrize("draw", [normal, skewed])
def test_tied_runs_are_covered(draw: Draw) -> None:
    """If all runs tie, a run's true rank is every rank, and the interval must be all ranks."""
    for share in coverage(draw, np.full(12, 0.35), queries=100)[:3]:
        assert 0.93 <= share <= 0.97


def test_different_runs_are_covered() -> None:
    """Distinct true ranks are contained at least as often: a rank is wrong only if a difference has the wrong sign."""
    shares = coverage(skewed, np.linspace(0.25, 0.45, 12), queries=100)
    assert 0.93 <= shares.mean <= 0.97
    assert 0.93 <= shares.differences <= 0.97
    assert shares.ranks >= shares.differences

"""Rankings that admit ties: known cases, the tests they build on, and coverage in simulated collections."""

from __future__ import annotations

import math

import numpy as np
import psycopg
import pytest
import scipy.stats

from benchmarks.ties import Draw, coverage, normal, skewed
from stcollection.analysis import paired
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


def test_the_number_of_queries_in_sql(conn: psycopg.Connection) -> None:
    for p in (1e-300, 1e-9, 0.025, 0.3, 0.5, 0.8, 0.999):
        assert conn.execute("SELECT stc.normal_quantile(%s)", [p]).fetchone() == (
            pytest.approx(scipy.stats.norm.ppf(p), rel=1e-13),
        )
    ends = "SELECT stc.normal_quantile(0), stc.normal_quantile(1), stc.normal_quantile(2)"
    assert conn.execute(ends).fetchone() == (-math.inf, math.inf, None)
    for effect in (-0.9, 0.15, 0.4, 30.0, 0.0, math.nan, 1e-4):
        for level in (0.05, 0.001):
            ours = float(queries_needed(np.array([effect]), level=level, power=0.8)[0])
            [theirs] = conn.execute("SELECT queries_needed(%s, %s)", [effect, level]).fetchone() or [0]
            assert theirs == (int(ours) if ours <= 1_000_000 else None)


def test_few_queries_are_at_least_as_strict_as_bonferroni() -> None:
    values = normal(np.random.default_rng(3), np.array([0.5, 0.45, 0.4, 0.3]), 10)
    found = all_pairs(values, resamples=1000, seed=0, alpha=0.05)
    alone = paired.t_test(values[:, found.first] - values[:, found.other])
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
    always = (1, 1, 1, pytest.approx(1 / 201), 1, None)
    assert [pair[2:] for pair in found.pairs] == [(0, 0, 0, 1, 0.5, None), always, always]
    assert [run[4:] for run in found.runs] == [(1, 1, 2, "A"), (1, 1, 2, "A"), (3, 3, 3, "B")]


def test_one_run(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:  # noqa: F811
    run = store_run({"q1": {"d1": 1.0}, "q2": {"d2": 1.0}}, decoy=False)
    edition = store_qrels({"q1": {"d1": 1}, "q2": {"d1": 1, "d2": 0}})
    found = tied_ranking(conn, edition=edition, measure=parse_measure("P@1"), runs=[run])
    assert found.pairs == []
    assert [(one.run, one.mean, *one[4:]) for one in found.runs] == [(run, 0.5, 1, 1, 1, "A")]


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

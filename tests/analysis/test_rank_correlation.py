"""Rank correlations equal scipy's, and their definitions by brute force."""

from __future__ import annotations

import numpy as np
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from stcollection.analysis import rankings
from tests.examples import examples

pytestmark = pytest.mark.slow

grades = st.integers(0, 4).map(float)  # few values, so that ties are common
pairs = st.lists(st.tuples(grades, grades), min_size=2, max_size=6)


def one(conn: psycopg.Connection, statement: str, *values: object) -> float | None:
    row = conn.execute(statement, values).fetchone()
    assert row is not None
    return row[0]  # type: ignore[no-any-return]


def tau(conn: psycopg.Connection, x: list[float], y: list[float]) -> float | None:
    return one(conn, "SELECT stc.kendall_tau(%s::float8[], %s::float8[])", x, y)


def tau_ap(conn: psycopg.Connection, truth: list[float], estimate: list[float]) -> float | None:
    return one(conn, "SELECT stc.tau_ap(%s::float8[], %s::float8[])", truth, estimate)


def rbo(conn: psycopg.Connection, x: str, y: str, p: float = 0.9) -> float | None:
    return one(conn, "SELECT stc.rbo(%s::text[], %s::text[], %s)", list(x), list(y), p)


@examples(60)
@given(pairs)
def test_tau_equals_scipy(conn: psycopg.Connection, both: list[tuple[float, float]]) -> None:
    x, y = (list(column) for column in zip(*both, strict=True))
    expected = kendalltau(x, y).statistic
    assert tau(conn, x, y) == (pytest.approx(expected, abs=1e-12) if expected == expected else None)


def one_sided(truth: list[float], estimate: list[float]) -> float | None:
    """Compute tau_ap by its definition, item by item."""
    shares = []
    for i, told in enumerate(estimate):
        above = [j for j, other in enumerate(estimate) if other > told]
        if above:
            shares.append(sum(truth[j] > truth[i] for j in above) / len(above))
    return 2 * sum(shares) / len(shares) - 1 if shares and len(set(truth)) > 1 else None


@examples(60)
@given(pairs)
def test_tau_ap_equals_its_definition(conn: psycopg.Connection, both: list[tuple[float, float]]) -> None:
    truth, estimate = (list(column) for column in zip(*both, strict=True))
    expected = one_sided(truth, estimate)
    assert tau_ap(conn, truth, estimate) == (pytest.approx(expected, abs=1e-12) if expected is not None else None)
    [vectorised] = rankings.tau_ap(np.array(truth)[:, None], np.array(estimate)[:, None])
    assert vectorised == pytest.approx(float("nan") if expected is None else expected, abs=1e-12, nan_ok=True)


@examples(30)
@given(st.lists(grades, min_size=2, max_size=6).filter(lambda scores: len(set(scores)) > 1))
def test_tau_ap_of_equal_rankings_is_one(conn: psycopg.Connection, scores: list[float]) -> None:
    assert tau_ap(conn, scores, scores) == 1
    assert rankings.tau_ap(np.array(scores)[:, None], np.array(scores)[:, None]) == 1


# From the README and tests of the R package ircor: x, y, tauAP(x, y) if there are no ties, tauAP_b(x, y).
_X = [0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94]
_Y = [0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94]
IRCOR = {
    "readme": (_X, _Y, 0.7491182, None),
    "readme, tied": ([round(5 * x) / 5 for x in _X], [round(5 * y) / 5 for y in _Y], None, 0.6269841),
    "set 1": (
        [0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1.0], [0.8, 0.4, 0.8, 1.0, 0.7, 0.1, 0.4, 0.5, 0.6, 1.0], None, 0.7321,
    ),
    "set 2": (
        [0.3, 0.6, 0.2, 0.9, 0.6, 0.2, 0.7, 0.8, 0.7, 0.4], [0.3, 0.8, 0.7, 0.9, 0.1, 0.1, 0.5, 0.6, 1.0, 0.6], None, 0.297,
    ),
    "set 3": (
        [0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1.0, 0.4], [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0.0, 0.2], None, -0.7047,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", IRCOR)
def test_tau_ap_equals_ircor(conn: psycopg.Connection, case: str) -> None:
    x, y, untied, tied = IRCOR[case]
    if untied is not None:
        assert tau_ap(conn, x, y) == pytest.approx(untied, abs=5e-8)
    if tied is not None:
        sides = [tau_ap(conn, x, y), tau_ap(conn, y, x)]
        assert np.mean([side for side in sides if side is not None]) == pytest.approx(tied, abs=5e-5)


def test_tau_ap_weighs_the_top(conn: psycopg.Connection) -> None:
    truth = [4.0, 3.0, 2.0, 1.0]
    top = tau_ap(conn, truth, [3.0, 4.0, 2.0, 1.0])
    bottom = tau_ap(conn, truth, [4.0, 3.0, 1.0, 2.0])
    assert top == pytest.approx(2 / 3 * (0 + 1 + 1) - 1)
    assert bottom == pytest.approx(2 / 3 * (1 + 1 + 2 / 3) - 1)


def test_positions_with_null_are_ignored(conn: psycopg.Connection) -> None:
    x, y = "'{1,2,NULL,3}'", "'{1,2,9,3}'"
    assert one(conn, f"SELECT stc.kendall_tau({x}, {y})") == 1
    assert one(conn, f"SELECT stc.tau_ap({x}, {y})") == 1


def extrapolated(x: str, y: str, p: float) -> float:
    """Compute equation 32 of Webber, Moffat & Zobel, term by term."""
    short, long = sorted((x, y), key=len)
    s, l = len(short), len(long)  # noqa: E741
    common = {d: len(set(short[:d]) & set(long[:d])) for d in range(1, l + 1)}
    first = sum(common[d] / d * p**d for d in range(1, l + 1))
    second = sum(common[s] * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    return (1 - p) / p * (first + second) + ((common[l] - common[s]) / l + common[s] / s) * p**l


@pytest.mark.parametrize(
    ("x", "y"), [("abcde", "abcde"), ("abcde", "edcba"), ("abc", "xyz"), ("abcdefg", "bca"), ("a", "ba"), ("ab", "cdab")]
)
@pytest.mark.parametrize("p", [0.5, 0.9, 0.98])
def test_rbo(conn: psycopg.Connection, x: str, y: str, p: float) -> None:
    assert rbo(conn, x, y, p) == pytest.approx(extrapolated(x, y, p), abs=1e-12)
    assert rbo(conn, y, x, p) == pytest.approx(extrapolated(x, y, p), abs=1e-12)


def test_rbo_of_equal_and_of_disjoint_rankings(conn: psycopg.Connection) -> None:
    assert rbo(conn, "abc", "abc") == pytest.approx(1)
    assert rbo(conn, "abc", "xyz") == 0
    assert rbo(conn, "", "xyz") is None


@pytest.mark.parametrize(("x", "p"), [("aa", 0.9), ("ab", 1.0), ("ab", 0.0)])
def test_rbo_rejects_bad_arguments(conn: psycopg.Connection, x: str, p: float) -> None:
    with pytest.raises(psycopg.Error) as error:
        rbo(conn, x, "ab", p)
    assert error.value.sqlstate == "IR202"

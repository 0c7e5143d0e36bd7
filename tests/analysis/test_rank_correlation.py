"""Rank correlations: equal to scipy, and to their definitions by brute force."""

from __future__ import annotations

from itertools import pairwise, permutations

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

grades = st.integers(0, 4).map(float)  # few, so that many tie
pairs = st.lists(st.tuples(grades, grades), min_size=2, max_size=6)


def one(conn: psycopg.Connection, statement: str, *values: object) -> float | None:
    row = conn.execute(statement, values).fetchone()
    assert row is not None
    return row[0]  # type: ignore[no-any-return]


def tau(conn: psycopg.Connection, x: list[float], y: list[float]) -> float | None:
    return one(conn, "SELECT kendall_tau(%s::float8[], %s::float8[])", x, y)


def tau_ap(conn: psycopg.Connection, truth: list[float], estimate: list[float]) -> float | None:
    return one(conn, "SELECT tau_ap(%s::float8[], %s::float8[])", truth, estimate)


def rbo(conn: psycopg.Connection, x: str, y: str, p: float = 0.9) -> float | None:
    return one(conn, "SELECT rbo(%s::text[], %s::text[], %s)", list(x), list(y), p)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs)
def test_tau_is_scipys(conn: psycopg.Connection, both: list[tuple[float, float]]) -> None:
    x, y = (list(column) for column in zip(*both, strict=True))
    expected = kendalltau(x, y).statistic
    assert tau(conn, x, y) == (pytest.approx(expected, abs=1e-12) if expected == expected else None)


def orders(scores: list[float]) -> list[list[int]]:
    """Every order of the places that the scores allow, best first."""
    return [list(p) for p in permutations(range(len(scores))) if all(scores[a] >= scores[b] for a, b in pairwise(p))]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs.filter(lambda both: len(both) <= 5))
def test_tau_ap_is_the_mean_over_all_orders_of_ties(conn: psycopg.Connection, both: list[tuple[float, float]]) -> None:
    truth, estimate = (list(column) for column in zip(*both, strict=True))
    values = []
    for true in orders(truth):
        place = {item: at for at, item in enumerate(true)}
        for told in orders(estimate):
            right = [sum(place[o] < place[told[i]] for o in told[:i]) / i for i in range(1, len(told))]
            values.append(2 * sum(right) / (len(told) - 1) - 1)
    assert tau_ap(conn, truth, estimate) == pytest.approx(sum(values) / len(values), abs=1e-12)


def test_tau_ap_weighs_the_top(conn: psycopg.Connection) -> None:
    truth = [4.0, 3.0, 2.0, 1.0]
    top = tau_ap(conn, truth, [3.0, 4.0, 2.0, 1.0])
    bottom = tau_ap(conn, truth, [4.0, 3.0, 1.0, 2.0])
    assert top == pytest.approx(2 / 3 * (0 + 1 + 1) - 1)
    assert bottom == pytest.approx(2 / 3 * (1 + 1 + 2 / 3) - 1)


def test_places_with_null_are_left_out(conn: psycopg.Connection) -> None:
    x, y = "'{1,2,NULL,3}'", "'{1,2,9,3}'"
    assert one(conn, f"SELECT kendall_tau({x}, {y})") == 1
    assert one(conn, f"SELECT tau_ap({x}, {y})") == 1


def extrapolated(x: str, y: str, p: float) -> float:
    """Equation 32 of Webber, Moffat & Zobel, term by term."""
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


def test_rbo_of_equal_and_of_apart(conn: psycopg.Connection) -> None:
    assert rbo(conn, "abc", "abc") == pytest.approx(1)
    assert rbo(conn, "abc", "xyz") == 0
    assert rbo(conn, "", "xyz") is None


@pytest.mark.parametrize(("x", "p"), [("aa", 0.9), ("ab", 1.0), ("ab", 0.0)])
def test_rbo_refuses(conn: psycopg.Connection, x: str, p: float) -> None:
    with pytest.raises(psycopg.Error) as error:
        rbo(conn, x, "ab", p)
    assert error.value.sqlstate == "IR202"

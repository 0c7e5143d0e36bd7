"""INST by hand, by its definition rank by rank, and equal to cwl_eval."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from stcollection.evaluation.measures import parse_measure
from tests.evaluation.conftest import StoreQrels, StoreRun
from tests.evaluation.cwl import REAL, differences, real, value

pytestmark = pytest.mark.slow

NAMES = ("INST", "INST(max_rel=2)", "INST(T=2.5, max_rel=3)", "INST(T=0.5,max_rel=1)", "INST(T=10, max_rel=2)")


def by_definition(gains: list[float], t: float) -> float:
    """Multiply the continuation probabilities over 1,000 ranks."""
    wanted, weight, weights, found = t, 1.0, 0.0, 0.0
    for rank, gain in enumerate([*gains, *[0.0] * (1000 - len(gains))], 1):
        weights, found, wanted = weights + weight, found + weight * gain, wanted - gain
        weight *= ((rank + t + wanted - 1) / (rank + t + wanted)) ** 2
    return found / weights


def test_by_hand(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    """With T = 1 and rank 1 relevant, T(1) is 0, so C(1) is (1/2)², C(2) is (2/3)², and the weights are 1, 1/4, 1/9, …"""
    run, judged = ["d1", "d2", "d3"], {"d1": 1, "d2": 0, "d9": 1}
    weights = sum(1 / rank**2 for rank in range(1, 1001))
    assert value(conn, store_run, store_qrels, "INST", run, judged) == pytest.approx(1 / weights, abs=1e-12)
    assert value(conn, store_run, store_qrels, "INST", ["d2"], judged) == 0
    assert str(parse_measure("inst(t=2)")) == "INST(T=2, max_rel=1)"


@pytest.mark.parametrize("t", [0.5, 1, 2.5, 20])
@pytest.mark.parametrize("grades", [[1] * 30, [0, 2, 1, 0, 0, 2], [2] * 1000, [0] * 999 + [1, 2], [1, 0] * 40, []], ids=len)
def test_by_definition(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels, grades: list[int], t: float) -> None:
    run, judged = [f"d{rank}" for rank in range(len(grades))], {f"d{rank}": grade for rank, grade in enumerate(grades)}
    expected = by_definition([grade / 2 for grade in grades[:1000]], t)
    found = value(conn, store_run, store_qrels, f"INST(T={t}, max_rel=2)", run or ["d0"], judged or {"d1": 1})
    assert found == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("paths", REAL)
def test_equal_to_cwl_eval(
    conn: psycopg.Connection, data: Path, store_run: StoreRun, store_qrels: StoreQrels, paths: tuple[str, str]
) -> None:
    assert max(differences(conn, store_run, store_qrels, NAMES, *real(data, *paths))) < 1e-12

"""INSQ by hand, and equal to cwl_eval."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from stcollection.evaluation.measures import parse_measure
from tests.evaluation.conftest import StoreQrels, StoreRun
from tests.evaluation.cwl import REAL, differences, real, value

NAMES = ("INSQ", "INSQ(max_rel=2)", "INSQ(T=2.5, max_rel=3)", "INSQ(T=0.5,max_rel=1)", "INSQ(T=10, max_rel=2)")


def test_by_hand(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    """With T = 1 the weight of rank r is proportional to 1 / (r + 1)²."""
    run, judged = ["d1", "d2", "d3"], {"d1": 0, "d2": 1, "d3": 2, "d9": 2}
    weights = sum(1 / (rank + 1) ** 2 for rank in range(1, 1001))
    assert value(conn, store_run, store_qrels, "INSQ(max_rel=2)", run, judged) == pytest.approx((0.5 / 9 + 1 / 16) / weights)
    assert value(conn, store_run, store_qrels, "INSQ", run, judged) == pytest.approx((1 / 9 + 1 / 16) / weights)
    assert value(conn, store_run, store_qrels, "INSQ", ["d1"], judged) == 0
    assert str(parse_measure("insq")) == "INSQ(max_rel=1)"


@pytest.mark.slow
@pytest.mark.parametrize("paths", REAL)
def test_equal_to_cwl_eval(
    conn: psycopg.Connection, data: Path, store_run: StoreRun, store_qrels: StoreQrels, paths: tuple[str, str]
) -> None:
    assert max(differences(conn, store_run, store_qrels, NAMES, *real(data, *paths))) < 1e-12

"""SDCG, BPM and NERR8 to NERR11 equal cwl_eval; Accuracy equals ir_measures; all by hand."""

from __future__ import annotations

import math
from pathlib import Path

import ir_measures
import psycopg
import pytest

from stcollection.evaluation.measures import parse_measure
from stcollection.evaluation.score import score
from tests.evaluation.conftest import StoreQrels, StoreRun, ranked
from tests.evaluation.cwl import REAL, differences, real, value

NAMES = (
    *(f"{name}(max_rel={best})@{k}" for name in ("SDCG", "NERR8", "NERR9") for best in (1, 2, 3) for k in (1, 5, 20, 1000)),
    *(f"BPM(T={gain},max_rel={best})@{k}" for gain in (0.5, 1.0, 2.5) for best in (1, 3) for k in (1, 10, 1000)),
    *(f"NERR10(p={p},max_rel={best})" for p in (0.2, 0.9, 0.99) for best in (1, 2)),
    *(f"NERR11(T={gain},max_rel={best})" for gain in (0.5, 1.0, 3.0) for best in (1, 3)),
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("SDCG(max_rel=2)@2", (0.5 / math.log2(3)) / (1 + 1 / math.log2(3))),
        ("BPM(max_rel=2)@10", 1.5 / 3),
        ("NERR8(max_rel=2)@3", (0.5 + 0.5) / (1 + 1 + 0.5)),
        ("NERR9(max_rel=2)@3", (0.5 / 2 + 0.5 / 3) / (1 + 1 / 2 + 0.5 / 3)),
        ("NERR10(p=0.5, max_rel=2)", (0.5 / 2 + 0.5 / 4) / (1 + 1 / 2 + 0.5 / 4)),
        ("Accuracy", 1 - (1 + 1) / (2 * 1)),
        ("Accuracy@1", 0),
    ],
)
def test_by_hand(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels, name: str, expected: float) -> None:
    found = value(conn, store_run, store_qrels, name, ["d1", "d2", "d3"], {"d1": 0, "d2": 1, "d3": 2, "d9": 2})
    assert found == pytest.approx(expected)


@pytest.mark.slow
@pytest.mark.parametrize("paths", REAL)
def test_equal_to_cwl_eval(
    conn: psycopg.Connection, data: Path, store_run: StoreRun, store_qrels: StoreQrels, paths: tuple[str, str]
) -> None:
    assert max(differences(conn, store_run, store_qrels, NAMES, *real(data, *paths))) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("paths", REAL)
def test_accuracy_equals_ir_measures(
    conn: psycopg.Connection, data: Path, store_run: StoreRun, store_qrels: StoreQrels, paths: tuple[str, str]
) -> None:
    run, judged = real(data, *paths)
    names = ["Accuracy", "Accuracy@30", "Accuracy(rel=2)@100"]
    order = {query: {doc: -float(rank) for rank, doc in enumerate(ranked(docs))} for query, docs in run.items()}
    theirs, fails = {}, 0
    for query in run.keys() & judged.keys():
        for name in names:
            try:
                found = list(ir_measures.accuracy.iter_calc([ir_measures.parse_measure(name)], judged, {query: order[query]}))
            except ZeroDivisionError:  # all documents are relevant
                fails += 1
                continue
            theirs[query, name] = found[0].value if found else 0.0
    measures = [parse_measure(name) for name in names]
    ours = score(conn, runs=[store_run(run)], edition=store_qrels(judged), measures=measures, complete=False)
    checked = {(one.query, str(one.measure)): one.value for one in ours}
    assert len(theirs) > 2 * fails
    assert max(abs(checked[query, str(parse_measure(name))] - told) for (query, name), told in theirs.items()) < 1e-9

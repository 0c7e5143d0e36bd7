"""Measures that trec_eval 9 lacks, against ir_measures and definitions; generated runs; the order of trec_eval 10."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import ir_measures
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import fbeta_score

from stcollection.evaluation.measures import parse_measure
from stcollection.evaluation.score import ScoreRules, Version, score
from tests.evaluation.conftest import Judged, Run, StoreQrels, StoreRun, ranked
from tests.evaluation.test_parity import asked, differ, said
from tests.evaluation.test_trec_eval import judgments, read_qrels, read_run, runs_with_many_ties
from tests.examples import examples

REAL = [
    ("simpletext/train_G01-G15.qrels", "simpletext/runs/baseline.run"),
    ("trec-dl/dl21/nist.qrels", "trec-dl/dl21/runs/p_bm25rm3.gz"),
    ("trec_eval/qrels.rel_level", "trec_eval/results.test"),
    ("ir_measures/compat.qrels", "ir_measures/compat.run"),
]


def by_definition(name: str, run: dict[str, float], rels: dict[str, int]) -> float:
    """Compute the value of one query from its definition."""
    order, value = ranked(run), 0.0
    grades = [rels.get(doc, 0) for doc in order]
    if name.startswith("RBP"):
        p, level = {"RBP": (0.8, 1), "RBP(p=0.5, rel=2)": (0.5, 2), "RBP(p=0.9)@10": (0.9, 1)}[name]
        depth = 10 if "@" in name else len(grades)
        return float((1 - p) * sum(p**i for i, rel in enumerate(grades[:depth]) if rel >= level))
    if name == "rbp":
        best = max([1, *rels.values()])
        return 0.1 * sum(0.9**i * max(rel, 0) / best for i, rel in enumerate(grades))
    if name == "rbp_resid":
        unjudged = [i for i, doc in enumerate(order) if rels.get(doc, -1) < 0]
        return 0.1 * sum(0.9**i for i in unjudged) + 0.9 ** len(order) if unjudged else 0.0
    if name.startswith("ERR"):
        largest, left = (2 if "max" in name else 4), 1.0
        for rank, rel in enumerate(grades[:20], 1):
            satisfied = (2 ** min(max(rel, 0), largest) - 1) / 2**largest
            value, left = value + left * satisfied / rank, left * (1 - satisfied)
        return float(value)
    if name == "Judged@10":
        top = order[:10]
        return sum(rels.get(doc, -1) >= 0 for doc in top) / len(top)
    if name == "nDCG(dcg='exp-log2')@10":

        def dcg(rels: list[int]) -> float:
            return float(sum((2 ** max(rel, 0) - 1) / math.log2(i + 2) for i, rel in enumerate(rels[:10])))

        ideal = dcg(sorted(rels.values(), reverse=True))
        return dcg(grades) / ideal if ideal else 0.0
    if name == "RR@10":
        return next((1 / rank for rank, rel in enumerate(grades[:10], 1) if rel > 0), 0.0)
    if name == "unj_5":
        return sum(rels.get(doc, -1) < 0 for doc in order[:5]) / 5
    raise AssertionError(name)


DEFINED = [
    "RBP", "RBP(p=0.5, rel=2)", "RBP(p=0.9)@10", "rbp", "rbp_resid", "ERR@20", "ERR(max=2)@20", "Judged@10",
    "nDCG(dcg='exp-log2')@10", "RR@10", "unj_5",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("qrels", "path"), REAL)
def test_by_definition(
    conn: psycopg.Connection, data: Path, store_run: StoreRun, store_qrels: StoreQrels, qrels: str, path: str
) -> None:
    judged, run = read_qrels(data / qrels), read_run(data / path)
    name, edition = store_run(run), store_qrels(judged)
    rows = conn.execute("SELECT query, measure, value FROM scores(%s, %s, %s, false)", [[name], edition, DEFINED]).fetchall()
    assert len(rows) == len(run.keys() & judged.keys()) * len(DEFINED)
    for query, measure, value in rows:
        assert value == pytest.approx(by_definition(measure, run[query], judged[query]), abs=1e-9), (query, measure)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl program")
@pytest.mark.parametrize(("qrels", "path"), REAL[1:3])
def test_gdeval_and_judged_of_ir_measures(
    conn: psycopg.Connection, data: Path, store_run: StoreRun, store_qrels: StoreQrels, qrels: str, path: str
) -> None:
    judged = {q: {doc: max(rel, 0) for doc, rel in by.items()} for q, by in read_qrels(data / qrels).items()}
    run = read_run(data / path)
    name, edition = store_run(run), store_qrels(judged)
    names = [
        "ERR@20",
        "nDCG(dcg='exp-log2')@10",
        "Judged@10",
        "P(rel=2)@5",
        "AP(rel=2)",
        "RR@10",
        "AP@10",
        "Success@5",
        "SetP",
        "IPrec@0.1",
    ]
    theirs = {
        (one.query_id, str(ir_measures.parse_measure(str(one.measure)))): one.value
        for one in ir_measures.iter_calc([ir_measures.parse_measure(name) for name in names], judged, run)
    }
    ours = score(conn, runs=[name], edition=edition, measures=map(parse_measure, names), complete=False)
    assert len(ours) == len(run.keys() & judged.keys()) * len(names)
    for one in ours:
        gdeval = one.measure.name == "ERR" or "exp" in one.measure.parameters  # it prints five decimals
        expected = theirs[one.query, str(ir_measures.parse_measure(str(one.measure)))]
        assert one.value == pytest.approx(expected, abs=5.1e-6 if gdeval else 1e-9), one


@pytest.mark.slow
@examples(40)
@given(run=runs_with_many_ties, judged=judgments, level=st.integers(1, 3), judged_only=st.booleans(), stored=st.booleans())
def test_generated_runs(
    conn: psycopg.Connection,
    store_run: StoreRun,
    store_qrels: StoreQrels,
    run: Run,
    judged: Judged,
    level: int,
    judged_only: bool,
    stored: bool,
) -> None:
    name, edition = store_run(run), store_qrels(judged)
    if stored:
        conn.execute("SELECT judge_runs(%s, %s)", [[name], edition])
    expected = said(run, judged, level=level, judged_only=judged_only)
    for runs in ([name], []):
        assert not differ(asked(conn, runs, edition, level=level, judged_only=judged_only).get(name, {}), expected)


def test_ten_ranks_in_double_precision(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    """In single precision 1.00000001 equals 1, and the larger docno wins the tie."""
    name, edition = store_run({"q": {"a": 1.00000001, "b": 1.0}}, decoy=False), store_qrels({"q": {"a": 1}})
    conn.execute("UPDATE stc.st1_rankings SET rel_score = CASE rank WHEN 2 THEN 1.00000001 ELSE 1 END")
    versions: list[tuple[Version, float]] = [("trec_eval 9", 0.5), ("trec_eval 10", 1.0)]
    for version, value in versions:
        [one] = score(conn, runs=[name], edition=edition, measures=[parse_measure("RR")], rules=ScoreRules(version=version))
        assert one.value == value


def test_set_f_has_the_published_beta(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    """As scikit-learn; trec_eval's parameter, which ir_measures calls beta, is its square."""
    run, judged = {"q": dict.fromkeys("abxyz", 1.0)}, {"q": {"a": 1, "b": 1, "c": 1, "e": 2, "x": 0}}
    stored, edition = store_run(run), store_qrels(judged)
    docs = sorted({*run["q"], *judged["q"]})
    relevant, retrieved = [judged["q"].get(doc, 0) > 0 for doc in docs], [doc in run["q"] for doc in docs]
    for beta in (0.5, 1.0, 2.0, 3.0):
        names = (f"SetF(beta={beta})", f"set_F.{beta}")
        ours, squared = (score(conn, runs=[stored], edition=edition, measures=[parse_measure(name)])[0].value for name in names)
        assert ours == pytest.approx(fbeta_score(relevant, retrieved, beta=beta))
        [theirs] = ir_measures.iter_calc([ir_measures.SetF(beta=beta)], judged, run)
        assert squared == pytest.approx(theirs.value)
        assert (ours == pytest.approx(squared)) is (beta == 1)

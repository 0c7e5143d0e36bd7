"""Every value equals trec_eval 9's, on real and generated collections, for both access paths."""

from __future__ import annotations

import gzip
from collections import defaultdict
from pathlib import Path

import psycopg
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from stcollection.evaluation.measures import AP, RR, Bpref, Measure, P, R, nDCG, parse_measure
from stcollection.evaluation.score import leaderboard, score
from tests.evaluation.conftest import Judged, Run, StoreQrels, StoreRun
from tests.examples import examples

CUTOFFS = (1, 5, 10, 20, 100, 1000)
MEASURES = [RR, AP, Bpref, *(kind @ cutoff for kind in (nDCG, P, R) for cutoff in CUTOFFS)]


def trec_eval(run: Run, qrels: Judged, measures: list[Measure]) -> dict[str, dict[str, float]]:
    """Return trec_eval 9's values with -c by query and measure, 0 for a query for which the run has nothing."""
    values = pytrec_eval.RelevanceEvaluator(qrels, {measure.trec_eval for measure in measures}).evaluate(run)
    nothing = {measure.trec_eval: 0.0 for measure in measures}
    return {query: values.get(query, nothing) for query in qrels}


def check(conn: psycopg.Connection, run: Run, name: str, qrels: Judged, edition: str, measures: list[Measure]) -> None:
    """Compare our values with trec_eval's: for the run alone (its ranking drives), and among all runs (the judgments drive)."""
    expected = trec_eval(run, qrels, measures)
    for runs in ([name], []):
        ours = [one for one in score(conn, runs=runs, edition=edition, measures=measures) if one.run == name]
        assert {one.query for one in ours} == set(qrels)
        assert len(ours) == len(qrels) * len(measures)
        for one in ours:
            assert one.value == pytest.approx(expected[one.query][one.measure.trec_eval], abs=1e-9), one


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Read judgments without header and comments. Cranfield's have three columns, and grades of which the smallest is best."""
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    for line in path.read_text(encoding="utf-8").splitlines():
        query, *columns = line.split()
        if query.startswith("#") or columns[-1] == "relevance":
            continue
        doc, rel = columns[-2:]
        qrels[query][doc] = int(rel) if len(columns) == 3 else max(0, 5 - int(rel)) % 6
    return qrels


def read_run(path: Path) -> dict[str, dict[str, float]]:
    """Read a run; for a document listed twice the first row counts."""
    run: dict[str, dict[str, float]] = defaultdict(dict)
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            query, _, doc, _, value, *_ = line.split()
            run[query].setdefault(doc, float(value))
    return run


@pytest.mark.slow
@pytest.mark.parametrize(
    ("qrels", "runs"),
    [
        ("simpletext/train_G01-G15.qrels", "simpletext/runs/*.run"),
        ("cranfield/cranqrel", "cranfield/runs/*.txt"),
        pytest.param("trec-dl/dl21/nist.qrels", "trec-dl/dl21/runs/*.gz", marks=pytest.mark.long),
        ("trec_eval/qrels.test", "trec_eval/results.t*"),
        ("trec_eval/qrels.rel_level", "trec_eval/results.test"),
        ("trec_eval/qrels.123", "trec_eval/results.test"),
        ("trec_eval/qrels.comments.123", "trec_eval/results.test"),
        ("trec_eval/qrels.test.with-comments", "trec_eval/results.test"),
        ("trec_eval/qrels-302.test", "trec_eval/results-302.test"),
        ("trec_eval/qrels.comment.test", "trec_eval/results.comment.test"),
        ("ir_measures/cwl.qrels", "ir_measures/cwl.run"),
        ("ir_measures/compat.qrels", "ir_measures/compat.run"),
    ],
)
def test_real_runs(
    conn: psycopg.Connection, data: Path, store_run: StoreRun, store_qrels: StoreQrels, qrels: str, runs: str
) -> None:
    judged, paths = read_qrels(data / qrels), sorted(data.glob(runs))
    assert paths
    edition = store_qrels(judged)
    stored = {store_run(run, decoy=False): run for run in map(read_run, paths)}
    for name, run in list(stored.items())[:3]:
        check(conn, run, name, judged, edition, MEASURES)

    every = score(conn, runs=[], edition=edition, measures=MEASURES)
    assert len(every) == len(stored) * len(judged) * len(MEASURES)
    expected = {name: trec_eval(run, judged, MEASURES) for name, run in stored.items()}
    apart = [one for one in every if abs(one.value - expected[one.run][one.query][one.measure.trec_eval]) > 1e-9]
    assert not apart

    for name, values in leaderboard(conn, edition=edition, measures=MEASURES):
        means = [sum(by[measure.trec_eval] for by in expected[name].values()) / len(judged) for measure in MEASURES]
        assert values == pytest.approx(means, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("printed", "run", "complete"), [("out.test.aqc", "results.trunc", True), ("out.test.aq", "results.test", False)]
)
def test_equal_to_trec_eval_output(
    conn: psycopg.Connection, data: Path, store_run: StoreRun, store_qrels: StoreQrels, printed: str, run: str, complete: bool
) -> None:
    name, edition = store_run(read_run(data / "trec_eval" / run)), store_qrels(read_qrels(data / "trec_eval/qrels.test"))
    names = [
        "map",
        "bpref",
        "recip_rank",
        "P_10",
        "P_1000",
        "recall_5",
        "recall_1000",
        "ndcg_cut_10",
        "ndcg_cut_20",
        "ndcg_cut_1000",
    ]
    lines = [line.split() for line in (data / "trec_eval" / printed).read_text().splitlines()]
    expected = {(query, measure): float(value) for measure, query, value in lines if measure in names}
    assert {measure for _, measure in expected} == set(names)

    measures = [parse_measure(measure) for measure in names]
    every = score(conn, runs=[name], edition=edition, measures=measures, complete=complete)
    [(_, means)] = leaderboard(conn, runs=[name], edition=edition, measures=measures, complete=complete)
    found = {(one.query, one.measure.trec_eval): one.value for one in every} | {
        ("all", m): mean for m, mean in zip(names, means, strict=True)
    }
    assert found == pytest.approx(expected, abs=5.1e-5)


docnos = st.sampled_from([f"d{number}" for number in range(1, 13)] + ["10", "9", "Ä", "é", "D1"])
scores = st.sampled_from(
    [0.0, 1.0, 1.00000001, 0.5, 0.50000001, -1.0, 2.5, 1e-30]
)  # few scores, so that most tie, some only in single precision
queries = st.sampled_from(["q1", "q2", "q3"])
runs_with_many_ties = st.dictionaries(queries, st.dictionaries(docnos, scores, min_size=1), min_size=1)
# trec_eval reads beyond its tables if all grades of a query are negative
labels = st.dictionaries(docnos, st.integers(-2, 3), min_size=1).filter(lambda by_doc: max(by_doc.values()) >= 0)
judgments = st.dictionaries(queries, labels, min_size=1)


@pytest.mark.slow
@examples(60)
@given(run=runs_with_many_ties, judged=judgments, cutoff=st.integers(1, 6))
def test_generated_runs(
    conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels, run: Run, judged: Judged, cutoff: int
) -> None:
    name, edition = store_run(run), store_qrels(judged)  # stored next to those of earlier examples
    check(conn, run, name, judged, edition, [RR, AP, Bpref, nDCG @ cutoff, P @ cutoff, R @ cutoff])

"""Every trec_eval measure equals pytrec_eval, per query and on average, on real collections and generated ones."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import psycopg
import pytest
import pytrec_eval

from tests.evaluation.conftest import Judged, Run, StoreQrels, StoreRun
from tests.evaluation.test_trec_eval import read_qrels, read_run

WITHOUT_VALUE = {"relstring", "runid"}
KINDS = sorted(pytrec_eval.supported_measures - WITHOUT_VALUE)


def said(run: Run, qrels: Judged, *, level: int = 1, judged_only: bool = False) -> dict[tuple[str, str], float]:
    """Return trec_eval 9's values by query and measure; 0 where it divides 0 by 0 (a ranking that -J leaves empty)."""
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(KINDS), relevance_level=level, judged_docs_only_flag=judged_only)
    values = evaluator.evaluate(run)
    return {(q, m): 0.0 if math.isnan(v) else v for q, by in values.items() for m, v in by.items() if m not in WITHOUT_VALUE}


def asked(
    conn: psycopg.Connection, runs: Iterable[str], edition: str, *, level: int = 1, judged_only: bool = False
) -> dict[str, dict[tuple[str, str], float]]:
    rows = conn.execute(
        "SELECT run, query, measure, value FROM scores(%s, %s, %s, false, %s, %s)", [list(runs), edition, KINDS, level, judged_only]
    )
    found: dict[str, dict[tuple[str, str], float]] = {}
    for run, query, measure, value in rows:
        assert (query, measure) not in found.setdefault(run, {})
        found[run][query, measure] = value
    return found


def differ(ours: dict[tuple[str, str], float], theirs: dict[tuple[str, str], float]) -> dict[tuple[str, str], object]:
    assert ours.keys() >= theirs.keys(), sorted(theirs.keys() - ours.keys())[:5]
    extra = {measure for _, measure in ours.keys() - theirs.keys()}
    assert extra <= {"success_1"}, extra
    return {key: (ours[key], value) for key, value in theirs.items() if not abs(ours[key] - value) <= 1e-9 * max(1, abs(value))}


@pytest.mark.slow
@pytest.mark.parametrize(("level", "judged_only"), [(1, False), (2, False), (1, True), (2, True)])
@pytest.mark.parametrize(
    ("qrels", "runs"),
    [
        ("simpletext/train_G01-G15.qrels", "simpletext/runs/*.run"),
        ("cranfield/cranqrel", "cranfield/runs/*.txt"),
        pytest.param("trec-dl/dl21/nist.qrels", "trec-dl/dl21/runs/*.gz", marks=pytest.mark.long),
        ("trec_eval/qrels.test", "trec_eval/results.t*"),
        ("trec_eval/qrels.rel_level", "trec_eval/results.test"),
        ("trec_eval/qrels.123", "trec_eval/results.test"),
        ("trec_eval/qrels-302.test", "trec_eval/results-302.test"),
        ("trec_eval/qrels.comment.test", "trec_eval/results.comment.test"),
        ("ir_measures/cwl.qrels", "ir_measures/cwl.run"),
        ("ir_measures/compat.qrels", "ir_measures/compat.run"),
    ],
)
def test_real_runs(
    conn: psycopg.Connection,
    data: Path,
    store_run: StoreRun,
    store_qrels: StoreQrels,
    qrels: str,
    runs: str,
    level: int,
    judged_only: bool,
) -> None:
    judged, paths = read_qrels(data / qrels), sorted(data.glob(runs))
    assert paths
    edition = store_qrels(judged)
    stored = {store_run(run, decoy=False): run for run in map(read_run, paths)}
    found = asked(conn, [], edition, level=level, judged_only=judged_only)
    for name, run in stored.items():
        assert not differ(found[name], said(run, judged, level=level, judged_only=judged_only)), name

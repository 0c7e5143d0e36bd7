"""Scores by cwl_eval, through ir_measures: the oracle for measures of the C/W/L framework."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import ir_measures
import psycopg

from stcollection.evaluation.measures import parse_measure
from stcollection.evaluation.score import score
from tests.evaluation.conftest import Judged, Run, StoreQrels, StoreRun, ranked
from tests.evaluation.test_trec_eval import read_qrels, read_run

#: Judgments and a run of real collections.
REAL = (
    ("simpletext/train_G01-G15.qrels", "simpletext/runs/baseline.run"),
    ("trec-dl/dl21/nist.qrels", "trec-dl/dl21/runs/p_bm25rm3.gz"),
)


def real(data: Path, qrels: str, run: str) -> tuple[Run, Judged]:
    return read_run(data / run), read_qrels(data / qrels)


def value(
    conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels, name: str, run: Sequence[str], judged: Mapping[str, int]
) -> float:
    """Return the value of one query. :param run: documents, best first."""
    stored = store_run({"q": {doc: -float(rank) for rank, doc in enumerate(run)}}, decoy=False)
    [one] = score(conn, runs=[stored], edition=store_qrels({"q": judged}), measures=[parse_measure(name)])
    return one.value


def differences(
    conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels, names: Sequence[str], run: Run, judged: Judged
) -> list[float]:
    """Return the difference of each value from cwl_eval's, which gets the documents in our order as it breaks ties differently."""
    stored, edition = store_run(run), store_qrels(judged)
    measures = [parse_measure(name) for name in names]
    order = {query: {doc: -float(rank) for rank, doc in enumerate(ranked(docs))} for query, docs in run.items()}
    theirs = {
        (one.query_id, str(one.measure)): one.value
        for one in ir_measures.cwl_eval.iter_calc([ir_measures.parse_measure(str(one)) for one in measures], judged, order)
    }
    ours = score(conn, runs=[stored], edition=edition, measures=measures, complete=False)
    assert len(ours) == len(measures) * len(run.keys() & judged.keys())
    return [abs(one.value - theirs[one.query, str(ir_measures.parse_measure(str(one.measure)))]) for one in ours]

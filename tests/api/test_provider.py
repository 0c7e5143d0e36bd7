"""The provider of ir_measures: equal to the other providers, for every kind of input, and for names in a collection."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pytest

from stcollection.api.collection import Collection
from stcollection.api.provider import Provider
from stcollection.db.settings import Settings
from stcollection.errors import BadInput, StateError, UnknownObject
from tests.api.conftest import JUDGMENTS
from tests.evaluation.ndeval import made as made_by_subtopic
from tests.evaluation.ndeval import store_subtopics
from tests.evaluation.test_trec_eval import read_qrels, read_run

pytestmark = pytest.mark.slow

Judged = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]
#: Measures with the provider of ir_measures that computes them.
THEIRS = {
    "pytrec_eval": [
        "nDCG@10", "nDCG", "nDCG(gains={1:3,2:9})", "nDCG(judged_only=True)@5", "P@5", "P(rel=2)@10", "P(judged_only=True)@5",
        "R@100",
        "RR", "RR(rel=2)", "AP", "AP@20", "AP(rel=2)", "Rprec", "Bpref", "infAP", "NumRet", "NumRet(rel=2)", "NumRel", "NumQ",
        "SetAP", "SetF", "SetF(beta=2.0)", "SetP", "SetP(relative=True)", "SetP(relative=True,rel=2)", "SetR", "Success@1",
        "IPrec@0.1",
    ],
    "cwl_eval": [
        "RBP(rel=1)", "RBP(rel=2,p=0.5)", "INST(max_rel=3)", "INSQ(T=2.0,max_rel=3)", "BPM(max_rel=3)@10", "SDCG(max_rel=3)@10",
        "NERR8(max_rel=3)@10", "NERR9(max_rel=3)@10", "NERR10(max_rel=3)", "NERR11(max_rel=3)",
    ],
    "compat": ["Compat", "Compat(p=0.5)", "Compat(p=1.0)"],
    "judged": ["Judged@10"],
    "msmarco": ["RR@10"],
    "accuracy": ["Accuracy", "Accuracy@20"],
}  # fmt: skip
CHOSEN = [ir_measures.parse_measure(name) for name in ("nDCG@10", "AP", "P(judged_only=True)@5")]


def made(seed: int) -> tuple[Judged, Run]:
    """Return judgments and a run without equal scores; one query is only judged, one only ranked."""
    draw = random.Random(seed)
    docs = [f"d{number}" for number in range(80)]
    judged = {f"q{n}": {doc: draw.choice([0, 0, 1, 2, 3]) for doc in draw.sample(docs, 40)} for n in range(12)}
    for grades in judged.values():  # ir_measures' Accuracy fails without a relevant document and another one
        grades.update(d0=1, d1=0)
    ranked = {f"q{n}": [*draw.sample(docs[2:], draw.randint(10, 60)), "d0", "d1"] for n in range(1, 13)}
    # positive scores: in an ideal ranking, Compat of ir_measures gives documents that are not retrieved the score 0
    return judged, {query: {doc: 100.0 - rank for rank, doc in enumerate(its)} for query, its in ranked.items()}


def table(found: Iterator[Any]) -> dict[tuple[str, str], float]:
    return {(one.query_id, str(one.measure)): one.value for one in found}


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    before = list(ir_measures.DefaultPipeline.providers)
    yield Provider(settings)
    ir_measures.DefaultPipeline.providers[:] = before
    ir_measures.providers.registry.pop("stcollection", None)


def compare(provider: Provider, judged: Judged, run: Run) -> int:
    """Compare all values with those of the other providers; return their number."""
    checked = 0
    for name, measures in THEIRS.items():
        wanted = [ir_measures.parse_measure(one) for one in measures]
        other = ir_measures.providers.registry[name]
        assert other.is_available()
        # trec_eval's own -m set_F is set once per call, so each measure is computed alone
        theirs = {key: value for one in wanted for key, value in table(other.iter_calc([one], judged, run)).items()}
        ours = table(provider.iter_calc(wanted, judged, run))
        if name == "accuracy":  # it has no value for a query without a ranking
            theirs = dict.fromkeys(ours.keys() - theirs.keys(), 0.0) | theirs
        assert ours.keys() == theirs.keys()
        for key, value in ours.items():
            assert value == pytest.approx(theirs[key], abs=1e-9), (name, *key)
            checked += value > 0
        for one in wanted if name != "accuracy" else ():
            assert provider.calc_aggregate([one], judged, run)[one] == pytest.approx(other.calc_aggregate([one], judged, run)[one])
    return checked


@pytest.mark.parametrize("seed", range(2))
def test_equal_to_other_providers_on_generated_runs(provider: Provider, seed: int) -> None:
    assert compare(provider, *made(seed)) > 300


def test_equal_to_pytrec_eval_on_real_runs(provider: Provider, data: Path) -> None:
    """Real runs have equal scores, which only trec_eval and we order alike."""
    for qrels, path in (
        ("simpletext/train_G01-G15.qrels", "simpletext/runs/baseline.run"),
        ("trec-dl/dl21/nist.qrels", "trec-dl/dl21/runs/p_bm25rm3.gz"),
    ):
        judged, run = read_qrels(data / qrels), read_run(data / path)
        wanted = [ir_measures.parse_measure(name) for name in THEIRS["pytrec_eval"] if not name.startswith("SetF")]
        ours, theirs = (table(one.iter_calc(wanted, judged, run)) for one in (provider, ir_measures.pytrec_eval))
        assert ours == pytest.approx(theirs, abs=1e-9)
        assert len(ours) > 800


def test_every_kind_of_input(provider: Provider, tmp_path: Path) -> None:
    judged, run = made(5)
    rows = [ir_measures.Qrel(query, doc, rel) for query, its in judged.items() for doc, rel in its.items()]
    scored = [ir_measures.ScoredDoc(query, doc, score) for query, its in run.items() for doc, score in its.items()]
    (tmp_path / "mine.qrels").write_text("".join(f"{one.query_id} 0 {one.doc_id} {one.relevance}\n" for one in rows))
    (tmp_path / "mine.run").write_text("".join(f"{one.query_id} Q0 {one.doc_id} 1 {one.score} mine\n" for one in scored))
    expected = ir_measures.pytrec_eval.calc_aggregate(CHOSEN, judged, run)
    for qrels in (judged, rows, iter(rows), pd.DataFrame(rows), tmp_path / "mine.qrels"):
        evaluator = provider.evaluator(CHOSEN, qrels)
        for ranked in (run, scored, iter(scored), pd.DataFrame(scored), tmp_path / "mine.run"):
            assert evaluator.calc_aggregate(ranked) == pytest.approx(expected)


def test_default_of_ir_measures(provider: Provider) -> None:
    judged, run = made(6)
    assert ir_measures.providers.registry.get("stcollection") is None
    provider.register()
    assert ir_measures.providers.registry["stcollection"] is provider
    assert provider not in ir_measures.DefaultPipeline.providers
    expected = ir_measures.calc_aggregate(CHOSEN, judged, run)
    provider.register(default=True).register(default=True)
    assert ir_measures.DefaultPipeline.providers.count(provider) == 1
    assert type(ir_measures.evaluator(CHOSEN, judged)).__module__ == "stcollection.api.provider"
    assert ir_measures.calc_aggregate(
        CHOSEN, iter([ir_measures.Qrel(q, d, r) for q in judged for d, r in judged[q].items()]), run
    ) == (pytest.approx(expected))
    mixed = [*CHOSEN, ir_measures.nDCG(gains={1: 5}) @ 3]  # gains with a cutoff are left to pytrec_eval
    assert set(ir_measures.calc_aggregate(mixed, judged, run)) == set(mixed)


def test_names_in_a_collection(small: Collection) -> None:
    small.run("bm25", depth=3)
    provider = small.provider()
    run = list(small.scoreddocs_iter("bm25"))
    expected = ir_measures.pytrec_eval.calc_aggregate(CHOSEN, JUDGMENTS, run)
    for qrels in ("train", JUDGMENTS):
        for ranked in ("bm25", run):
            assert provider.calc_aggregate(CHOSEN, qrels, ranked) == pytest.approx(expected)
    assert {query for query, _ in table(provider.iter_calc(CHOSEN, "train", "bm25"))} == set(JUDGMENTS)
    for qrels, ranked in (("no", "bm25"), ("train", "no"), (JUDGMENTS, "no"), ("no", run)):
        with pytest.raises(UnknownObject, match="no"):
            provider.calc_aggregate(CHOSEN, qrels, ranked)
    ir_measures.providers.registry.pop("stcollection")


SUBTOPICS = ("alpha_nDCG@10", "alpha_DCG@20", "ERR_IA@5", "nERR_IA@20", "NRBP", "nNRBP", "StRecall@10", "P_IA@10", "AP_IA")


def test_equal_to_pyndeval(provider: Provider, small: Collection, tmp_path: Path) -> None:
    """From tuples, a data frame, a file and stored judgments; beside a measure of documents."""
    run, rows = made_by_subtopic(1, queries=10, documents=100, depth=80, judged=50)
    qrels = [ir_measures.Qrel(query, doc, rel, subtopic) for query, subtopic, doc, rel in rows]
    measures = [ir_measures.parse_measure(name) for name in SUBTOPICS]
    theirs = table(ir_measures.providers.registry["pyndeval"].iter_calc(measures, qrels, run))
    expected = {key: pytest.approx(0 if math.isnan(value) else value, abs=1e-9) for key, value in theirs.items()}
    assert len(expected) == len(SUBTOPICS) * 10
    (tmp_path / "web.qrels").write_text("".join(f"{' '.join(map(str, row))}\n" for row in rows))
    kinds = (qrels, iter(qrels), pd.DataFrame(qrels), tmp_path / "web.qrels")
    for kind in kinds:
        assert table(provider.iter_calc(measures, kind, run)) == expected
    store_subtopics(small.connection, rows, "web")
    assert table(small.provider().iter_calc(measures, "web", run)) == expected
    beside = table(provider.iter_calc([*measures, ir_measures.P @ 5], iter(qrels), run))
    assert beside.items() >= expected.items()
    plainly = table(provider.iter_calc([ir_measures.P @ 5], qrels, run))
    assert {key: value for key, value in beside.items() if key[1] == "P@5"} == plainly
    for plain in ({"q0": {"d1": 1}}, [ir_measures.Qrel("q0", "d1", 1)], []):
        with pytest.raises(BadInput, match="the judgments name no subtopics") as error:
            list(provider.iter_calc(measures, plain, run))
        assert "ir_measures.Qrel" in str(error.value.hint)


def test_refused(provider: Provider, tmp_path: Path) -> None:
    judged, run = made(7)
    with pytest.raises(StateError, match="'train' is the name of an edition or run") as error:
        provider.calc_aggregate(CHOSEN, "train", run)
    assert "pathlib.Path" in str(error.value.hint)
    with pytest.raises(BadInput, match=r"query q1, document d0 has no score \(NaN\)"):
        provider.calc_aggregate(CHOSEN, judged, {"q1": {"d0": float("nan"), "d1": 1.0}})
    for grade in (1.5, float("nan"), 40000):
        with pytest.raises(BadInput, match=f"query q1, document d0 has the grade {grade}"):
            provider.calc_aggregate(CHOSEN, {"q1": {"d0": grade}}, run)
    for name in ("Compat(normalize=False)", "nDCG(gains={1:3})@10", "INST(max_rel=3,min_rel=1)"):
        assert not provider.supports(ir_measures.parse_measure(name)), name
    assert provider.calc_aggregate(CHOSEN, judged, {}) == dict.fromkeys(CHOSEN, 0)

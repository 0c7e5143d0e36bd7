"""Compat: by hand, and equal to ir_measures, by Clarke et al."""

from __future__ import annotations

from pathlib import Path

import ir_measures
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.errors import BadArgument
from stcollection.evaluation.measures import parse_measure
from stcollection.evaluation.score import score
from tests.evaluation.conftest import Judged, Run, StoreQrels, StoreRun, ranked
from tests.evaluation.cwl import REAL, real, value
from tests.examples import examples

pytestmark = pytest.mark.slow

NAMES = ("Compat", "Compat(p=0.8)", "Compat(p=0.1)", "Compat(p=1)")
_docs = st.sampled_from([f"d{number}" for number in range(12)])


def differences(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels, run: Run, judged: Judged) -> list[float]:
    """Return the difference of each value from ir_measures', which gets positive scores in our order.

    It takes 0 for the score of a document that is not retrieved, and orders equal scores differently.
    """
    stored, edition = store_run(run), store_qrels(judged)
    order = {query: {doc: 1 / (1 + rank) for rank, doc in enumerate(ranked(docs))} for query, docs in run.items()}
    found = []
    for name in NAMES:
        ours = score(conn, runs=[stored], edition=edition, measures=[parse_measure(name)], complete=False)
        measure = ir_measures.Compat(p=float(parse_measure(name).parameters.removeprefix("p=") or 0.95))
        theirs = {one.query_id: one.value for one in ir_measures.compat.iter_calc([measure], judged, order)}
        assert len(ours) == len(run.keys() & judged.keys())
        found += [abs(one.value - theirs[one.query]) for one in ours]
    return found


@pytest.mark.parametrize(("qrels", "path"), [*REAL, ("ir_measures/compat.qrels", "ir_measures/compat.run")])
def test_equal_to_ir_measures(
    conn: psycopg.Connection, data: Path, store_run: StoreRun, store_qrels: StoreQrels, qrels: str, path: str
) -> None:
    run, judged = real(data, qrels, path)
    found = differences(conn, store_run, store_qrels, run, judged)
    assert len(found) >= len(NAMES)
    assert max(found) < 1e-9


@examples(40)
@given(
    run=st.dictionaries(st.sampled_from(["q1", "q2"]), st.dictionaries(_docs, st.floats(-5, 5), min_size=1), min_size=1),
    judged=st.dictionaries(st.sampled_from(["q1", "q2"]), st.dictionaries(_docs, st.integers(-1, 4), min_size=1), min_size=1),
)
def test_generated(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels, run: Run, judged: Judged) -> None:
    assert max(differences(conn, store_run, store_qrels, run, judged), default=0) < 1e-9


@pytest.mark.parametrize(
    ("name", "run", "judged", "expected"),
    [
        # the ideal ranking is d2, d1: no overlap at depth 1, one document of two at depth 2, two of three at depth 3
        ("Compat(p=0.5)", ["d9", "d2", "d1"], {"d1": 1, "d2": 3}, (0.5 * 1 / 2 + 0.25 * 2 / 3) / (1 + 0.5 + 0.25 * 2 / 3)),
        ("Compat(p=1)", ["d9", "d2", "d1"], {"d1": 1, "d2": 3}, (1 / 2 + 2 / 3) / (1 + 1 + 2 / 3)),
        ("Compat(p=0)", ["d1", "d2"], {"d1": 1, "d2": 3}, 0),
        ("Compat(p=0)", ["d2"], {"d1": 1, "d2": 3}, 1),
        ("Compat", ["d1"], {"d1": 0}, 0),
        ("Compat(normalize=True)", ["d2", "d1"], {"d1": 1, "d2": 1, "d3": -1}, 1),
    ],
)
def test_by_hand(
    conn: psycopg.Connection,
    store_run: StoreRun,
    store_qrels: StoreQrels,
    name: str,
    run: list[str],
    judged: dict[str, int],
    expected: float,
) -> None:
    assert value(conn, store_run, store_qrels, name, run, judged) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("scores", "ours", "theirs"),
    [
        # the ideal ranking is d1, d2 here; in ir_measures d2, d1 if the score of d1 is negative
        ({"d1": -1.0}, (1 + 0.95 / 2) / 1.95, (0.95 / 2) / 1.95),
        ({"d1": 1.0}, (1 + 0.95 / 2) / 1.95, (1 + 0.95 / 2) / 1.95),
        ({"d9": -1.0}, 0, 0),
        # d9 is above d1 by trec_eval's order of equal scores
        ({"d1": 1.0, "d9": 1.0}, (0.95 / 2) / 1.95, (1 + 0.95 / 2) / 1.95),
    ],
)
def test_negative_and_equal_scores_differ_from_ir_measures(
    conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels, scores: dict[str, float], ours: float, theirs: float
) -> None:
    run, edition = store_run({"q": scores}), store_qrels({"q": {"d1": 1, "d2": 1}, "none": {"d1": 1}})
    found = score(conn, runs=[run], edition=edition, measures=[parse_measure("Compat")])
    assert {one.query: one.value for one in found} == {"q": pytest.approx(ours), "none": 0}
    other = list(ir_measures.compat.iter_calc([ir_measures.Compat], {"q": {"d1": 1, "d2": 1}, "none": {"d1": 1}}, {"q": scores}))
    assert {one.query_id: one.value for one in other} == {"q": pytest.approx(theirs), "none": 0}


def test_a_long_ranking_does_not_underflow(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    docs = [f"d{number}" for number in range(3000)]
    judged = dict.fromkeys(docs, 1)
    assert value(conn, store_run, store_qrels, "Compat(p=0.1)", docs, judged) == pytest.approx(1)
    assert value(conn, store_run, store_qrels, "Compat(p=0.99)", docs[::-1], {"d0": 1}) < 1e-12


def test_refused_parameters() -> None:
    with pytest.raises(BadArgument, match=r"Compat\(p=1.5\) has a parameter of 1.5"):
        parse_measure("Compat(p=1.5)")
    with pytest.raises(BadArgument, match="does not accept normalize=False"):
        parse_measure("Compat(normalize=False)")

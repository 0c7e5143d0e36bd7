"""The analyses as frames and figures: the results of their functions, in columns."""

from __future__ import annotations

import math
from collections.abc import Iterator

import polars as pl
import pytest

from stcollection.analysis.significance import PairedTest, RunComparison, compare
from stcollection.api.collection import Collection
from stcollection.db.settings import Settings
from stcollection.errors import UnknownObject
from stcollection.evaluation.measures import AP, nDCG
from stcollection.qrels.agreement import agreement

pytestmark = pytest.mark.slow


@pytest.fixture
def demo(demo_settings: Settings) -> Iterator[Collection]:
    with Collection(demo_settings) as collection:
        yield collection


def test_comparisons(demo: Collection) -> None:
    frame = demo.analysis.compare(
        "test", measures=["AP", nDCG @ 10], baseline="bm25", test=PairedTest(permutations=500, kind="randomisation")
    )
    expected = compare(
        demo.connection,
        edition="test",
        measures=[AP, nDCG @ 10],
        baseline="bm25",
        test=PairedTest(permutations=500, kind="randomisation"),
    )
    assert list(frame.columns) == list(RunComparison._fields)
    assert list(frame.itertuples(index=False, name=None)) == [tuple(one) for one in expected]
    assert len(frame) == 8
    polars = demo.analysis.compare("test", frame="polars")
    assert polars.schema["p"] == pl.Float64
    assert polars.height == 10


def test_impact_and_difference(demo: Collection) -> None:
    frame = demo.analysis.impact("train", "test", every=True)
    assert len(frame) == len(demo.leaderboard("test"))
    assert frame["value_b"].tolist() == pytest.approx(demo.leaderboard("test")["nDCG@10"].tolist())
    assert frame["kendall_tau"].nunique() == 1
    cells = demo.analysis.diff("train", "test")
    assert cells["judgments"].sum() == len(demo.qrels("train")) + len(demo.qrels("test"))
    assert set(cells["change"]) == {"added", "removed"}


def test_agreement_with_its_intervals(demo: Collection) -> None:
    [expected] = agreement(demo.connection, "train")
    frame = demo.analysis.agreement("train", bootstrap=200)
    assert frame["kappa"].tolist() == [expected.kappa]
    assert frame["pairs"].tolist() == [expected.pairs]
    assert frame["kappa_low"][0] < frame["kappa"][0] < frame["kappa_high"][0]
    assert "intervals" not in frame
    queries = demo.analysis.agreement("train", by="query", frame="polars")
    assert queries["pairs"].sum() == expected.pairs
    assert queries.schema["kappa"] == pl.Float64


def test_reusability_and_what_is_not_judged(demo: Collection) -> None:
    left = demo.analysis.reusability("test", measure="AP", depth=5)
    assert sorted(left["run"]) == sorted(demo.runs()["run"])
    assert (left["after"] <= left["before"] + 1e-12).all()
    bounds = demo.analysis.unjudged("test", runs=["bm25"], per_query=True)
    assert len(bounds) == demo.qrels("test")["qid"].nunique()
    assert all(worst <= best for worst, best in zip(bounds["worst"], bounds["best"], strict=True))
    assert math.isfinite(bounds["share"].mean())


def test_figures(demo: Collection) -> None:
    pytest.importorskip("matplotlib")
    demo.connection.execute("SELECT stc.make_pool('figure', '{}', 10)")
    plot = demo.analysis.plot
    for figure in (
        plot.systems("test", measure="AP"),
        plot.differences("hybrid", "bm25", edition="test"),
        plot.slopes("train", measures=["AP", "nDCG@10"]),
        plot.grades("train", "test"),
        plot.depth("figure", edition="test"),
    ):
        assert figure.axes
    demo.connection.execute("SELECT stc.drop_pool('figure')")
    with pytest.raises(UnknownObject, match="no run 'nobody'"):
        plot.differences("nobody", "bm25", edition="test")

"""Readability and credibility as frames and figures: the results of their functions, in columns."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
import pytest

from stcollection.analysis.measured import Reading
from stcollection.api.collection import Collection
from stcollection.db.settings import Settings
from stcollection.errors import StateError, UnknownObject
from stcollection.retrieval.pareto import ParetoOptions

pytestmark = pytest.mark.slow


@pytest.fixture
def demo(demo_settings: Settings) -> Iterator[Collection]:
    with Collection(demo_settings) as collection:
        yield collection


def test_measures_by_docno(demo: Collection) -> None:
    assert demo.complexity.compute().documents == 0  # the demo has them
    frame = demo.complexity.measures("textstat_fkgl", "citation_percentile")
    assert list(frame.columns) == ["docno", "textstat_fkgl", "citation_percentile"]
    assert len(frame) == demo.docs_count()
    assert frame["textstat_fkgl"].notna().sum() == demo.sql("SELECT count(*) AS n FROM st1_complexity_metrics")["n"][0]
    everything = demo.complexity.measures(frame="polars")
    assert {"year", "venue", "nltk_sent", "textstat_fre", "citations_per_year", "age"} < set(everything.columns)
    with pytest.raises(UnknownObject, match="no document measure 'fkgl'"):
        demo.complexity.measures("fkgl")


def test_a_combination_and_a_front(demo: Collection) -> None:
    done = demo.complexity.combine("bm25", "easy", weights={"relevance": 0.5, "textstat_fkgl": 0.5}, replace=True)
    assert [(part.measure, part.weight) for part in done.parts] == [("relevance", 0.5), ("textstat_fkgl", 0.5)]
    level = demo.readability(["bm25", "easy"], edition="test").set_index("run")["fkgl"]
    assert level["easy"] < level["bm25"]
    front = demo.complexity.pareto("D02.C1", run="easy", options=ParetoOptions(measures=["relevance", "textstat_fkgl"], k=20))
    assert list(front.columns) == ["front", "rank", "relevance", "textstat_fkgl", "docno", "title"]
    ordered = front.sort_values("relevance", ascending=False)["textstat_fkgl"].dropna()
    assert ordered.is_monotonic_decreasing  # less relevant, and easier
    demo.runs.drop("easy")


def test_what_people_say(demo: Collection) -> None:
    means = demo.complexity.annotation_means("textstat_fkgl")
    assert means["grade"].tolist() == [0, 1, 2] * 4
    assert means["group"].isna().sum() == 3
    agreement = demo.complexity.annotation_agreement(resamples=50, frame="polars")
    assert agreement.schema["alpha_ordinal"] == pl.Float64
    assert agreement.filter(pl.col("group_a").is_null())["annotators"].to_list() == [6]
    found = demo.complexity.annotation_correlations("textstat_fkgl", resamples=50)
    assert (found["spearman_low"] <= found["spearman"]).all()
    assert (found["spearman"] <= found["spearman_high"]).all()


def test_figures(demo: Collection) -> None:
    plot = demo.analysis.plot
    figures = [
        plot.distribution(smallest=5), plot.measures("textstat_fkgl", "cmu_fkgl"), plot.correlations(),
        plot.readable("test", reading=Reading(k=5)),
        plot.annotations(aspect="credibility", measure="citation_percentile"),
    ]  # fmt: skip
    assert all(figure.axes for figure in figures)
    with pytest.raises(StateError):
        plot.distribution(smallest=10_000)

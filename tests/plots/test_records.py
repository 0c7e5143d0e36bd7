"""Every figure is drawn from a record without a database, and notes simulated data in its title."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import pytest

from stcollection.analysis.collection_records import CollectionHistory, EditionHistory, EditionMeans, EffectOverTime, SnapshotScore
from stcollection.analysis.intervals import Interval
from stcollection.analysis.records import (
    AnnotationMean,
    Bias,
    Bins,
    Correlations,
    Distribution,
    FamilyShift,
    GradeDistributions,
    GradeMeans,
    Growth,
    GrowthCurves,
    PoolDepths,
    QueryDifferences,
    QuerySetMeans,
    RankedRun,
    RankingChanges,
    RankIntervals,
    ReadableRuns,
    ReadRun,
    Slope,
    Spread,
    Spreads,
    SystemMeans,
    SystemScore,
    SystemShift,
)
from stcollection.errors import BadArgument, StateError
from stcollection.plots.bias import draw_bias
from stcollection.plots.canvas import BLUE, GREY, VERMILION, Figure
from stcollection.plots.documents import ROWS, draw_correlations, draw_distribution, draw_grade_means, draw_measures
from stcollection.plots.history import draw_history
from stcollection.plots.judgments import draw_depth, draw_grades
from stcollection.plots.origins import OriginMeans, draw_by_origin
from stcollection.plots.ranks import draw_ranks
from stcollection.plots.readable import draw_readable
from stcollection.plots.reliability import draw_editions, draw_growth, draw_scatter, draw_snapshots
from stcollection.plots.systems import draw_differences, draw_slopes, draw_systems
from stcollection.plots.table import table_of
from stcollection.studies.coverage.figure import TopicCount, TopicCounts, draw_coverage
from stcollection.studies.coverage.lattice_drawing import Concept, Lattice, lattice_points
from stcollection.studies.synth.choose import Match
from stcollection.studies.synth.histograms import histogram
from stcollection.studies.synth.match_figure import draw_match
from stcollection.studies.synth.query_figure import QueryHistograms, draw_queries
from tests.plots.look import check_texts, part, title

pytestmark = pytest.mark.slow

NOTE = "Simulated: all of it."
LONG = "a-run-with-all-of-its-parameters-in-its-name-k1=1.2-b=0.75"
NAMED: dict[str, Any] = {"edition": "e", "measure": "AP", "simulated": NOTE}


class Row(NamedTuple):
    run: str
    values: dict[str, float]


def family(name: str, origin: str, relative: float | None) -> FamilyShift:
    low, high = (None, None) if relative is None else (relative - 0.1, relative + 0.1)
    return FamilyShift(name, origin, 1, 5, 0.4, relative, low, high, relative, low, high, None, None, None, 0.0)


RECORDS: dict[str, tuple[Callable[..., Figure], Any]] = {
    "systems": (
        draw_systems,
        SystemMeans(
            interval=Interval(),
            scores=[
                SystemScore(LONG, np.array([0.4, 0.6]), 0.5, 0.3, 0.7),
                SystemScore("none", np.array([np.nan, np.nan]), np.nan, np.nan, np.nan),
            ],
            **NAMED,
        ),
    ),
    "ranks": (
        draw_ranks,
        RankIntervals(
            queries=5,
            alpha=0.05,
            resamples=1000,
            runs=[RankedRun(LONG, 0.5, 0.3, 0.7, 1, 1, 2, "A"), RankedRun("other", 0.4, 0.2, 0.6, 2, 1, 2, "A")],
            pairs=[],
            **NAMED,
        ),
    ),
    "differences": (
        draw_differences,
        QueryDifferences(
            run=LONG,
            against="other",
            interval=Interval("bootstrap", alpha=0.1),
            queries=["q1", "q2", "q3"],
            differences=np.array([0.5, 0.0, -0.1]),
            mean=0.4 / 3,
            low=-0.1,
            high=0.5,
            **NAMED,
        ),
    ),
    "slopes": (
        draw_slopes,
        RankingChanges(
            common="AP",
            left="e",
            right="f",
            runs=[Slope("x", 0.6, 0.4, 1, 2), Slope("y", 0.5, 0.5, 2, 1)],
            kendall_tau=-1.0,
            tau_ap=None,
            simulated=NOTE,
        ),
    ),
    "depth": (
        draw_depth,
        PoolDepths(
            pool="p",
            edition="e",
            relevant=1,
            documents=[3, 5, 9],
            judged=[3, 4, 4],
            relevant_found=[1, 2, 2],
            estimates=[1.0, 2.5, 4.0],
            simulated=NOTE,
        ),
    ),
    "grades": (
        draw_grades,
        GradeDistributions(rows=[Distribution("e", "human", {-1: 2, 0: 30, 2: 8}), Distribution("f", "", {})], simulated=NOTE),
    ),
    "grade means": (
        draw_grade_means,
        GradeMeans(
            measure="textstat_fkgl",
            aspect="complexity",
            rows=[
                AnnotationMean("textstat_fkgl", "students", 0, 10, 13, 12.5, 1.0, 0.3),
                AnnotationMean("textstat_fkgl", None, 1, 1, 1, 15, None, None),
            ],
            simulated=NOTE,
        ),
    ),
    "readable": (
        draw_readable,
        ReadableRuns(
            readability="textstat_fkgl",
            k=10,
            interval=Interval(),
            runs=[ReadRun("x", 0.5, 0.4, 0.6, 14, 13, 15, 5), ReadRun("y", 0.3, 0.2, 0.4, 13, np.nan, np.nan, 1)],
            without=1,
            better="low",
            best=[ReadRun("x", 0.5, 0.4, 0.6, 14, 13, 15, 5)],
            **NAMED,
        ),
    ),
    "scatter": (
        draw_scatter,
        QuerySetMeans(
            a="human",
            b="t5",
            queries_a=8,
            queries_b=5,
            runs=["x", "y"],
            families=["GPT", None],
            means_a=np.array([0.2, 0.4]),
            means_b=np.array([0.1, 0.3]),
            kendall_tau=1.0,
            tau_ap=1.0,
            pearson=float("nan"),
            **NAMED,
        ),
    ),
    "editions": (
        draw_editions,
        EditionMeans(
            measure="AP",
            a="full",
            b="sparse",
            queries=1,
            runs=["x", "y"],
            families=["GPT", None],
            unpaired=1,
            means_a=np.array([0.2, 0.4]),
            means_b=np.array([0.1, 0.3]),
            kendall_tau=1.0,
            tau_ap=1.0,
            pearson=None,
            simulated=NOTE,
        ),
    ),
    "growth": (
        draw_growth,
        GrowthCurves(
            against="human",
            draws=50,
            curves={"t5": [Growth("t5", "human", 1, 8, 0, 50, 0.2, -0.4, 0.8), Growth("t5", "human", 5, 8, 0, 50, 0.6, 0.2, 0.9)]},
            **NAMED,
        ),
    ),
    "bias": (
        draw_bias,
        Bias(
            reference="human",
            alpha=0.05,
            systems=[SystemShift("x", "GPT", "gpt", 5, 0.5, 0.1, 0.1, None, 1, 0)],
            families=[family("GPT", "human", None), family("GPT", "gpt", 0.1)],
            difficulty=[],
            notes=[],
            **NAMED,
        ),
    ),
    "match": (
        draw_match,
        Match(
            study="s",
            like="e",
            level=1,
            origin="t5",
            also=[],
            seed=1,
            requested=3,
            exact=3,
            moved=0,
            without_text=0,
            target=histogram([(3, 1, 4), (5, 2, 2)]),
            before=histogram([(3, 1, 10), (9, 4, 9)]),
            after=histogram([(3, 1, 2), (5, 2, 1)]),
            simulated=NOTE,
        ),
    ),
    "history": (
        draw_history,
        CollectionHistory(
            editions=[
                EditionHistory("first", 2022, "train", datetime(2022, 1, 1, tzinfo=UTC), 40, 72, 486, 486, 475),
                EditionHistory(LONG, None, None, datetime(2024, 1, 1, tzinfo=UTC), 29, 95, 13_407, 11_157, 9_000),
            ],
            simulated=NOTE,
        ),
    ),
    "snapshots": (
        draw_snapshots,
        EffectOverTime(
            run=LONG,
            baseline="bm25",
            edition="e",
            measure="nDCG@10",
            days=[
                SnapshotScore("2024-01-15", 16, 0.5, 0.4, 0, 1, 0, 0, 0, 1, 1, 1, 0.99),
                SnapshotScore("2024-02-01", 15, 0.44, 0.4, 0.12, 0.4, 0.15, 0.2, 0.3, 0.5, 0.4, 0.71, 0.8),
                SnapshotScore("2024-06-30", 14, 0.3, 0.35, 0.4, -0.5, 0.39, 0.3, 0.45, 0.1, 0.05, -0.2, 0.31),
            ],
            simulated=NOTE,
        ),
    ),
    "queries": (
        draw_queries,
        QueryHistograms(
            edition="e",
            field="abstract",
            lengths={"human": {2: 3, 5: 1}, "t5": {4: 2}},
            in_documents={"human": {0: 1, 2: 7}},
            simulated=NOTE,
        ),
    ),
    "by origin": (
        draw_by_origin,
        OriginMeans(
            rows=[Row(LONG, {"human": 0.4, "t5": 0.6}), Row("y", {"human": 0.2})],
            origins=["human", "t5"],
            measure="AP",
            simulated=NOTE,
        ),
    ),
}


@pytest.mark.parametrize("name", RECORDS)
def test_a_figure_notes_simulated_data(name: str) -> None:
    draw, record = RECORDS[name]
    figure = draw(record)
    assert title(figure).count(NOTE) == 1
    check_texts(figure)


def test_spreads_bins_and_correlations_are_drawn() -> None:
    years = [Spread(str(year), 12, 8, 10, 12, 14, 16) for year in (2001, 2003)]
    figure = draw_distribution(Spreads(years, 3, 30, "textstat_fkgl", "year", 10))
    assert "2 of 3 years; without those of fewer than 10 documents (6 documents)" in title(figure)
    bins = Bins(np.array([[1.0, 0.0], [2.0, 3.0]]), np.arange(3.0), np.arange(3.0), 7, 1, 0.5, 7, "read_tok", "textstat_fkgl")
    assert "textstat_fkgl against read_tok" in title(draw_measures(bins))
    drawn = draw_correlations(Correlations(["citations", "read_tok"], np.array([[1, -0.25], [-0.25, 1]]), 9, 9))
    assert part(drawn, "cells").get_array()[0, 0] == -0.25
    assert [text.get_text() for text in drawn.axes[0].texts] == ["−.25"]


@pytest.mark.parametrize("most", [20, 12_000])
def test_frequent_and_rare_topics_have_colours(most: int) -> None:
    topics = [TopicCount("agent, technology", most, "frequent"), TopicCount("b", 10, ""), TopicCount(LONG, 0, "rare")]
    figure = draw_coverage(TopicCounts(coverage="G01.C1", text="a text", kind="lda", abstracts=40, topics=topics))
    assert [part(figure, f"topic-{at}").get_color() for at in range(3)] == [BLUE, GREY, VERMILION]
    assert "1 frequent (blue), 1 rare (vermilion)" in title(figure)
    assert figure.axes[0].get_xscale() == ("log" if most > 1000 else "linear")
    assert table_of(figure).rows[2] == [LONG, 0, "rare"]
    check_texts(figure)


def test_too_many_rows_are_rejected() -> None:
    venues = [Spread(f"venue {at}", 12, 8, 10, 12, 14, 16) for at in range(ROWS + 1)]
    with pytest.raises(BadArgument, match="51 boxes"):
        draw_distribution(Spreads(venues, ROWS + 1, 700, "textstat_fkgl", "venue", 1))


def test_bias_needs_several_origins() -> None:
    with pytest.raises(StateError, match="only queries of the origin human"):
        draw_bias(
            Bias(
                edition="e",
                measure="AP",
                reference="human",
                alpha=0.05,
                systems=[],
                families=[family("GPT", "human", None)],
                difficulty=[],
                notes=[],
            )
        )


def test_the_top_of_a_lattice_is_above_its_concepts() -> None:
    concepts = [Concept(("a",), 3, 70), Concept(("a", "b"), 2, 40)]
    points = lattice_points(Lattice(concepts=concepts, edges=[(-1, 0), (0, 1)], abstracts=4))
    assert {at: point.label for at, point in points.items()} == {-1: "all 4", 0: "a 3", 1: "b 2"}
    assert points[-1].y > points[0].y > points[1].y


@pytest.mark.parametrize("name", ["differences", "depth", "growth", "match"])
@pytest.mark.parametrize("width", [0.4, 0.9])
def test_a_width_without_room_for_the_figure_is_rejected(name: str, width: float) -> None:
    draw, record = RECORDS[name]
    with pytest.raises(BadArgument, match=f"a width of {width:g} inches"):
        draw(record, width=width)

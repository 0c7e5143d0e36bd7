"""Figures of the leaderboard: means with intervals, relevance against readability, per-query differences of two runs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from plotly.graph_objects import Bar, Figure, Scatter

from stcollection.analysis.board import BoardFigures, Ranking
from stcollection.analysis.document_measures import better
from stcollection.analysis.drill import QueryScore
from stcollection.analysis.measured import pareto
from stcollection.analysis.records import ReadRun
from stcollection.cells import figure_text
from stcollection.web.words import t

BLUE, ORANGE, GREY = "#3b82c4", "#d9661f", "#8a8a8a"  # distinct in light and dark themes and for colour-blind readers
_ROW, _REST, _LEAST = 22, 90, 260  # pixels
LABELLED = 20  # runs with labels; tooltips have the names of all
_FEW = 40  # runs that are all labelled in the bar chart
_THIN = 0.1  # height of a row without a label, in rows
_LABEL = 28  # characters of a run's name next to its bar; the tooltip has the full name


def means(ranking: Ranking) -> Figure:
    """Draw a bar chart of mean scores, best run on top, with the interval of each mean over queries.

    The names of the first LABELLED runs are shown; the bars of all others are thinner, and their tooltips have the names.
    """
    shown = [one for one in ranking.scores if not math.isnan(one.mean)]
    few = len(shown) <= _FEW
    thin = max(0, len(shown) - LABELLED)
    names = [figure_text(one.run) for one in shown]
    places = [float(min(at, LABELLED) + _THIN * max(0, at - LABELLED)) for at in range(len(shown))]
    bars = Bar(
        x=[one.mean for one in shown],
        y=names if few else places,
        width=None if few else [0.8] * LABELLED + [_THIN * 0.8] * thin,
        orientation="h",
        marker={"color": BLUE},
        error_x={**_ends([(one.mean, one.low, one.high) for one in shown]), "width": 4 if few else 0},
        text=names,
        textposition="none",
        customdata=[[one.run, _interval(one.low, one.high)] for one in shown],
        hovertemplate=f"%{{text}}<br>{ranking.measure} %{{x:.4f}}%{{customdata[1]}}<extra></extra>",
    )
    rows = len(shown) if few else places[-1] + 1
    labelled = shown if few else shown[:LABELLED]
    axis: dict[str, object] = {
        "type": "category" if few else "linear",
        "tickmode": "array",
        "tickvals": names if few else places[:LABELLED],
        "ticktext": [figure_text(_short(one.run)) for one in labelled],
    }
    if few:
        axis["autorange"] = "reversed"
    else:
        axis |= {"range": [rows, -1], "showgrid": False, "zeroline": False}
    return Figure(
        bars,
        {
            "height": max(_LEAST, _ROW * rows + _REST),
            "margin": {"t": 10, "r": 20, "l": 10, "b": 40},
            "xaxis": {"title": {"text": str(ranking.measure)}, "rangemode": "tozero"},
            "yaxis": axis,
        },
    )


def labelled(ranking: Ranking) -> str | None:
    """Return how to read the bar chart if it cannot label all runs."""
    shown = sum(not math.isnan(one.mean) for one in ranking.scores)
    if shown <= _FEW:
        return None
    return t(
        "Only the first {labelled} of {count:,} runs have labels. Point at another bar to see its run; click it to open the run.",
        labelled=LABELLED,
        count=shown,
    )


def beside(drawn: BoardFigures) -> Figure:
    """Draw a scatter plot of runs: document measure (x) and relevance (y). Runs on the Pareto front are highlighted.

    Of the best LABELLED runs by relevance, those have labels that do not overlap. Intervals are drawn only for few runs.
    """
    lower = better(drawn.against) == "low"
    front = {one.run for one in pareto(drawn.read, lower=lower)} if better(drawn.against) else set()
    there = [one for one in drawn.read if not math.isnan(one.relevance) and not math.isnan(one.value)]
    labelled = _apart(sorted(there, key=lambda one: -one.relevance))
    parts = [(t("no run is better on both"), [one for one in there if one.run in front], ORANGE, "diamond")]
    parts.append((t("other runs") if front else t("runs"), [one for one in there if one.run not in front], BLUE, "circle"))
    return Figure(
        [_points(name, runs, drawn, (colour, symbol), labelled) for name, runs, colour, symbol in parts if runs],
        {
            "margin": {"t": 10, "r": 20, "l": 10, "b": 40},
            "legend": {"orientation": "h", "y": -0.25},
            "xaxis": {"title": {"text": t("{measure}, mean of the first 10", measure=drawn.against)}},
            "yaxis": {"title": {"text": str(drawn.measure)}},
        },
    )


def _apart(runs: Sequence[ReadRun]) -> set[str]:
    """Return the runs whose labels do not overlap the label of a better run, at most LABELLED. :param runs: best first."""
    if not runs:
        return set()
    wide, high = (max(side) - min(side) for side in ([one.value for one in runs], [one.relevance for one in runs]))
    kept: list[ReadRun] = []
    for one in runs[:LABELLED]:
        if all(abs(one.value - it.value) > 0.3 * wide or abs(one.relevance - it.relevance) > 0.05 * high for it in kept):
            kept.append(one)
    return {one.run for one in kept}


def _points(name: str, runs: Sequence[ReadRun], drawn: BoardFigures, mark: tuple[str, str], labelled: set[str]) -> Scatter:
    spans: dict[str, object] = {}
    if len(drawn.read) <= _FEW:
        spans["error_x"] = {**_ends([(one.value, one.value_low, one.value_high) for one in runs]), "thickness": 0.7}
        spans["error_y"] = {**_ends([(one.relevance, one.relevance_low, one.relevance_high) for one in runs]), "thickness": 0.7}
    return Scatter(
        x=[one.value for one in runs],
        y=[one.relevance for one in runs],
        mode="markers+text",
        name=name,
        text=[figure_text(_short(one.run)) if one.run in labelled else "" for one in runs],
        textposition="top center",
        textfont={"size": 11},
        hovertext=[figure_text(one.run) for one in runs],
        customdata=[[one.run] for one in runs],
        marker={"color": mark[0], "symbol": mark[1], "size": 10},
        hovertemplate=f"%{{hovertext}}<br>{drawn.measure} %{{y:.4f}}<br>{drawn.against} %{{x:.3f}}<extra></extra>",
        **spans,
    )


def differences(scores: Sequence[QueryScore], *, run: str, against: str, measure: str) -> Figure:
    """Draw a bar chart of the difference between two runs, one bar per query."""
    shown = [one for one in scores if one.difference is not None]
    bars = Bar(
        x=[figure_text(one.query) for one in shown],
        y=[one.difference for one in shown],
        marker={"color": [BLUE if (one.difference or 0) > 0 else ORANGE for one in shown]},
        text=[f"{figure_text(run)} {one.value:.4f}<br>{figure_text(against)} {one.value_against:.4f}" for one in shown],
        textposition="none",
        customdata=[[one.query] for one in shown],
        hovertemplate="%{x}<br>%{text}<br>" + t("difference") + " %{y:+.4f}<extra></extra>",
    )
    return Figure(
        bars,
        {
            "margin": {"t": 10, "r": 20, "l": 10, "b": 40},
            "xaxis": {"type": "category", "title": {"text": t("query")}},
            "yaxis": {"title": {"text": t("difference in {measure}", measure=measure)}},
        },
    )


def _ends(spans: Sequence[tuple[float, float, float]]) -> dict[str, object]:
    """Return error bars of (mean, low, high); length 0 if there is no interval."""
    return {
        "type": "data", "symmetric": False, "color": GREY, "thickness": 1.2,
        "array": [0 if math.isnan(high) else high - mean for mean, _, high in spans],
        "arrayminus": [0 if math.isnan(low) else mean - low for mean, low, _ in spans],
    }  # fmt: skip


def _interval(low: float, high: float) -> str:
    return "" if math.isnan(low) else "<br>" + t("{low:.4f} to {high:.4f}", low=low, high=high)


def _short(name: str) -> str:
    return name if len(name) <= _LABEL else f"{name[: _LABEL - 1]}…"

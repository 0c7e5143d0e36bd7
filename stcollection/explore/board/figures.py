"""Figures of the leaderboard: means with intervals, relevance against readability, per-query differences of two runs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from plotly.graph_objects import Bar, Figure, Scatter

from stcollection.analysis.document_measures import better
from stcollection.analysis.drill import QueryScore
from stcollection.analysis.measured import pareto
from stcollection.analysis.records import ReadRun
from stcollection.cells import figure_text
from stcollection.explore.board.asking import BoardFigures

BLUE, ORANGE, GREY = "#3b82c4", "#d9661f", "#8a8a8a"  # distinct in light and dark themes and for colour-blind readers
_ROW, _REST, _LEAST = 22, 90, 260  # pixels
_LABEL = 28  # characters of a run's name next to its bar; the tooltip has the full name


def means(drawn: BoardFigures) -> Figure:
    """Draw a bar chart of mean scores, best run on top, with the interval of each mean over queries."""
    shown = [one for one in drawn.scores if not math.isnan(one.mean)]
    bars = Bar(
        x=[one.mean for one in shown],
        y=[figure_text(one.run) for one in shown],
        orientation="h",
        marker={"color": BLUE},
        error_x=_ends([(one.mean, one.low, one.high) for one in shown]),
        customdata=[_interval(one.low, one.high) for one in shown],
        hovertemplate=f"%{{y}}<br>{drawn.measure} %{{x:.4f}}%{{customdata}}<extra></extra>",
    )
    names = {
        "tickmode": "array",
        "tickvals": [figure_text(one.run) for one in shown],
        "ticktext": [figure_text(_short(one.run)) for one in shown],
    }
    return Figure(
        bars,
        {
            "height": max(_LEAST, _ROW * len(shown) + _REST),
            "margin": {"t": 10, "r": 20, "l": 10, "b": 40},
            "xaxis": {"title": {"text": str(drawn.measure)}, "rangemode": "tozero"},
            "yaxis": {"autorange": "reversed", "type": "category", **names},
        },
    )


def beside(drawn: BoardFigures) -> Figure:
    """Draw a scatter plot of runs: document measure (x) and relevance (y). Runs on the Pareto front are highlighted."""
    lower = better(drawn.against) == "low"
    front = {one.run for one in pareto(drawn.read, lower=lower)} if better(drawn.against) else set()
    there = [one for one in drawn.read if not math.isnan(one.relevance) and not math.isnan(one.value)]
    parts = [("no run is better on both", [one for one in there if one.run in front], ORANGE, "diamond")]
    parts.append(("runs" if not front else "other runs", [one for one in there if one.run not in front], BLUE, "circle"))
    return Figure(
        [_points(name, runs, drawn, colour, symbol) for name, runs, colour, symbol in parts if runs],
        {
            "margin": {"t": 10, "r": 20, "l": 10, "b": 40},
            "legend": {"orientation": "h", "y": -0.25},
            "xaxis": {"title": {"text": f"{drawn.against}, mean of the first 10"}},
            "yaxis": {"title": {"text": str(drawn.measure)}},
        },
    )


def _points(name: str, runs: Sequence[ReadRun], drawn: BoardFigures, colour: str, symbol: str) -> Scatter:
    return Scatter(
        x=[one.value for one in runs],
        y=[one.relevance for one in runs],
        mode="markers",
        name=name,
        text=[figure_text(one.run) for one in runs],
        marker={"color": colour, "symbol": symbol, "size": 10},
        error_x={**_ends([(one.value, one.value_low, one.value_high) for one in runs]), "thickness": 0.7},
        error_y={**_ends([(one.relevance, one.relevance_low, one.relevance_high) for one in runs]), "thickness": 0.7},
        hovertemplate=f"%{{text}}<br>{drawn.measure} %{{y:.4f}}<br>{drawn.against} %{{x:.3f}}<extra></extra>",
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
        hovertemplate="%{x}<br>%{text}<br>difference %{y:+.4f}<extra></extra>",
    )
    return Figure(
        bars,
        {
            "margin": {"t": 10, "r": 20, "l": 10, "b": 40},
            "xaxis": {"type": "category", "title": {"text": "query"}},
            "yaxis": {"title": {"text": f"difference in {measure}"}},
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
    return "" if math.isnan(low) else f"<br>{low:.4f} to {high:.4f}"


def _short(name: str) -> str:
    return name if len(name) <= _LABEL else f"{name[: _LABEL - 1]}…"

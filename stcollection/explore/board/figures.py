"""Drawings of runs as SVG marks: means with intervals, and relevance against a measure of the documents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from stcollection.analysis.board import BoardFigures, Standings
from stcollection.analysis.document_measures import better
from stcollection.analysis.measured import pareto
from stcollection.analysis.records import ReadRun
from stcollection.explore.board.marks import AxisScale, digits, written
from stcollection.explore.measures import title_of
from stcollection.web.words import t

LABELLED = 20  # runs of the scatter plot with labels; the others have tooltips
_FEW = 40  # runs whose intervals the scatter plot shows
_ROW, _WIDTH, _NAMES, _FOOT = 22, 640, 230, 44
_HEIGHT, _LEFT, _EDGE = 400, 60, 14
_LABEL = 34  # characters of the label next to a mark; the tooltip has the full name


class RunPoint(NamedTuple):
    """A run. :param low, high: ends of its interval, None without one. :param said: for tooltips and screen readers."""

    run: str
    label: str
    x: float
    y: float
    x_ends: tuple[float, float] | None
    y_ends: tuple[float, float] | None
    kind: str
    said: str


class BoardDrawing(NamedTuple):
    """A figure. :param x_ticks, y_ticks: position and label. :param kinds: names of the kinds of points, if there are several."""

    title: str
    width: int
    height: int
    left: int
    bottom: int
    points: list[RunPoint]
    x_title: str
    y_title: str
    x_ticks: list[tuple[float, str]]
    y_ticks: list[tuple[float, str]]
    kinds: list[tuple[str, str]]


def means(made: Standings, runs: Sequence[str]) -> BoardDrawing:
    """Draw the means of runs with their intervals, one run per row. :param runs: those to draw, in their order."""
    scores = [made.scores[run] for run in runs if run in made.scores and not math.isnan(made.scores[run].mean)]
    places = digits(score.high - score.low for score in made.scores.values())
    ends = [end for score in scores for end in (score.mean, score.low, score.high)]
    scale = AxisScale.over(ends, start=_NAMES, end=_WIDTH - _EDGE)
    height = _ROW * len(scores) + _FOOT
    points = []
    for at, score in enumerate(scores):
        known = not math.isnan(score.low)
        said = f"{score.run}: {written(score.mean, places)}"
        if known:
            said += f" ({written(score.low, places)}–{written(score.high, places)})"
        span = (scale.at(score.low), scale.at(score.high)) if known else None
        points.append(RunPoint(score.run, _short(score.run), scale.at(score.mean), _ROW * (at + 0.5), span, None, "run", said))
    title = t("Mean {measure} of each run with its interval", measure=made.measure)
    return BoardDrawing(title, _WIDTH, height, _NAMES, height - _FOOT, points, str(made.measure), "", scale.ticks(), [], [])


def reading(drawn: BoardFigures) -> BoardDrawing:
    """Draw runs by a document measure (x) and relevance (y); those that no run beats on both are highlighted."""
    lower = better(drawn.against) == "low"
    front = {row.run for row in pareto(drawn.read, lower=lower)} if better(drawn.against) else set()
    there = [row for row in drawn.read if not math.isnan(row.relevance) and not math.isnan(row.value)]
    spans = len(there) <= _FEW
    x_ends = [end for row in there for end in ((row.value_low, row.value, row.value_high) if spans else (row.value,))]
    y_ends = [
        end for row in there for end in ((row.relevance_low, row.relevance, row.relevance_high) if spans else (row.relevance,))
    ]
    x = AxisScale.over(x_ends, start=_LEFT, end=_WIDTH - _EDGE)
    y = AxisScale.over(y_ends, start=_HEIGHT - _FOOT, end=2 * _EDGE)
    labelled = _apart(sorted(there, key=lambda row: -row.relevance))
    points = [
        RunPoint(
            row.run,
            _short(row.run) if row.run in labelled else "",
            x.at(row.value),
            y.at(row.relevance),
            (x.at(row.value_low), x.at(row.value_high)) if spans and not math.isnan(row.value_low) else None,
            (y.at(row.relevance_low), y.at(row.relevance_high)) if spans and not math.isnan(row.relevance_low) else None,
            "front" if row.run in front else "run",
            f"{row.run}: {drawn.measure} {row.relevance:.3f}, {drawn.against} {row.value:.3g}",
        )
        for row in there
    ]
    kinds = [("front", t("no run is better on both")), ("run", t("other runs"))] if front else []
    title = t("Runs by relevance and document measure")
    x_title = t("{measure}, mean of the first 10", measure=title_of(drawn.against))
    ticks = (x.ticks(), y.ticks())
    return BoardDrawing(title, _WIDTH, _HEIGHT, _LEFT, _HEIGHT - _FOOT, points, x_title, str(drawn.measure), *ticks, kinds)


def _apart(runs: Sequence[ReadRun]) -> set[str]:
    """Return the runs whose labels do not overlap the label of a better run, at most LABELLED. :param runs: best first."""
    if not runs:
        return set()
    wide, high = (max(side) - min(side) for side in ([row.value for row in runs], [row.relevance for row in runs]))
    kept: list[ReadRun] = []
    for row in runs[:LABELLED]:
        if all(abs(row.value - other.value) > 0.3 * wide or abs(row.relevance - other.relevance) > 0.05 * high for other in kept):
            kept.append(row)
    return {row.run for row in kept}


def _short(name: str) -> str:
    return name if len(name) <= _LABEL else f"{name[: _LABEL - 1]}…"

"""A figure of runs: relevance and readability of their top documents."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from stcollection.analysis.document_measures import READABILITY, better
from stcollection.analysis.records import ReadableRuns, ReadRun
from stcollection.counts import counted
from stcollection.plots.canvas import (
    BLUE,
    COLUMN,
    DARK,
    EDGE,
    LINE,
    PALE,
    VERMILION,
    Axes,
    Figure,
    TitledFigure,
    apart,
    extent,
    labels_of,
    needed,
    styled,
    widest,
)

NAMED = 60  # up to this number of runs all have intervals; with more, only the best ones
_LABEL = 1.6  # maximum width of a label in inches
_BESIDE = 8  # with more runs, the names of the best ones move to the right of the axes
_GAP = 0.055  # inches between a point and its name


Point = tuple[float, float]  # inches from the lower left corner of the axes


class _Box(NamedTuple):
    """A rectangle, in inches from the lower left corner of the axes."""

    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: _Box) -> bool:
        return self.left < other.right and other.left < self.right and self.bottom < other.top and other.bottom < self.top


@styled
def draw_readable(data: ReadableRuns, *, width: float | None = None) -> Figure:
    """Draw each run as a point: relevance across, a measure of its top documents up, both with intervals.

    A line joins the runs that no other run beats by both; these are named first, the others as far as there is room.

    :param width: inches.
    """
    runs, best, readability = data.runs, data.best, data.readability
    spread = runs if len(runs) <= NAMED else best
    names = dict(zip((run.run for run in runs), labels_of((run.run for run in runs), _LABEL), strict=True))
    beside = best if len(runs) > _BESIDE else []
    left, bottom = 0.75, 2 * LINE + EDGE + 0.06
    right = widest(names[run.run] for run in beside) + 0.2 + EDGE if beside else 0.14
    wide = width if width is not None else max(COLUMN, left + right + 3.7 if len(runs) > _BESIDE else COLUMN)
    high = min(4.0, 0.8 * (wide - left - right))
    first = "document" if data.k == 1 else f"{counted(data.k, 'document')}"
    title = [f"{readability} of the first {first} against {data.measure}", f"{counted(len(runs), 'run')}, means over queries"]
    if spread:
        title[1] += f", {data.interval.name}s ({data.interval.method})" + (" of the best" if len(spread) < len(runs) else "")
    if best:
        title.append(f"best: {len(best)} that no run beats by both ({data.better} is better)")
    if data.without:
        title.append(f"{counted(data.without, 'run')} without a value not shown")
    x_span, y_span = _span(runs, spread, "relevance"), _span(runs, spread, "value")
    inches = (wide - left - right, high)
    places = {run.run: (_along(run.relevance, x_span, inches[0]), _along(run.value, y_span, inches[1])) for run in runs}
    lines = [_Box(*_line(places[run.run], run, x_span, y_span, inches, across)) for run in spread for across in (True, False)]
    shown = _column(beside, places, inches)
    inside = [*(run.run for run in best if not beside), *(run.run for run in runs if run not in best)]
    of_inside = {name: names[name] for name in inside}
    labels = shown | _place(of_inside, places, lines, _front(best, places), inches, 0 if beside else len(best))
    if len(labels) < len(runs):
        title.append(f"{len(labels)} of {counted(len(runs), 'run')} named{', the best first,' if best else ''} where there is room")
    sheet = TitledFigure(wide, bottom + high + 0.08, title, note=data.simulated)
    axes = sheet.axes(left, bottom, wide - right, bottom + high)
    axes.set_xlim(*x_span)
    axes.set_ylim(*y_span)
    _draw(axes, runs, spread, best)
    of_best = {run.run for run in best}
    for name, (x, y) in labels.items():
        _name(axes, names[name], (x, y), places[name], inches, VERMILION if name in of_best else DARK)
    axes.set_xlabel(f"{data.measure} on {data.edition}")
    easier = f" ({'lower' if better(readability) == 'low' else 'higher'} is easier)" if _has_way(readability) else ""
    axes.set_ylabel(f"{readability}{easier}")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(needed("matplotlib.ticker").MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.set_label_coords((LINE + EDGE - left) / (wide - right - left), 0.5)
    return sheet.figure


def _draw(axes: Axes, runs: Sequence[ReadRun], spread: Sequence[ReadRun], best: Sequence[ReadRun]) -> None:
    bars = [run for run in spread if not math.isnan(run.relevance_low)]
    axes.hlines(
        [run.value for run in bars],
        [run.relevance_low for run in bars],
        [run.relevance_high for run in bars],
        color=PALE,
        linewidth=1.0,
        zorder=0,
        gid="across",
    )
    bars = [run for run in spread if not math.isnan(run.value_low)]
    axes.vlines(
        [run.relevance for run in bars],
        [run.value_low for run in bars],
        [run.value_high for run in bars],
        color=PALE,
        linewidth=1.0,
        zorder=0,
        gid="upwards",
    )
    if len(best) > 1:
        axes.plot(
            [run.relevance for run in best], [run.value for run in best], color=VERMILION, linewidth=0.8, zorder=1, gid="front"
        )
    of_best = {run.run for run in best}
    for which, colour, gid in ((False, BLUE, "runs"), (True, VERMILION, "best")):
        group = [run for run in runs if (run.run in of_best) is which]
        axes.plot(
            [run.relevance for run in group],
            [run.value for run in group],
            "o",
            color=colour,
            markersize=4,
            markeredgecolor="white",
            markeredgewidth=0.3,
            zorder=3 if which else 2,
            gid=gid,
        )


def _name(axes: Axes, name: str, at: Point, point: Point, inches: Point, colour: str) -> None:
    """Draw a name, with a leader line to its point if it is farther away."""
    beside = at[0] > inches[0]
    x = at[0] - 0.03 if beside else min(max(point[0], at[0]), at[0] + extent(name))
    y = at[1] if beside else min(max(point[1], at[1] - LINE * 0.4), at[1] + LINE * 0.4)
    if math.dist((x, y), point) > 2 * _GAP:
        axes.plot(
            [point[0] / inches[0], x / inches[0]],
            [point[1] / inches[1], y / inches[1]],
            color=colour,
            linewidth=0.4,
            transform=axes.transAxes,
            zorder=1,
            clip_on=False,
        )
    axes.text(at[0] / inches[0], at[1] / inches[1], name, transform=axes.transAxes, va="center_baseline", color=colour, zorder=4)


def _place(
    names: Mapping[str, str], points: Mapping[str, Point], lines: Sequence[_Box], front: Sequence[_Box], inches: Point, far: int
) -> dict[str, Point]:
    """Return the positions of names in inches, chosen one by one so that they cover no name, point or front line.

    A position that covers no interval is preferred. A name is next to its point; the first few may be farther away, with a leader
    line. Names that do not fit are omitted.
    """
    boxes = [_Box(x - 0.03, y - 0.03, x + 0.03, y + 0.03) for x, y in points.values()] + list(front)
    placed: dict[str, Point] = {}
    waiting = list(enumerate(names.items()))
    for obstacles in (lines, ()):
        rest: list[tuple[int, tuple[str, str]]] = []
        for at, (run, name) in waiting:
            wide = extent(name)
            for x, y in _places(points[run], wide, far=at < far):
                box = _Box(x, y - LINE * 0.43, x + wide, y + LINE * 0.43)
                inside = box.left >= 0.02 and box.right <= inches[0] + 0.1 and box.bottom >= 0.02 and box.top <= inches[1]
                if inside and not any(box.meets(other) for other in (*boxes, *obstacles)):
                    placed[run] = (x, y)
                    boxes.append(box)
                    break
            else:
                rest.append((at, (run, name)))
        waiting = rest
    return placed


def _places(point: Point, wide: float, *, far: bool) -> Iterator[Point]:
    """Yield possible positions of the left end of a label, nearest first."""
    x, y = point
    yield from ((x + _GAP, y), (x - _GAP - wide, y), (x - wide / 2, y + 0.11), (x - wide / 2, y - 0.11))
    yield from ((x + dx, y + dy) for dy in (0.09, -0.09, 0.2, -0.2) for dx in (0.03, -0.03 - wide))
    for distance in (0.3, 0.45, 0.65, 0.9, 1.2) if far else ():
        for angle in np.arange(16) * np.pi / 8:
            across = float(np.cos(angle))
            yield x + distance * across + wide * (across - 1) / 2, y + distance * float(np.sin(angle))


def _column(best: Sequence[ReadRun], points: Mapping[str, Point], inches: Point) -> dict[str, Point]:
    """Return positions for the names of the best runs to the right of the axes, if no other run lies in between."""
    room = best[: max(1, int(inches[1] / LINE))]
    heights = apart([points[run.run][1] for run in room], LINE, lowest=LINE / 2)
    over = max(0.0, max(heights, default=0.0) + LINE / 2 - inches[1])
    return {run.run: (inches[0] + 0.2, height - over) for run, height in zip(room, heights, strict=True)}


def _front(best: Sequence[ReadRun], points: Mapping[str, Point]) -> list[_Box]:
    """Return the boxes that the line through the best runs covers."""
    boxes: list[_Box] = []
    for start, end in pairwise(points[run.run] for run in best):
        steps = max(1, math.ceil(math.dist(start, end) / 0.04))
        for step in np.linspace(0, 1, steps + 1):
            x, y = (a + float(step) * (b - a) for a, b in zip(start, end, strict=True))
            boxes.append(_Box(x - 0.01, y - 0.01, x + 0.01, y + 0.01))
    return boxes


def _line(
    place: Point,
    run: ReadRun,
    x_span: tuple[float, float],
    y_span: tuple[float, float],
    inches: Point,
    across: bool,
) -> tuple[float, float, float, float]:
    """Return the box that an interval covers."""
    x, y = place
    ends = (run.relevance_low, run.relevance_high) if across else (run.value_low, run.value_high)
    if math.isnan(ends[0]):
        return x, y, x, y
    low, high = (_along(end, x_span if across else y_span, inches[0 if across else 1]) for end in ends)
    return (low, y - 0.01, high, y + 0.01) if across else (x - 0.01, low, x + 0.01, high)


def _along(value: float, span: tuple[float, float], inches: float) -> float:
    return (value - span[0]) / (span[1] - span[0]) * inches


def _span(runs: Sequence[ReadRun], spread: Sequence[ReadRun], what: str) -> tuple[float, float]:
    """Return the range of an axis over the drawn means and intervals, with a margin."""
    values = [getattr(run, what) for run in runs]
    values += [value for run in spread for end in ("low", "high") if not math.isnan(value := getattr(run, f"{what}_{end}"))]
    low, high = float(np.min(values)), float(np.max(values))
    margin = 0.06 * (high - low) if high - low > 1e-9 else max(0.05, 0.05 * abs(high))
    return low - margin, high + margin


def _has_way(readability: str) -> bool:
    return readability in READABILITY and better(readability) is not None

"""Draw how the chosen queries of a study match the target: by length, by words found, and by both."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import psycopg

from stcollection.db.simulated import simulated_note
from stcollection.declared import Option, declare
from stcollection.plots.canvas import (
    BLACK,
    BLUE,
    COLUMN,
    DARK,
    GREY,
    PALE,
    VERMILION,
    Axes,
    Figure,
    TitledFigure,
    Width,
    extent,
    needed,
    number,
    styled,
)
from stcollection.plots.table import Parts, table
from stcollection.studies.synth.choose import Match, match
from stcollection.studies.synth.histograms import Histogram

_BEYOND = 0.995  # share of pairs that the axes cover at least
_LONGEST = 200  # words; with more, cells would be too narrow to see
_LIGHT, _DARKEST = "#CFE6F5", "#00263B"


@declare
def plot_match(conn: psycopg.Connection, study: Annotated[str, Option("STUDY")], *, width: Width = None) -> Figure:
    """Plot how the chosen queries of STUDY match their target, before and after: length, words found, and both together.

    :raises UnknownObject: the study does not exist.
    :raises StateError: nothing was chosen in it.
    """
    choice = match(conn, study)
    return draw_match(choice._replace(simulated=simulated_note(conn, [choice.like])), width=width)


@styled
def draw_match(data: Match, *, width: float | None = None) -> Figure:
    """Draw the shares of lengths and words found for the target and before and after the selection, and their joint shares below.

    :param width: inches.
    """
    ends, joint = [_end(data, axis) for axis in (0, 1)], data.distances()[2]
    panels = (("target", data.target), ("all", data.before), ("chosen", data.after))
    beyond = [f"{int(count):,} of {name}" for name, part in panels if (count := part.counts[(part.cells > ends).any(axis=1)].sum())]
    title = [
        f"{data.study}: queries of {data.origin} like {data.like}",
        f"{data.after.pairs:,} of {data.before.pairs:,}; total variation from the target, of both together,"
        f" {number(joint.tv_before, digits=2)} before, {number(joint.tv_after, digits=2)} after",
    ]
    if beyond:
        title.append(f"beyond the axes: {', '.join(beyond)}")
    wide = width if width is not None else COLUMN
    sheet = TitledFigure(wide, 3.15, title, note=data.simulated)
    grid = sheet.subplots(2, 6)
    tops = []
    for axis, name in enumerate(("length", "words found")):
        axes = sheet.figure.add_subplot(grid[0, 3 * axis : 3 * axis + 3])
        tops.append((axes, _marginal(axes, data, axis, ends[axis])))
        axes.set_xlabel(name)
    for axes, _ in tops:
        axes.set_ylim(0, 1.08 * max(top for _, top in tops))
        axes.yaxis.set_major_locator(needed("matplotlib.ticker").MaxNLocator(3))
        axes.yaxis.set_major_formatter(needed("matplotlib.ticker").PercentFormatter(1, decimals=0))
    tops[1][0].tick_params(axis="y", labelleft=False)
    tops[0][0].set_ylabel("share")
    start = 0.0
    for text, colour in (("target", DARK), ("all", VERMILION), ("chosen", BLUE)):
        tops[0][0].annotate(text, (0, 1), (72 * start, 3), "axes fraction", "offset points", color=colour, annotation_clip=False)
        start += extent(text) + 0.16
    most = max(float(part.counts.max() / part.pairs) for _, part in panels)
    for place, (name, part) in enumerate(panels):
        axes = sheet.figure.add_subplot(grid[1, 2 * place : 2 * place + 2])
        _joint(axes, part, ends, most, name)
        axes.set_title(name, loc="left", color=BLACK, pad=3)
        if place == 0:
            axes.set_ylabel("words found")
        else:
            axes.tick_params(axis="y", labelleft=False)
        if place == 1:
            axes.set_xlabel("length")
    return sheet.laid_out()


def _end(data: Match, axis: int) -> int:
    """Return the end of an axis: it covers _BEYOND of the pairs of each histogram, up to _LONGEST."""
    reach = 0
    for histogram in (data.target, data.before, data.after):
        values, counts = histogram.marginal(axis)
        reach = max(reach, int(values[np.searchsorted(np.cumsum(counts), _BEYOND * histogram.pairs)]))
    return min(reach, _LONGEST)


def _marginal(axes: Axes, data: Match, axis: int, end: int) -> float:
    """Draw three outlines of shares; return the largest share."""
    edges = np.arange(end + 2) - 0.5
    top = 0.0
    for name, histogram, style in (
        ("target", data.target, {"fill": True, "facecolor": PALE, "edgecolor": GREY, "linewidth": 0.8}),
        ("before", data.before, {"color": VERMILION, "linewidth": 1.0, "linestyle": (0, (3, 1.5))}),
        ("after", data.after, {"color": BLUE, "linewidth": 1.2}),
    ):
        values, counts = histogram.marginal(axis)
        shares = np.zeros(end + 1)
        inside = values <= end
        shares[values[inside]] = counts[inside] / histogram.pairs
        axes.stairs(shares, edges, gid=f"{name}-{axis}", **style)
        top = max(top, float(shares.max()))
    axes.set_xlim(-0.8, end + 0.8)
    axes.xaxis.set_major_locator(needed("matplotlib.ticker").MaxNLocator(4, integer=True))
    return top


def _joint(axes: Axes, histogram: Histogram, ends: list[int], most: float, name: str) -> None:
    """Draw shares of cells, darker for larger ones, with one scale for the three panels."""
    colors = needed("matplotlib.colors")
    ramp = colors.LinearSegmentedColormap.from_list("share", [_LIGHT, BLUE, _DARKEST])
    inside = (histogram.cells <= ends).all(axis=1)
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    cells = needed("matplotlib.collections").PolyCollection(
        histogram.cells[inside, None] + corners,
        array=histogram.counts[inside] / histogram.pairs,
        cmap=ramp,
        clim=(0, most),
        edgecolors="face",
        linewidth=0.1,
        gid=f"joint-{name}",
    )
    axes.add_collection(cells, autolim=False)
    ticker = needed("matplotlib.ticker")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(ticker.MaxNLocator(3, integer=True))
    axes.set_xlim(-0.8, ends[0] + 0.8)
    axes.set_ylim(-0.8, ends[1] + 0.8)


@table.register
def _(record: Match) -> Parts:
    parts = (("target", record.target), ("all", record.before), ("chosen", record.after))
    rows = ((name, *cell, count) for name, pairs in parts for cell, count in zip(pairs.cells, pairs.counts, strict=True))
    return ("queries", "length", "found", "pairs"), rows

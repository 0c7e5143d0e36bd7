"""A figure of bias: the shift of each family, and of its systems, on the queries of each origin."""

from __future__ import annotations

import numpy as np

from stcollection.analysis.records import NO_FAMILY, Bias, FamilyShift
from stcollection.counts import counted
from stcollection.errors import StateError
from stcollection.plots.canvas import (
    BLUE,
    COLUMN,
    DARK,
    EDGE,
    GREEN,
    GREY,
    LINE,
    ORANGE,
    PALE,
    VERMILION,
    Axes,
    Figure,
    TitledFigure,
    extent,
    labels_of,
    needed,
    number,
    styled,
    widest,
)

ROWS = 60  # maximum number of families times origins on a page
_ROW = 0.22  # inches
_BELOW = 0.3  # rows from a family's mean to its systems
_BETWEEN = 0.5  # rows between families
_LABEL = 1.3  # maximum width of a label in inches
_COLOURS = (BLUE, ORANGE, GREEN, VERMILION)  # one per origin; origins are labelled too


@styled
def draw_bias(data: Bias, *, width: float | None = None) -> Figure:
    """Draw the relative shift of each family on the queries of each origin: its mean with its interval, its systems as dots.

    If there are more families than fit on a page, draw those with the most systems.

    :param width: inches.
    :raises StateError: all queries have one origin.
    """
    shifts = [shift for shift in data.families if shift.relative is not None]
    if not shifts:
        raise StateError(
            f"edition {data.edition} judges only queries of the origin {data.reference}",
            hint="Load queries of another origin with 'stc load --as topics --origin'.",
            sqlstate="IR405",
        )
    origins = list(dict.fromkeys(shift.origin for shift in shifts))
    every = list(dict.fromkeys(shift.family for shift in shifts))
    sizes = {shift.family: shift.systems for shift in shifts}
    room = sorted(every, key=lambda family: -sizes[family])[: max(1, ROWS // len(origins))]
    families = [family for family in every if family in room]
    title = [f"{data.measure} on {data.edition}: relative shift from {data.reference} queries"]
    intervals = any(shift.relative_low is not None for shift in shifts)
    spread = f", {100 * (1 - data.alpha):.6g}% bootstrap interval over queries" if intervals else ""
    title.append(f"mean of each family{spread}; systems as dots")
    if len(families) < len(every):
        title.append(f"{len(families)} of {counted(len(every), 'family')}, those with the most systems")
    heads = labels_of((f"{family} ({sizes[family]})" for family in families), _LABEL)
    names = labels_of(origins, _LABEL)
    first, second = widest(heads) + 2 * EDGE, widest(names) + EDGE
    figures = {(shift.family, shift.origin): number(shift.relative, sign=True) for shift in shifts}
    right = widest(figures.values()) + 2 * EDGE
    left = first + second + 0.08
    wide = width if width is not None else max(COLUMN, left + right + 2.0)
    rows = len(families) * (len(origins) + _BETWEEN) - _BETWEEN
    bottom = 2 * LINE + 0.14
    top = bottom + _ROW * (rows + 0.6)
    sheet = TitledFigure(wide, top + LINE + EDGE, title, note=data.simulated)
    axes = sheet.axes(left, bottom, wide - right, top)
    axes.axvline(0, color=GREY, linewidth=0.6, zorder=1)
    ticks: list[float] = []
    by_family = {(shift.family, shift.origin): shift for shift in shifts}
    for at, family in enumerate(families):
        for place, origin in enumerate(origins):
            y = at * (len(origins) + _BETWEEN) + place
            shift = by_family[family, origin]
            dots = [
                system.relative
                for system in data.systems
                if (system.family or NO_FAMILY) == family and system.origin == origin and system.relative is not None
            ]
            colour = _COLOURS[place % len(_COLOURS)]
            axes.hlines(y, 0, 1, transform=axes.get_yaxis_transform(), color=PALE, linewidth=0.4, zorder=0)
            axes.plot(
                dots,
                np.full(len(dots), y + _BELOW),
                "o",
                color=GREY,
                alpha=0.55,
                markersize=2.6,
                markeredgewidth=0,
                zorder=2,
                gid=f"systems-{at}-{place}",
            )
            _mean(axes, shift, y, colour, f"{at}-{place}")
            high = top - _ROW * (y + 0.7)
            sheet.text(wide - EDGE, high, figures[family, origin], ha="right", va="center_baseline", color=DARK)
            ticks.append(y)
            if place == 0:
                sheet.text(EDGE, high, heads[at], va="center_baseline")
    axes.set_ylim(rows - 0.1, -0.7)
    axes.set_yticks(ticks, names * len(families))
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_locator(needed("matplotlib.ticker").MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    axes.margins(x=0.04)
    axes.set_xlabel("relative shift")
    head = "family (systems)"
    if extent(head) < left:
        sheet.text(EDGE, top + EDGE, head, color=DARK)
    sheet.text(wide - EDGE, top + EDGE, "mean", ha="right", color=DARK)
    return sheet.figure


def _mean(axes: Axes, shift: FamilyShift, y: float, colour: str, gid: str) -> None:
    if shift.relative_low is not None:
        axes.hlines(y, shift.relative_low, shift.relative_high, color=colour, linewidth=1.3, zorder=3, gid=f"interval-{gid}")
    axes.plot(
        [shift.relative],
        [y],
        "o",
        color=colour,
        markersize=4.5,
        markeredgecolor="white",
        markeredgewidth=0.4,
        zorder=4,
        gid=f"mean-{gid}",
    )

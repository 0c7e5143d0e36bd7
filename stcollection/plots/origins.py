"""A figure of a study's leaderboard: systems in rows, one marker per origin of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from stcollection.plots.canvas import (
    BLACK,
    BLUE,
    EDGE,
    GREEN,
    LINE,
    ORANGE,
    PAGE,
    PALE,
    SKY,
    VERMILION,
    Figure,
    TitledFigure,
    labels_of,
    styled,
    widest,
)

_ROW, _LABEL = 0.17, 2.2  # inches per system, maximum width of its label
_SIGNS = ((BLACK, "|"), (BLUE, "o"), (VERMILION, "s"), (GREEN, "^"), (ORANGE, "D"), (SKY, "v"))


class SystemByOrigin(Protocol):
    """A system with its mean for each origin."""

    @property
    def run(self) -> str: ...

    @property
    def values(self) -> Mapping[str, float]: ...


@dataclass(frozen=True, kw_only=True)
class OriginMeans:
    """The mean of each system on the queries of each origin. :param rows: best first. :param origins: in the order of the key."""

    rows: Sequence[SystemByOrigin]
    origins: Sequence[str]
    measure: str
    simulated: str | None = None


@styled
def draw_by_origin(data: OriginMeans) -> Figure:
    """Draw the mean of each system on the queries of each origin, one row per system from the top, one marker per origin.

    If there are more origins than markers, the last origins share one.
    """
    rows, origins, measure = data.rows, data.origins, data.measure
    title = [f"{measure} by origin of the queries"]
    height = _ROW * len(rows) + 4 * LINE + LINE * (len(origins) > 0)
    sheet = TitledFigure(PAGE, height, title, note=data.simulated)
    labels = labels_of([row.run for row in rows], _LABEL)
    top = height - 1.5 * LINE
    axes = sheet.axes(EDGE + widest(labels) + 0.1, 2.5 * LINE, PAGE - 3 * EDGE, top)
    places = list(range(len(rows), 0, -1))
    for place, row in zip(places, rows, strict=True):
        values = [row.values[of] for of in origins if of in row.values]
        axes.plot([min(values), max(values)], [place, place], color=PALE, linewidth=2, zorder=1)
    for at, origin in enumerate(origins):
        colour, sign = _SIGNS[min(at, len(_SIGNS) - 1)]
        points = [(row.values[origin], place) for place, row in zip(places, rows, strict=True) if origin in row.values]
        axes.plot(
            [value for value, _ in points],
            [place for _, place in points],
            linestyle="none",
            marker=sign,
            color=colour,
            markersize=7 if sign == "|" else 4,
            markerfacecolor="none" if at else colour,
            label=origin,
            zorder=2 + at,
        )
    axes.set_yticks(places, labels)
    axes.set_ylim(0.4, len(rows) + 0.6)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(f"mean {measure}")
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=len(origins),
        frameon=False,
        borderaxespad=0,
        handletextpad=0.2,
        borderpad=0.2,
    )
    return sheet.figure

"""The figure of a ranking that admits ties."""

from __future__ import annotations

import numpy as np

from stcollection.analysis.records import RankIntervals
from stcollection.counts import counted
from stcollection.plots.canvas import (
    BLUE,
    COLUMN,
    DARK,
    EDGE,
    GREY,
    LINE,
    PALE,
    Figure,
    TitledFigure,
    labels_of,
    styled,
    thinned,
    widest,
)
from stcollection.plots.systems import NAMED

_ROW, _TALL = 0.16, 8.4  # inches per labelled run, total inches if there are more runs
_LABEL = 2.2  # maximum width of a run's label in inches


@styled
def draw_ranks(data: RankIntervals, *, width: float | None = None) -> Figure:
    """Draw the rank of each run with its interval, best on top, and its group on the right. Groups have alternating colours.

    :param width: inches.
    """
    runs = data.runs
    row = _ROW if len(runs) <= NAMED else min(_ROW, _TALL / len(runs))
    named = list(range(len(runs))) if len(runs) <= NAMED else thinned(range(len(runs)), distance=LINE / row)
    labels = labels_of((run.run for run in runs), _LABEL)
    left = widest(labels[at] for at in named) + 2 * EDGE + 0.08
    right = widest(run.group for run in runs) + 2 * EDGE
    wide = width if width is not None else max(COLUMN, left + right + 2.0)
    bottom = 2 * LINE + 0.12
    level = f"{100 * (1 - data.alpha):.6g}%"
    title = [
        f"{data.measure} on {data.edition}",
        f"rank, {level} interval (all runs together), group",
        f"{counted(data.queries, 'query')}, {counted(data.resamples, 'resample')}",
    ]
    if len(named) < len(runs):
        title.append(f"{len(named)} of {counted(len(runs), 'run')} named: as many as fit")
    sheet = TitledFigure(wide, bottom + row * len(runs) + 0.08, title, note=data.simulated)
    axes = sheet.axes(left, bottom, wide - right, sheet.top)
    at, size = np.arange(len(runs)), min(4.0, row * 72 * 0.5)
    groups = list(dict.fromkeys(run.group for run in runs))
    colours = [DARK if groups.index(run.group) % 2 else BLUE for run in runs]
    if len(runs) <= NAMED:
        axes.hlines(at, 0, 1, transform=axes.get_yaxis_transform(), color=PALE, linewidth=0.4, zorder=0)
    axes.hlines(
        at,
        [run.rank_low for run in runs],
        [run.rank_high for run in runs],
        color=colours,
        linewidth=max(0.6, size * 0.3),
        zorder=2,
        gid="intervals",
    )
    axes.scatter([run.rank for run in runs], at, s=size**2, c=colours, linewidths=0, zorder=3, gid="ranks")
    for place in named:
        axes.annotate(
            runs[place].group,
            (1, place),
            (EDGE * 72, 0),
            xycoords=axes.get_yaxis_transform(),
            textcoords="offset points",
            va="center_baseline",
            color=colours[place],
        )
    axes.axvline(1, color=GREY, linewidth=0.4, zorder=0)
    axes.set_ylim(len(runs) - 0.5, -0.5)
    axes.set_xlim(0.5, max(2, len(runs)) + 0.5)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_yticks(named, [labels[place] for place in named])
    axes.tick_params(axis="y", length=0 if len(runs) <= NAMED else 2.5)
    axes.set_xlabel("rank")
    return sheet.figure

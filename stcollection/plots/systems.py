"""Figures of systems: scores with intervals, differences of two systems by query, changes between two rankings."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from stcollection.analysis.records import QueryDifferences, RankingChanges, SystemMeans, SystemScore
from stcollection.counts import counted
from stcollection.plots.canvas import (
    BLACK,
    BLUE,
    COLUMN,
    DARK,
    EDGE,
    GREY,
    LINE,
    PAGE,
    PALE,
    VERMILION,
    Axes,
    Figure,
    TitledFigure,
    extent,
    fitted,
    labels_of,
    number,
    styled,
    thinned,
    widest,
)

NAMED = 60  # up to this number of runs all are labelled; with more, those that fit
_ROW, _TALL = 0.16, 8.4  # inches per labelled run, total inches if there are more runs
_LABEL = 2.2  # maximum width of a run's label in inches


@styled
def draw_systems(data: SystemMeans, *, queries: bool = False, width: float | None = None) -> Figure:
    """Draw the mean of each run with its interval over queries, best on top. With more than NAMED runs, label those that fit.

    :param queries: also draw each query's value as a faint mark.
    :param width: inches.
    """
    scores = data.scores
    row = _row(len(scores))
    labels = labels_of((score.run for score in scores), _LABEL)
    named = _named(len(scores), range(len(scores)), row)
    left = widest(labels[at] for at in named) + 2 * EDGE + 0.08
    wide = _width(width, left + 2.1)
    bottom = 2 * LINE + 0.12
    spread = f"{data.interval.name} ({data.interval.method})"
    if all(math.isnan(score.low) for score in scores):
        what = "mean, without an interval, over"
    else:
        what = f"mean, {spread}, and each of" if queries else f"mean and {spread} over"
    title = [f"{data.measure} on {data.edition}", data.spread or f"{what} {_sizes(scores)}"]
    title += _unlabelled(named, len(scores), "as many as fit")
    sheet = TitledFigure(wide, bottom + row * len(scores) + 0.08, title, note=data.simulated)
    axes = sheet.axes(left, bottom, wide - 0.14, sheet.top)
    at = np.arange(len(scores))
    size = min(4.0, row * 72 * 0.5)
    if len(scores) <= NAMED:
        axes.hlines(at, 0, 1, transform=axes.get_yaxis_transform(), color=PALE, linewidth=0.4, zorder=0)
    if queries:
        for place, score in zip(at, scores, strict=True):
            axes.plot(
                score.values,
                np.full(len(score.values), place),
                "|",
                color=GREY,
                alpha=0.45,
                markersize=row * 72 * 0.55,
                markeredgewidth=0.5,
                zorder=1,
                gid=f"queries-{place}",
            )
    axes.hlines(
        at,
        [score.low for score in scores],
        [score.high for score in scores],
        color=BLUE,
        linewidth=max(0.6, size * 0.3),
        zorder=2,
        gid="intervals",
    )
    axes.plot([score.mean for score in scores], at, "o", color=BLUE, markersize=size, markeredgewidth=0, zorder=3, gid="means")
    for place, score in zip(at, scores, strict=True):
        if math.isnan(score.mean):
            axes.text(
                0.02,
                place,
                "no value",
                transform=axes.get_yaxis_transform(),
                color=DARK,
                va="center_baseline",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
            )
    axes.set_ylim(len(scores) - 0.5, -0.5)
    axes.set_yticks(named, [labels[place] for place in named])
    axes.tick_params(axis="y", length=0 if len(scores) <= NAMED else 2.5)
    _span(
        axes,
        [*(score.mean for score in scores), *(score.low for score in scores), *(score.high for score in scores)]
        + [value for score in scores if queries for value in score.values],
    )
    axes.set_xlabel(data.measure)
    return sheet.figure


@styled
def draw_differences(data: QueryDifferences, *, width: float | None = None) -> Figure:
    """Draw the difference of two runs on each query, largest gain first, and the mean with its interval.

    The title counts the queries won, tied and lost. The axis names the queries if there is room.

    :param width: inches.
    """
    moves, mean, low, high = data.differences, data.mean, data.low, data.high
    won, tied, lost = (int(np.sum(np.sign(moves) == sign)) for sign in (1, 0, -1))
    summary = f"mean (dashed) {number(mean, sign=True)}"
    if not math.isnan(low):
        summary += f", {data.interval.name} {number(low, sign=True)} to {number(high, sign=True)}"
    wide = width or (COLUMN if len(moves) <= 20 else PAGE)
    slots = max(len(moves), 12)
    names = labels_of(data.queries, 1.2)
    fit = (wide - 0.72) / slots >= 0.115
    bottom = (widest(names) + 0.07 if fit else 0.06) + LINE + EDGE
    room = wide - 2 * EDGE - extent("  against ")
    run, against = (
        fitted(name, max(room / 2, room - extent(other))) for name, other in ((data.run, data.against), (data.against, data.run))
    )
    title = [f"{run} against {against}", f"{data.measure} on {data.edition}: {won} won, {tied} tied, {lost} lost", summary]
    sheet = TitledFigure(wide, bottom + 1.7, title, note=data.simulated)
    axes = sheet.figure.add_subplot(sheet.subplots()[0])
    at = np.arange(len(moves))
    if not math.isnan(low):
        axes.axhspan(low, high, color=PALE, linewidth=0, zorder=0, gid="interval")
    axes.axhline(mean, color=DARK, linewidth=0.8, linestyle=(0, (4, 2)), zorder=3, gid="mean")
    axes.axhline(0, color=BLACK, linewidth=0.6, zorder=2)
    colours = [BLUE if move > 0 else VERMILION if move < 0 else GREY for move in moves]
    axes.bar(at, moves, width=0.8, color=colours, zorder=1)
    axes.plot(at[moves == 0], moves[moves == 0], "o", color=GREY, markersize=2.5, zorder=4, gid="ties")
    middle = (len(moves) - 1) / 2
    axes.set_xlim(middle - slots / 2 - 0.2, middle + slots / 2 + 0.2)
    axes.spines["bottom"].set_visible(False)
    axes.set_xticks(at if fit else [], names if fit else [], rotation=90)
    axes.tick_params(axis="x", length=0)
    axes.set_xlabel(f"{counted(len(moves), 'query')}, by difference")
    axes.set_ylabel(f"difference in {data.measure}")
    top, least = max(0.0, float(moves.max()), _known(high)), min(0.0, float(moves.min()), _known(low))
    pad = 0.06 * (top - least) or 0.05
    axes.set_ylim(least - pad, top + pad)
    return sheet.laid_out()


@styled
def draw_slopes(data: RankingChanges, *, width: float | None = None) -> Figure:
    """Draw two rankings of the same runs, one line per run, coloured by whether it rises, falls or stays. Labels show scores.

    With more than NAMED runs, label those that moved most, as far as there is room.

    :param width: inches.
    """
    runs, heads = data.runs, (data.left, data.right)
    left_at = {run.run: at for at, run in enumerate(runs)}
    right_at = {run.run: at for at, run in enumerate(sorted(runs, key=lambda run: (-run.right, left_at[run.run])))}
    row = _row(len(runs))
    by_move = sorted(range(len(runs)), key=lambda at: -abs(runs[at].left_rank - runs[at].right_rank))
    named = set(_named(len(runs), by_move, row))
    if len(runs) > NAMED:  # labels must fit on the right, too
        of_right = {right_at[runs[at].run]: at for at in by_move if at in named}
        named = {of_right[at] for at in thinned(list(of_right), distance=LINE / row)}
    labels = labels_of((run.run for run in runs), 1.6)
    lefts = {at: f"{labels[at]}  {number(runs[at].left)}" for at in named}
    rights = {at: f"{number(runs[at].right)}  {labels[at]}" for at in named}
    gap = 0.06
    left, right = (
        max(widest(texts), min(extent(head), 1.6)) + EDGE + gap
        for head, texts in zip(heads, (lefts.values(), rights.values()), strict=True)
    )
    wide = _width(width, left + right + 1.0)
    counts = [
        (sum(run.right_rank < run.left_rank for run in runs), "up", BLUE),
        (sum(run.right_rank > run.left_rank for run in runs), "down", VERMILION),
        (sum(run.right_rank == run.left_rank for run in runs), "same", GREY),
    ]
    bottom, head = LINE + EDGE, LINE + EDGE
    title = [
        f"{data.common}: {data.left} against {data.right}",
        f"{counted(len(runs), 'run')}; Kendall's tau {number(data.kendall_tau)}, tau_ap {number(data.tau_ap)}",
        *_unlabelled(sorted(named), len(runs), "those that moved most, as far as there is room"),
    ]
    sheet = TitledFigure(wide, bottom + row * len(runs) + head, title, note=data.simulated)
    axes = sheet.axes(left, bottom, wide - right, bottom + row * len(runs))
    axes.set_axis_off()
    axes.set_xlim(0, 1)
    axes.set_ylim(len(runs) - 0.5, -0.5)
    for at, run in enumerate(runs):
        moved = run.left_rank - run.right_rank
        colour = BLUE if moved > 0 else VERMILION if moved < 0 else GREY
        axes.plot(
            [0, 1],
            [left_at[run.run], right_at[run.run]],
            "-o",
            color=colour,
            linewidth=0.6 if row < _ROW else 1.0,
            markersize=min(3.0, row * 40),
            clip_on=False,
            zorder=2 if moved else 1,
            gid=f"run-{at}",
        )
        if at in named:
            ink = DARK if colour == GREY else colour
            axes.annotate(
                lefts[at], (0, at), (-gap * 72, 0), textcoords="offset points", ha="right", va="center_baseline", color=ink
            )
            axes.annotate(
                rights[at], (1, right_at[run.run]), (gap * 72, 0), textcoords="offset points", va="center_baseline", color=ink
            )
    y = bottom + row * len(runs) + EDGE
    sheet.text(left - gap, y, fitted(heads[0], left - gap - EDGE), ha="right")
    sheet.text(wide - right + gap, y, fitted(heads[1], right - gap - EDGE))
    x = EDGE
    for count, word, colour in counts:
        sheet.text(x, EDGE, f"{count:,} {word}", color=DARK if colour == GREY else colour)
        x += extent(f"{count:,} {word}") + 0.15
    return sheet.figure


def _row(runs: int) -> float:
    """Return the height per run in inches; many runs share a page's height."""
    return _ROW if runs <= NAMED else min(_ROW, _TALL / runs)


def _named(runs: int, rows: Sequence[int], row: float) -> list[int]:
    """Return the rows to label: all, or the most wanted ones that fit."""
    return list(range(runs)) if runs <= NAMED else thinned(rows, distance=LINE / row)


def _unlabelled(named: Sequence[int], runs: int, which: str) -> list[str]:
    return [] if len(named) == runs else [f"{len(named)} of {counted(runs, 'run')} named: {which}"]


def _width(width: float | None, natural: float) -> float:
    return width if width is not None else max(COLUMN, natural)


def _sizes(scores: Sequence[SystemScore]) -> str:
    """Describe the number of queries that the means are over."""
    sizes = [int(np.sum(~np.isnan(score.values))) for score in scores]
    fewest = "" if min(sizes) == max(sizes) else f"{min(sizes):,} to "
    return fewest + counted(max(sizes), "query")


def _known(value: float) -> float:
    return 0.0 if math.isnan(value) else value


def _span(axes: Axes, values: Sequence[float]) -> None:
    """Set the x axis to the range of the known values with a margin, or around them if all are equal."""
    numbers = [value for value in values if not math.isnan(value)]
    low, high = (min(numbers), max(numbers)) if numbers else (0.0, 1.0)
    margin = 0.04 * (high - low) if high - low > 1e-9 else max(0.05, 0.05 * abs(high))
    axes.set_xlim(low - margin, high + margin)

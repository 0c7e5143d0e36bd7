"""Figures of systems: their scores with intervals, two of them query by query, one ranking of them against another.

Each function asks the database and returns a matplotlib Figure, for a notebook to show, or for
:func:`~stcollection.analysis.canvas.write` to put in a file. Those of pools and judgments are in ``judged_figures``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import psycopg

from stcollection.analysis import paired
from stcollection.analysis.canvas import (
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
    Sheet,
    drawn,
    extent,
    fitted,
    labels_of,
    number,
    thinned,
    widest,
)  # fmt: skip
from stcollection.analysis.impact import impact
from stcollection.analysis.paired import Floats
from stcollection.analysis.query_sets import ALL, WITHIN, within
from stcollection.errors import BadArgument, StateError, translate
from stcollection.evaluation.measures import Measure, nDCG

INTERVALS = ("t", "bootstrap")
NAMED = 60  # runs that each have a label; of more, what there is room for
_ROW, _TALL = 0.16, 8.4  # inches a run with a label, inches for all those that are more
_LABEL = 2.2  # inches a label of a run may be wide

_GRID = (
    'SELECT run, array_agg(query ORDER BY query COLLATE "C"), array_agg(value ORDER BY query COLLATE "C")'  # noqa: S608
    f" FROM score_grid(%s::text[], %s, %s, %s) WHERE {WITHIN} GROUP BY run"
)
_MEANS = 'SELECT run, avg(value ORDER BY query COLLATE "C") FROM score_grid(%s::text[], %s, %s) GROUP BY run'


class SystemScore(NamedTuple):
    """A run by one measure: the mean over the queries it has a value for, and where that lies; all NaN where it has none.

    :param values: float[queries], by the queries' names; NaN where it has none. :param low, high: NaN for fewer than two queries.
    """

    run: str
    values: Floats
    mean: float
    low: float
    high: float


class Slope(NamedTuple):
    """A run in two rankings. A rank is 1 + how many runs score higher."""

    run: str
    left: float
    right: float
    left_rank: int
    right_rank: int


@translate()
def system_scores(
    conn: psycopg.Connection, *, edition: str, measure: Measure = nDCG @ 10, runs: Sequence[str] = (), interval: str = "t",
    alpha: float = 0.05, missing: str = "zero", resamples: int = 100_000, seed: int = 0, queries: str = ALL,
) -> list[SystemScore]:  # fmt: skip
    """The scores of runs with their intervals, best first, those without any last.

    :param runs: names; all if empty. :param interval: Student's t, or the BCa bootstrap of ``resamples``.
    :param missing: a query a run has no value for is 0 (``zero``), or not in its mean (``drop``).
    :param queries: a set of them: ``all``, ``human``, ``synthetic``, another origin.
    :raises UnknownObject: a run, the edition, or the measure is not there. :raises BadArgument: an argument outside its range.
    :raises StateError: there is no run, or no judged query.
    """
    _check_interval(interval, alpha, resamples, seed)
    arguments = [list(runs), edition, str(measure), missing, *within(edition, queries)]
    rows = conn.execute(_GRID.encode(), arguments).fetchall()
    if not rows:
        raise _nothing(conn, edition)
    values = np.array([row[2] for row in rows], dtype=np.float64).T
    low, high = _interval(values, interval, alpha, resamples, seed)
    means = paired.summarise(values).mean
    found = [SystemScore(row[0], values[:, at], float(means[at]), float(low[at]), float(high[at])) for at, row in enumerate(rows)]
    return sorted(found, key=lambda one: (math.isnan(one.mean), -one.mean, one.run.encode()))


@drawn
def systems(
    conn: psycopg.Connection, *, edition: str, measure: Measure = nDCG @ 10, runs: Sequence[str] = (), queries: bool = False,
    interval: str = "t", alpha: float = 0.05, missing: str = "zero", resamples: int = 100_000, seed: int = 0,
    width: float | None = None,
) -> Figure:  # fmt: skip
    """The mean of each run with its interval over queries, best on top. Of more than NAMED as many are labelled as fit.

    :param queries: each query's value too, as a faint stroke. :param width: inches. For the rest see :func:`system_scores`.
    """
    found = system_scores(
        conn, edition=edition, measure=measure, runs=runs, interval=interval, alpha=alpha, missing=missing, resamples=resamples,
        seed=seed,
    )  # fmt: skip
    row = _row(len(found))
    labels = labels_of((one.run for one in found), _LABEL)
    named = _named(len(found), range(len(found)), row)
    left = widest(labels[at] for at in named) + 2 * EDGE + 0.08
    wide = _width(width, left + 2.1)
    bottom = 2 * LINE + 0.12
    how = "Student's t" if interval == "t" else "BCa bootstrap"
    spread = f"{_percent(alpha)} interval ({how})"
    if all(math.isnan(one.low) for one in found):
        what = "mean, without an interval, over"
    else:
        what = f"mean, {spread}, and each of" if queries else f"mean and {spread} over"
    title = [f"{measure} on {edition}", f"{what} {_sizes(found)}"]
    sheet = Sheet(wide, bottom + row * len(found) + 0.08, [*title, *_unlabelled(named, len(found), "as many as there is room for")])
    axes = sheet.axes(left, bottom, wide - 0.14, sheet.top)
    at = np.arange(len(found))
    size = min(4.0, row * 72 * 0.5)
    if len(found) <= NAMED:
        axes.hlines(at, 0, 1, transform=axes.get_yaxis_transform(), color=PALE, linewidth=0.4, zorder=0)
    if queries:
        for place, one in zip(at, found, strict=True):
            axes.plot(one.values, np.full(len(one.values), place), "|", color=GREY, alpha=0.45, markersize=row * 72 * 0.55,
                      markeredgewidth=0.5, zorder=1, gid=f"queries-{place}")  # fmt: skip
    axes.hlines(at, [one.low for one in found], [one.high for one in found], color=BLUE, linewidth=max(0.6, size * 0.3), zorder=2,
                gid="intervals")  # fmt: skip
    axes.plot([one.mean for one in found], at, "o", color=BLUE, markersize=size, markeredgewidth=0, zorder=3, gid="means")
    for place, one in zip(at, found, strict=True):
        if math.isnan(one.mean):
            axes.text(0.02, place, "no value", transform=axes.get_yaxis_transform(), color=DARK, va="center_baseline",
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})  # fmt: skip
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.set_yticks(named, [labels[place] for place in named])
    axes.tick_params(axis="y", length=0 if len(found) <= NAMED else 2.5)
    _span(axes, [*(one.mean for one in found), *(one.low for one in found), *(one.high for one in found)]
          + [value for one in found if queries for value in one.values])  # fmt: skip
    axes.set_xlabel(str(measure))
    return sheet.figure


@drawn
def differences(
    conn: psycopg.Connection, run: str, against: str, *, edition: str, measure: Measure = nDCG @ 10, interval: str = "t",
    alpha: float = 0.05, missing: str = "zero", resamples: int = 100_000, seed: int = 0, width: float | None = None,
) -> Figure:  # fmt: skip
    """By how much a run is better or worse than another on each query, largest gain first, with the mean and its interval.

    The title counts the queries won, tied and lost. Their names stand on the axis where there is room.

    :param interval: of the mean difference: Student's t, or the BCa bootstrap. :param width: inches.
    :param missing: a query a run has no value for is 0 (``zero``), or left out (``drop``).
    :raises UnknownObject: a run, the edition, or the measure is not there. :raises BadArgument: an argument outside its range.
    :raises StateError: there is no query to compare on.
    """
    if run == against:
        raise BadArgument(f"{run!r} against itself", hint="Name another run: 'stc runs list' shows them.", sqlstate="IR202")
    _check_interval(interval, alpha, resamples, seed)
    with translate():
        rows = conn.execute(
            "SELECT query, difference FROM paired_scores(ARRAY[%s], %s, %s, %s, %s) WHERE difference IS NOT NULL"
            ' ORDER BY difference DESC, query COLLATE "C"',
            [run, edition, str(measure), against, missing],
        ).fetchall()
    if not rows:
        raise StateError(
            f"no query of {edition!r} has a value for both runs", hint="'stc qrels editions' counts queries.", sqlstate="IR405"
        )
    names, moves = [row[0] for row in rows], np.array([row[1] for row in rows])
    mean, (low, high) = float(moves.mean()), (float(end[0]) for end in _interval(moves[:, None], interval, alpha, resamples, seed))
    won, tied, lost = (int(np.sum(np.sign(moves) == sign)) for sign in (1, 0, -1))
    told = f"mean (dashed) {number(mean, sign=True)}"
    if not math.isnan(low):
        told += f", {_percent(alpha)} interval {number(low, sign=True)} to {number(high, sign=True)}"
    wide = width or (COLUMN if len(rows) <= 20 else PAGE)
    left, slots = 0.62, max(len(rows), 12)
    names = labels_of(names, 1.2)
    fit = (wide - left - 0.1) / slots >= 0.115
    bottom = (widest(names) + 0.07 if fit else 0.06) + LINE + EDGE
    room = wide - 2 * EDGE - extent("  against ")
    pair = f"{fitted(run, max(room / 2, room - extent(against)))} against {fitted(against, max(room / 2, room - extent(run)))}"
    title = [pair, f"{measure} on {edition}: {won} won, {tied} tied, {lost} lost", told]
    sheet = Sheet(wide, bottom + 1.7, title)
    axes = sheet.axes(left, bottom, wide - 0.1, sheet.top)
    at = np.arange(len(rows))
    if not math.isnan(low):
        axes.axhspan(low, high, color=PALE, linewidth=0, zorder=0, gid="interval")
    axes.axhline(mean, color=DARK, linewidth=0.8, linestyle=(0, (4, 2)), zorder=3, gid="mean")
    axes.axhline(0, color=BLACK, linewidth=0.6, zorder=2)
    colours = [BLUE if move > 0 else VERMILION if move < 0 else GREY for move in moves]
    axes.bar(at, moves, width=0.8, color=colours, zorder=1)
    axes.plot(at[moves == 0], moves[moves == 0], "o", color=GREY, markersize=2.5, zorder=4, gid="ties")
    middle = (len(rows) - 1) / 2
    axes.set_xlim(middle - slots / 2 - 0.2, middle + slots / 2 + 0.2)
    axes.spines["bottom"].set_visible(False)
    axes.set_xticks(at if fit else [], names if fit else [], rotation=90)
    axes.tick_params(axis="x", length=0)
    axes.set_xlabel(f"{len(rows):,} {'query' if len(rows) == 1 else 'queries'}, by difference")
    axes.set_ylabel(f"difference in {measure}")
    top, least = max(0.0, float(moves.max()), _known(high)), min(0.0, float(moves.min()), _known(low))
    pad = 0.06 * (top - least) or 0.05
    axes.set_ylim(least - pad, top + pad)
    sheet.clear_left(axes)
    return sheet.figure


@translate()
def slope_scores(
    conn: psycopg.Connection, *, edition: str, against: str | None = None, measures: Sequence[Measure] = (nDCG @ 10,),
    runs: Sequence[str] = (), every: bool = False,
) -> tuple[list[Slope], float | None, float | None]:  # fmt: skip
    """Runs ranked by two editions, or by two measures of one edition.

    :param every: the mean by each of two editions is over all its queries, in place of those that both judge.
    :returns: the runs, best on the left first; Kendall's tau-b; tau_ap, the left being the truth. None where they have no value.
    :raises BadArgument: neither two editions with one measure nor one edition with two.
    :raises UnknownObject: a run, an edition, or a measure is not there. :raises StateError: there is no run, or no common query.
    """
    if (len(measures), against is None) not in ((1, False), (2, True)) or against == edition:
        told = f"{1 if against is None else 2} × {len(measures)} rankings (editions × measures)"
        hint = "Two editions (--edition A --against B) with one measure, or one edition with two (-m nDCG@10 -m AP)."
        raise BadArgument(told if against != edition else f"the edition {edition!r} against itself", hint=hint, sqlstate="IR202")
    if against is not None:
        done = impact(conn, edition, against, measure=measures[0], runs=runs, every=every)
        slopes = [Slope(one.run, one.value_a, one.value_b, one.rank_a, one.rank_b) for one in done.runs]
        return _left_first(slopes), done.kendall_tau, done.tau_ap
    left, right = (_means(conn, runs, edition, measure) for measure in measures)
    if not left:
        raise _nothing(conn, edition)
    order = sorted(left)
    sides = ([left[run] for run in order], [right[run] for run in order])
    tau, tau_ap = conn.execute("SELECT kendall_tau(%s, %s), tau_ap(%s, %s)", [*sides, *sides]).fetchone() or (None, None)
    places = [[1 + sum(other > value for other in side) for value in side] for side in sides]
    return _left_first([Slope(*one) for one in zip(order, *sides, *places, strict=True)]), tau, tau_ap


def _means(conn: psycopg.Connection, runs: Sequence[str], edition: str, measure: Measure) -> dict[str, float]:
    return dict(conn.execute(_MEANS, [list(runs), edition, str(measure)]).fetchall())


def _left_first(slopes: list[Slope]) -> list[Slope]:
    """By the left score; equal ones as the right ones go, that lines do not cross for no reason."""
    return sorted(slopes, key=lambda one: (-one.left, -one.right, one.run.encode()))


@drawn
def slopes(
    conn: psycopg.Connection, *, edition: str, against: str | None = None, measures: Sequence[Measure] = (nDCG @ 10,),
    runs: Sequence[str] = (), every: bool = False, width: float | None = None,
) -> Figure:  # fmt: skip
    """One ranking of runs against another, a line a run: up, down, or where it was. Labels carry the scores.

    Beyond NAMED runs those are labelled that moved most, as far as there is room. :param width: inches; for the rest
    see :func:`slope_scores`.
    """
    found, tau, tau_ap = slope_scores(conn, edition=edition, against=against, measures=measures, runs=runs, every=every)
    heads = [edition, against] if against is not None else [str(measure) for measure in measures]
    left_at = {one.run: at for at, one in enumerate(found)}
    right_at = {one.run: at for at, one in enumerate(sorted(found, key=lambda one: (-one.right, left_at[one.run])))}
    row = _row(len(found))
    by_move = sorted(range(len(found)), key=lambda at: -abs(found[at].left_rank - found[at].right_rank))
    named = set(_named(len(found), by_move, row))
    if len(found) > NAMED:  # there has to be room on the right, too
        of_right = {right_at[found[at].run]: at for at in by_move if at in named}
        named = {of_right[at] for at in thinned(list(of_right), distance=LINE / row)}
    shown = labels_of((one.run for one in found), 1.6)
    lefts = {at: f"{shown[at]}  {number(found[at].left)}" for at in named}
    rights = {at: f"{number(found[at].right)}  {shown[at]}" for at in named}
    gap, tau_told = 0.06, f"Kendall's tau {number(tau)}, tau_ap {number(tau_ap)}"
    left, right = (
        max(widest(texts), min(extent(head), 1.6)) + EDGE + gap
        for head, texts in zip(heads, (lefts.values(), rights.values()), strict=True)
    )
    wide = _width(width, left + right + 1.0)
    counts = [
        (sum(one.right_rank < one.left_rank for one in found), "up", BLUE),
        (sum(one.right_rank > one.left_rank for one in found), "down", VERMILION),
        (sum(one.right_rank == one.left_rank for one in found), "same", GREY),
    ]
    what = f"{measures[0]}: {edition} against {against}" if against is not None else f"{edition}: {heads[0]} against {heads[1]}"
    bottom, head = LINE + EDGE, LINE + EDGE
    title = [
        what,
        f"{len(found):,} {'run' if len(found) == 1 else 'runs'}; {tau_told}",
        *_unlabelled(sorted(named), len(found), "those that moved most, as far as there is room"),
    ]
    sheet = Sheet(wide, bottom + row * len(found) + head, title)
    axes = sheet.axes(left, bottom, wide - right, bottom + row * len(found))
    axes.set_axis_off()
    axes.set_xlim(0, 1)
    axes.set_ylim(len(found) - 0.5, -0.5)
    for at, one in enumerate(found):
        moved = one.left_rank - one.right_rank
        colour = BLUE if moved > 0 else VERMILION if moved < 0 else GREY
        axes.plot([0, 1], [left_at[one.run], right_at[one.run]], "-o", color=colour, linewidth=0.6 if row < _ROW else 1.0,
                  markersize=min(3.0, row * 40), clip_on=False, zorder=2 if moved else 1, gid=f"run-{at}")  # fmt: skip
        if at in named:
            ink = DARK if colour == GREY else colour
            axes.annotate(
                lefts[at], (0, at), (-gap * 72, 0), textcoords="offset points", ha="right", va="center_baseline", color=ink
            )
            axes.annotate(
                rights[at], (1, right_at[one.run]), (gap * 72, 0), textcoords="offset points", va="center_baseline", color=ink
            )
    y = bottom + row * len(found) + EDGE
    sheet.text(left - gap, y, fitted(heads[0], left - gap - EDGE), ha="right")
    sheet.text(wide - right + gap, y, fitted(heads[1], right - gap - EDGE))
    x = EDGE
    for count, word, colour in counts:
        sheet.text(x, EDGE, f"{count:,} {word}", color=DARK if colour == GREY else colour)
        x += extent(f"{count:,} {word}") + 0.15
    return sheet.figure


def _check_interval(interval: str, alpha: float, resamples: int, seed: int) -> None:
    if interval not in INTERVALS:
        raise BadArgument(f"an interval by {interval!r}", hint=f"It is one of {', '.join(INTERVALS)}.", sqlstate="IR202")
    if not 0 < alpha < 1:
        raise BadArgument(f"alpha is {alpha}", hint="It is between 0 and 1; .05 is the custom.", sqlstate="IR202")
    if resamples < 1 or seed < 0:
        raise BadArgument(f"{resamples} resamples by the seed {seed}", hint="1 or more, by 0 or more.", sqlstate="IR202")


def _interval(values: Floats, interval: str, alpha: float, resamples: int, seed: int) -> tuple[Floats, Floats]:
    if interval == "t":
        return paired.t_interval(values, alpha=alpha)
    return paired.bootstrap(values, resamples=resamples, seed=seed, alpha=alpha)[1:]


def _nothing(conn: psycopg.Connection, edition: str) -> StateError:
    """Why there is no score, of runs and an edition that are there: score_grid has told if they were not."""
    if conn.execute("SELECT FROM st1_runs LIMIT 1").fetchone() is None:
        return StateError(
            "no run is stored", hint="'stc runs import' takes runs in, 'stc retrieval run' makes them.", sqlstate="IR405"
        )
    return StateError(f"{edition!r} judges no query", hint="'stc qrels import' adds judgments.", sqlstate="IR405")


def _row(runs: int) -> float:
    """Inches a run: of a page's height in all where there are many."""
    return _ROW if runs <= NAMED else min(_ROW, _TALL / runs)


def _named(runs: int, wanted: Sequence[int], row: float) -> list[int]:
    """Which of the rows have a label: all, or as many of those wanted most as there is room for."""
    return list(range(runs)) if runs <= NAMED else thinned(wanted, distance=LINE / row)


def _unlabelled(named: Sequence[int], runs: int, which: str) -> list[str]:
    return [] if len(named) == runs else [f"{len(named)} of {runs:,} runs named: {which}"]


def _width(asked: float | None, natural: float) -> float:
    return asked if asked is not None else max(COLUMN, natural)


def _percent(alpha: float) -> str:
    return f"{100 * (1 - alpha):.6g}%"


def _sizes(found: Sequence[SystemScore]) -> str:
    """Over how many queries the means are."""
    sizes = [int(np.sum(~np.isnan(one.values))) for one in found]
    told = f"{min(sizes):,}" if min(sizes) == max(sizes) else f"{min(sizes):,} to {max(sizes):,}"
    return f"{told} {'query' if max(sizes) == 1 else 'queries'}"


def _known(value: float) -> float:
    return 0.0 if math.isnan(value) else value


def _span(axes: Axes, values: Sequence[float]) -> None:
    """The x axis over the values that are there, with a margin; a stretch around them where all are equal."""
    there = [value for value in values if not math.isnan(value)]
    low, high = (min(there), max(there)) if there else (0.0, 1.0)
    margin = 0.04 * (high - low) if high - low > 1e-9 else max(0.05, 0.05 * abs(high))
    axes.set_xlim(low - margin, high + margin)

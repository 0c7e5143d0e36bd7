"""Figures of reliability: systems by one query set against another, growth of tau with the number of queries, snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import numpy as np

from stcollection.analysis.collection_records import EditionMeans, EffectOverTime
from stcollection.analysis.records import NO_FAMILY, Floats, GrowthCurves, QuerySetMeans
from stcollection.counts import counted
from stcollection.plots.canvas import (
    BLACK,
    BLUE,
    COLUMN,
    DARK,
    EDGE,
    GREEN,
    GREY,
    LINE,
    ORANGE,
    PALE,
    SKY,
    VERMILION,
    Figure,
    TitledFigure,
    extent,
    fitted,
    needed,
    number,
    styled,
    thinned,
)

_INKS = ((BLUE, "o"), (VERMILION, "s"), (GREEN, "^"), (ORANGE, "D"), (SKY, "v"), (BLACK, "P"), (DARK, "X"))
_GAP = 0.12  # inches between entries of the key
_MARKED = 30  # days; the markers of more are smaller


class _Ink(NamedTuple):
    colour: str
    mark: str


def _inks(names: Sequence[str]) -> dict[str, _Ink]:
    """Assign colours and markers to names in order; they repeat if there are more names. No family is grey."""
    coloured = [name for name in names if name != NO_FAMILY]
    inks = {name: _Ink(*_INKS[at % len(_INKS)]) for at, name in enumerate(coloured)}
    return inks | ({NO_FAMILY: _Ink(GREY, "o")} if NO_FAMILY in names else {})


@styled
def draw_scatter(data: QuerySetMeans, *, width: float | None = None) -> Figure:
    """Draw each system as a point coloured by family: its mean on the first query set (across) and on the second (up).

    On the dashed diagonal the two means are equal. If all points lie below it, the second set is harder; tau measures how similarly
    both sets rank systems.

    :param width: inches.
    """
    title = [
        f"{data.measure} on {data.edition}: {data.a} against {data.b}",
        f"Kendall's tau {_printed(data.kendall_tau)}, tau_ap {_printed(data.tau_ap)}, Pearson {_printed(data.pearson)}",
        f"{counted(len(data.runs), 'system')}, {counted(data.queries_a, 'query')} against {data.queries_b:,}",
    ]
    return _scatter(data, (f"{data.measure}, {data.a}", f"{data.measure}, {data.b}"), title, width)


@styled
def draw_editions(data: EditionMeans, *, width: float | None = None) -> Figure:
    """Draw each system as a point coloured by family: its mean by the first edition (across) and by the second (up).

    The axes have their own scales, since sparse judgments give lower scores. A dashed line marks equal means where both axes
    show them. Systems that only one edition scores are left out.

    :param width: inches.
    """
    left = data.unpaired
    title = [
        f"{data.measure} by {data.a} against {data.b}",
        f"Kendall's tau {_printed(data.kendall_tau)}, tau_ap {_printed(data.tau_ap)}, Pearson {_printed(data.pearson)}",
        f"{counted(len(data.runs), 'system')}, {counted(data.queries, 'query')} that both judge",
        *([f"without {counted(left, 'system')} that only one of them scores"] if left else []),
    ]
    return _scatter(data, (f"{data.measure}, {data.a}", f"{data.measure}, {data.b}"), title, width, square=False)


def _scatter(
    data: QuerySetMeans | EditionMeans, names: tuple[str, str], title: list[str], width: float | None, *, square: bool = True
) -> Figure:
    """Draw a point per system. :param square: both axes have the same scale."""
    x, y = data.means_a, data.means_b
    families = [name or NO_FAMILY for name in data.families]
    inks = _inks(sorted(set(families), key=lambda name: (name == NO_FAMILY, name)))
    without = families.count(NO_FAMILY)
    wide = width if width is not None else COLUMN
    if without:
        title = [*title, f"{without:,} of the systems {'has' if without == 1 else 'have'} no family"]
    rows = _key_rows(list(inks), wide)
    side = max(0.5, wide - 0.76)
    top = (side if square else 0.8 * side) + 2 * LINE + 3 * EDGE
    sheet = TitledFigure(wide, top + LINE * len(rows), title, note=data.simulated)
    axes = sheet.figure.add_subplot(sheet.subplots()[0], box_aspect=1 if square else None, anchor="W")
    pair = [np.concatenate([x, y])] * 2 if square else [x, y]
    (left, right), (bottom, high) = (_span(values) for values in pair)
    equal = [max(left, bottom), min(right, high)]
    if equal[0] < equal[1]:
        axes.plot(equal, equal, color=GREY, linewidth=0.7, linestyle=(0, (4, 2)), zorder=1, gid="equal")
    for at, (name, ink) in enumerate(inks.items()):
        of = [place for place, family in enumerate(families) if family == name]
        axes.plot(
            x[of],
            y[of],
            ink.mark,
            color=ink.colour,
            markersize=3.6,
            markeredgecolor="white",
            markeredgewidth=0.3,
            zorder=2,
            linestyle="none",
            gid=f"family-{at}",
        )
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, high)
    axes.set_xlabel(fitted(names[0], side))
    axes.set_ylabel(fitted(names[1], side))
    _key(sheet, rows, inks, top, line=False)
    return sheet.laid_out(top=top)


def _span(values: Floats) -> tuple[float, float]:
    """Return the ends of an axis, with some space around the values."""
    low, high = float(values.min()), float(values.max())
    pad = 0.05 * (high - low) or 0.05
    return low - pad, high + pad


@styled
def draw_growth(data: GrowthCurves, *, width: float | None = None) -> Figure:
    """Draw mean Kendall's tau by the number of queries drawn, one curve per set; bands contain 95% of the draws.

    :param width: inches.
    """
    curves, sets = data.curves, list(data.curves)
    inks = _inks(sets)
    wide = width if width is not None else COLUMN
    held = [name for name, points in curves.items() if any(point.shared for point in points)]
    title = [
        f"{data.measure} on {data.edition}: tau with {data.against}",
        f"mean of {counted(data.draws, 'draw')}; bands contain 95% of them",
        *([f"against the queries not drawn: {', '.join(held)}"] if held else []),
    ]
    rows, high = _key_rows(sets, wide), 2.55
    sheet = TitledFigure(wide, high + LINE * len(rows), title, note=data.simulated)
    axes = sheet.figure.add_subplot(sheet.subplots()[0])
    for at, (name, points) in enumerate(curves.items()):
        path = [(row.size, row.tau, row.low, row.high) for row in points if row.tau is not None]
        if not path:
            continue
        size, tau, low, top = (list(column) for column in zip(*path, strict=True))
        axes.fill_between(size, low, top, color=inks[name].colour, alpha=0.16, linewidth=0, zorder=1, gid=f"band-{at}")
        axes.plot(
            size, tau, marker=inks[name].mark, color=inks[name].colour, linewidth=1.0, markersize=2.6, zorder=2, gid=f"tau-{at}"
        )
    axes.set_xlim(left=0)
    axes.set_ylim(top=1)
    axes.yaxis.grid(True, color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("queries drawn")
    axes.set_ylabel("Kendall's tau")
    _key(sheet, rows, inks, high, line=True)
    return sheet.laid_out(top=high)


@styled
def draw_snapshots(data: EffectOverTime, *, width: float | None = None) -> Figure:
    """Draw the means of a run and a baseline by day (top), the lead of the run over the baseline, and how similar its rankings are.

    The dashed line is the lead on the first day. The similarity to the rankings of the first day is their rank-biased overlap
    (squares) and Kendall's tau union (triangles).

    :param width: inches.
    """
    first, last = data.days[0], data.days[-1]
    leads = [day.arp - day.baseline_arp for day in data.days]
    counts = sorted({day.queries for day in data.days})
    title = [
        f"{data.measure} on {data.edition}: {data.run} against {data.baseline}",
        f"lead {number(leads[0], sign=True)} on the first day (dashed), {number(leads[-1], sign=True)} on the last",
        f"last day: effect ratio {_printed(last.effect_ratio)}, delta RI {_printed(last.delta_ri)}, nRMSE {_printed(last.nrmse)}",
        f"last day: RBO (squares) {_printed(last.rbo)}, tau union (triangles) {_printed(last.tau_union)}",
        f"{counted(len(data.days), 'day')}, {f'{counts[0]:,} to ' if len(counts) > 1 else ''}{counted(counts[-1], 'query')}",
    ]
    wide, high = width if width is not None else COLUMN, 3.6
    inks = _inks([data.run, data.baseline])
    rows = _key_rows(list(inks), wide)
    sheet = TitledFigure(wide, high + LINE * len(rows), title, note=data.simulated)
    grid = sheet.subplots(3, 1, height_ratios=[3, 2, 2])
    scores = sheet.figure.add_subplot(grid[0])
    lead = sheet.figure.add_subplot(grid[1], sharex=scores)
    alike = sheet.figure.add_subplot(grid[2], sharex=scores)
    days = [date.fromisoformat(day.day).toordinal() for day in data.days]
    size = 3 if len(data.days) <= _MARKED else 1.5
    means = ([day.arp for day in data.days], [day.baseline_arp for day in data.days])
    for name, (ink, values) in zip(("run", "baseline"), zip(inks.values(), means, strict=True), strict=True):
        scores.plot(days, values, marker=ink.mark, color=ink.colour, linewidth=1.0, markersize=size, gid=name)
    lead.axhline(0, color=GREY, linewidth=0.6, zorder=1)
    lead.axhline(leads[0], color=DARK, linewidth=0.7, linestyle=(0, (4, 2)), zorder=1, gid="first")
    lead.plot(days, leads, marker="o", color=BLACK, linewidth=1.0, markersize=size, zorder=2, gid="lead")
    for name, mark, values in (("rbo", "s", [day.rbo for day in data.days]), ("tau", "^", [day.tau_union for day in data.days])):
        alike.plot(days, values, marker=mark, color=BLACK, linewidth=1.0, markersize=size, gid=name)
    span = days[-1] - days[0]
    ticks = thinned([days[0], days[-1], *days[1:-1]], distance=span * (extent(first.day) + 0.1) / max(0.5, wide - 1.1))
    alike.set_xlim(days[0] - 0.04 * span, days[-1] + 0.04 * span)
    alike.set_xticks(ticks, [date.fromordinal(tick).isoformat() for tick in ticks])
    scores.tick_params(labelbottom=False)
    lead.tick_params(labelbottom=False)
    for axes, name in ((scores, fitted(data.measure, 1.5)), (lead, "lead"), (alike, "similarity")):
        axes.yaxis.grid(True, color=PALE, linewidth=0.5)
        axes.set_axisbelow(True)
        axes.yaxis.set_major_locator(needed("matplotlib.ticker").MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
        axes.set_ylabel(name)
    _key(sheet, rows, inks, high, line=True)
    return sheet.laid_out(top=high)


def _printed(value: float | None) -> str:
    return number(None if value is None or value != value else value)


def _key_rows(names: Sequence[str], wide: float) -> list[list[tuple[str, str, float]]]:
    """Split the names of a key into rows, each with its label and left position in inches."""
    rows: list[list[tuple[str, str, float]]] = [[]]
    x = EDGE
    for name in names:
        label = fitted(name, wide - 2 * EDGE - 0.2)
        long = 0.16 + extent(label)
        if rows[-1] and x + long > wide - EDGE:
            rows.append([])
            x = EDGE
        rows[-1].append((name, label, x))
        x += long + _GAP
    return rows


def _key(sheet: TitledFigure, rows: list[list[tuple[str, str, float]]], inks: dict[str, _Ink], base: float, *, line: bool) -> None:
    """Draw the key above the axes, its first row on top. :param line: draw the markers on a line."""
    lines = needed("matplotlib.lines")
    for at, row in enumerate(reversed(rows)):
        y = base + at * LINE
        for name, label, x in row:
            ink = inks[name]
            mark = lines.Line2D(
                [(x + 0.02) / sheet.width, (x + 0.11) / sheet.width] if line else [(x + 0.065) / sheet.width],
                [(y + 0.045) / sheet.height] * (2 if line else 1),
                color=ink.colour,
                marker=ink.mark,
                markersize=3.4,
                linewidth=1.0 if line else 0,
                markeredgewidth=0,
            )
            sheet.figure.add_artist(mark)
            sheet.text(x + 0.16, y, label)

"""Figures of document measures: distribution by year or venue, one against another, all correlations, and by grade."""

from __future__ import annotations

import numpy as np

from stcollection.analysis.document_measures import COUNTED, READABILITY, better
from stcollection.analysis.records import Bins, Correlations, GradeMeans, Spreads
from stcollection.counts import counted
from stcollection.errors import BadArgument
from stcollection.plots.canvas import (
    BLACK,
    BLUE,
    COLUMN,
    DARK,
    EDGE,
    GREY,
    LINE,
    PALE,
    SKY,
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

ROWS = 50  # maximum number of boxes on a page
_ROW = 0.16  # inches per row with a label
_LABEL = 2.2  # maximum width of a label in inches
_LIGHT, _DARKEST = "#CFE6F5", "#00263B"


@styled
def draw_distribution(data: Spreads, *, width: float | None = None) -> Figure:
    """Draw a measure by year as bands around the median above document counts, or by other groups as one box per group.

    :param width: inches.
    :raises BadArgument: there are more than ROWS boxes.
    """
    return _fan(data, width) if data.by == "year" else _boxes(data, width)


def _fan(spreads: Spreads, width: float | None) -> Figure:
    measure = spreads.measure
    rows = spreads.rows
    years = [int(row.name) for row in rows]
    first, last = min(years), max(years)
    at = np.arange(first, last + 2) - 0.5
    bands = np.full((5, last - first + 1), np.nan)
    documents = np.zeros(last - first + 1)
    for year, row in zip(years, rows, strict=True):
        bands[:, year - first] = row[2:]
        documents[year - first] = row.documents
    title = [
        f"{measure} by year",
        f"median, 25–75% (dark) and 5–95% (light) of {counted(sum(row.documents for row in rows), 'document')}",
    ]
    wide = width if width is not None else COLUMN
    sheet = TitledFigure(wide, 2.7, [*title, *_left_out(spreads)])
    grid = sheet.subplots(2, height_ratios=(1.7, 0.45))
    above = sheet.figure.add_subplot(grid[0])
    below = sheet.figure.add_subplot(grid[1], sharex=above)
    above.stairs(bands[4], at, baseline=bands[0], fill=True, color=_LIGHT, linewidth=0, gid="outer")
    above.stairs(bands[3], at, baseline=bands[1], fill=True, color=SKY, linewidth=0, gid="inner")
    above.hlines(bands[2], at[:-1], at[1:], color=BLUE, linewidth=1.4, gid="median")
    below.stairs(documents, at, fill=True, color=GREY, gid="documents")
    spare = max(0.0, (6 - len(documents)) / 2)  # keep a single year from filling the width
    above.set_xlim(at[0] - spare - 0.3, at[-1] + spare + 0.3)
    ticker = needed("matplotlib.ticker")
    above.xaxis.set_major_locator(ticker.MaxNLocator(6, integer=True))
    below.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:.0f}"))
    above.tick_params(axis="x", labelbottom=False)
    _span(above, "y", measure, float(np.nanmin(bands)), float(np.nanmax(bands)))
    below.set_ylim(0, 1.05 * documents.max())
    below.yaxis.set_major_locator(ticker.MaxNLocator(2, integer=True))
    below.yaxis.set_major_formatter(ticker.FuncFormatter(_brief))
    above.set_ylabel(_named(measure))
    below.set_ylabel("docs.")
    below.set_xlabel("year")
    return sheet.laid_out()


def _boxes(spreads: Spreads, width: float | None) -> Figure:
    rows, measure, by = spreads.rows, spreads.measure, spreads.by
    if len(rows) > ROWS:
        raise BadArgument(f"{counted(len(rows), 'box does', 'boxes do')} not fit in one figure", hint=f"Draw 1 to {ROWS} groups.")
    labels = labels_of((row.name for row in rows), _LABEL)
    counts = [f"{row.documents:,}" for row in rows]
    left, right = widest(labels) + 2 * EDGE, max(widest(counts), extent("docs.")) + 2 * EDGE
    wide = width if width is not None else max(COLUMN, left + right + 2.1)
    bottom, head = 2 * LINE + 0.12, LINE + EDGE
    title = [
        f"{measure} by {by}",
        f"median, 25–75% (dark) and 5–95% (light) of {counted(sum(row.documents for row in rows), 'document')}",
        *_left_out(spreads),
    ]
    top = bottom + _ROW * len(rows)
    sheet = TitledFigure(wide, top + head, title)
    axes = sheet.axes(left, bottom, wide - right, top)
    at = np.arange(len(rows))
    axes.hlines(at, [row.low for row in rows], [row.high for row in rows], color=SKY, linewidth=1.0, zorder=1, gid="outer")
    axes.barh(at, [row.upper - row.lower for row in rows], left=[row.lower for row in rows], height=0.6, color=SKY, zorder=2)
    axes.vlines([row.median for row in rows], at - 0.36, at + 0.36, color=BLUE, linewidth=1.6, zorder=3, gid="median")
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(at, labels)
    axes.tick_params(axis="y", length=0)
    _span(axes, "x", measure, min(row.low for row in rows), max(row.high for row in rows))
    axes.set_xlabel(_named(measure))
    for place, count in enumerate(counts):
        sheet.text(wide - EDGE, top - _ROW * (place + 0.5), count, ha="right", va="center_baseline", color=DARK)
    sheet.text(wide - EDGE, top + EDGE, "docs.", ha="right", color=DARK)
    return sheet.figure


@styled
def draw_measures(data: Bins, *, width: float | None = None) -> Figure:
    """Draw one measure against another: document counts per cell on a logarithmic scale, with Spearman's rho.

    :param width: inches.
    """
    x, y = data.x, data.y
    rho = "no rank correlation: only one value" if data.rho is None else f"Spearman's rho {number(data.rho)}"
    sample = f"a sample of {data.sampled:,} of " if data.sampled < data.documents else ""
    title = [f"{y} against {x}", f"{rho}, over {sample}{counted(data.documents, 'document')}"]
    if data.outside:
        share = 100 * data.outside / data.documents
        title.append(f"{data.outside:,} ({share:.1f}%) {'lies' if data.outside == 1 else 'lie'} beyond the axes")
    tallest = float(data.counts.max())
    wide = width if width is not None else COLUMN
    sheet = TitledFigure(wide, min(3.9, 0.78 * wide), title)
    axes = sheet.figure.add_subplot(sheet.subplots()[0])
    colors = needed("matplotlib.colors")
    ramp = colors.LinearSegmentedColormap.from_list("documents", [_LIGHT, BLUE, _DARKEST])
    norm = colors.LogNorm(1, max(tallest, 2))
    cells = np.ma.masked_equal(data.counts.T, 0)
    mesh = axes.pcolormesh(data.x_edges, data.y_edges, cells, cmap=ramp, norm=norm, edgecolors="face", linewidth=0.15, gid="cells")
    for which, measure, edges in (("x", x, data.x_edges), ("y", y, data.y_edges)):
        _span(axes, which, measure, float(edges[0]), float(edges[-1]))
    axes.set_xlabel(_named(x))
    axes.set_ylabel(_named(y))
    ticker = needed("matplotlib.ticker")
    key = sheet.figure.colorbar(
        mesh,
        ax=axes,
        aspect=25,
        pad=0.03,
        ticks=ticker.FixedLocator(_decades(norm.vmin, norm.vmax)),
        format=ticker.FuncFormatter(_brief),
    )
    key.ax.yaxis.set_minor_locator(ticker.NullLocator())
    key.ax.set_title("docs.", loc="left", color=DARK, pad=3)
    return sheet.laid_out()


@styled
def draw_correlations(data: Correlations, *, width: float | None = None) -> Figure:
    """Draw Spearman's rho between all pairs of measures, blue above 0, vermilion below. :param width: inches."""
    size = len(data.measures) - 1
    sample = f"a sample of {data.documents:,} of " if data.documents < data.complete else ""
    left = widest(data.measures[1:]) + 2 * EDGE
    bottom = widest(data.measures[:-1]) + 2 * EDGE
    cell = extent("–.00") + 0.05
    wide = width if width is not None else max(COLUMN, left + size * cell + EDGE)
    row = 0.19
    title = [f"Spearman's rho between {counted(size + 1, 'measure')}", f"over {sample}{counted(data.complete, 'document')}"]
    sheet = TitledFigure(wide, bottom + row * size, title)
    axes = sheet.axes(left, bottom, min(wide - EDGE, left + size * max(cell, 0.55)), sheet.top)
    colors = needed("matplotlib.colors")
    ramp = colors.LinearSegmentedColormap.from_list("rho", [VERMILION, "white", BLUE])
    lower = np.ma.masked_where(np.triu(np.ones((size, size)), 1).astype(bool) | np.isnan(data.rho[1:, :-1]), data.rho[1:, :-1])
    axes.pcolormesh(
        np.arange(size + 1) - 0.5,
        np.arange(size + 1) - 0.5,
        lower,
        cmap=ramp,
        vmin=-1,
        vmax=1,
        edgecolors="white",
        linewidth=0.6,
        gid="cells",
    )
    for i in range(size):
        for j in range(i + 1):
            rho = data.rho[i + 1, j]
            axes.text(j, i, two_places(float(rho)), ha="center", va="center_baseline", color="white" if abs(rho) > 0.7 else BLACK)
    axes.set_ylim(size - 0.5, -0.5)
    axes.set_yticks(range(size), data.measures[1:])
    axes.set_xticks(range(size), data.measures[:-1], rotation=90)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return sheet.figure


@styled
def draw_grade_means(data: GradeMeans, *, width: float | None = None) -> Figure:
    """Draw the mean of a measure over the documents with each grade, with its standard error.

    :param width: inches.
    :raises BadArgument: there are more than ROWS rows.
    """
    rows, measure, aspect = data.rows, data.measure, data.aspect
    groups = list(dict.fromkeys(row.group for row in rows))
    if len(rows) > ROWS:
        fault = f"{counted(len(groups), 'group of annotators does', 'groups of annotators do')} not fit on a page"
        raise BadArgument(fault, hint="--everyone treats them as one group.")
    names = dict(zip(groups, labels_of([group or "all annotators" for group in groups], _LABEL), strict=True))
    labels = [f"{names[row.group]}, {row.grade}" for row in rows]
    counts = [f"{row.n:,}" for row in rows]
    left, right = widest(labels) + 2 * EDGE, max(widest(counts), extent("docs.")) + 2 * EDGE
    wide = width if width is not None else max(COLUMN, left + right + 2.1)
    bottom, head, gap = 2 * LINE + 0.12, LINE + EDGE, 0.4
    at = np.array([place + gap * groups.index(row.group) for place, row in enumerate(rows)])
    top = bottom + _ROW * (at[-1] + 1)
    alone = [row for row in rows if row.se is None]
    title = [f"{measure} by grade of {aspect}", "mean and standard error over documents"]
    if alone:
        title.append(f"{len(alone)} of one document {'has' if len(alone) == 1 else 'have'} no standard error")
    sheet = TitledFigure(wide, float(top + head), title, note=data.simulated)
    axes = sheet.axes(left, bottom, wide - right, float(top))
    dots = [(place, row.mean, row.se or 0.0) for place, row in zip(at, rows, strict=True)]
    axes.hlines(at, 0, 1, transform=axes.get_yaxis_transform(), color=PALE, linewidth=0.4, zorder=0)
    places, means = [place for place, _, _ in dots], [mean for _, mean, _ in dots]
    lows, highs = [mean - error for _, mean, error in dots], [mean + error for _, mean, error in dots]
    axes.hlines(places, lows, highs, color=BLUE, linewidth=1.2, zorder=1, gid="errors")
    axes.plot(means, places, "o", color=BLUE, markersize=4, markeredgewidth=0, zorder=2, gid="means")
    axes.set_ylim(at[-1] + 0.5, -0.5)
    axes.set_yticks(at, labels)
    axes.tick_params(axis="y", length=0)
    _span(
        axes, "x", measure, min(mean - error for _, mean, error in dots), max(mean + error for _, mean, error in dots), bent=False
    )
    axes.set_xlabel(_named(measure))
    for place, count in zip(at, counts, strict=True):
        sheet.text(wide - EDGE, float(top - _ROW * (place + 0.5)), count, ha="right", va="center_baseline", color=DARK)
    sheet.text(wide - EDGE, float(top + EDGE), "docs.", ha="right", color=DARK)
    return sheet.figure


def _left_out(spreads: Spreads) -> list[str]:
    """Describe what is not shown: groups that are too small or too many, and their documents."""
    rows, by, smallest = spreads.rows, spreads.by, spreads.smallest
    out = spreads.groups - len(rows)
    if not out:
        return []
    word, rest = by.replace("_", " "), spreads.grouped - sum(row.documents for row in rows)
    which = f"the largest, of {counted(smallest, 'document')} or more"
    documents = counted(rest, "time" if by == "field" else "document")
    if by == "year":
        which = f"those of fewer than {counted(smallest, 'document')}"
        return [f"{len(rows)} of {counted(spreads.groups, 'year')}; without {which} ({documents})"]
    return [f"{len(rows)} of {counted(spreads.groups, word)}: {which}; the others have {documents}"]


def _named(measure: str) -> str:
    """Return a measure's axis label, with the direction that is easier to read."""
    way = better(measure) if measure in READABILITY else None
    return f"{measure} ({'lower' if way == 'low' else 'higher'} is easier)" if way else measure


def two_places(rho: float) -> str:
    """Format a correlation with two decimal places and no leading zero; a dash for NaN."""
    if np.isnan(rho):
        return "–"
    return number(rho, digits=2).replace("0.", ".", 1) if abs(round(rho, 2)) < 1 else number(rho, digits=0)


def _brief(value: float, _: object = None) -> str:
    """Format a count for an axis: thousands as k, millions as M."""
    for size, sign in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{sign}"
    return f"{value:.0f}"


def _decades(low: float, high: float) -> list[float]:
    """Return the powers of ten between the ends; the ends themselves if there are fewer than two."""
    powers = [10.0**power for power in range(10) if low <= 10.0**power <= high]
    return powers if len(powers) > 1 else [low, high]


def _span(axes: Axes, which: str, measure: str, low: float, high: float, *, bent: bool = True) -> None:
    """Set an axis from low to high with a margin; COUNTED measures are logarithmic in count + 1, so that 0 is included."""
    limits = axes.set_xlim if which == "x" else axes.set_ylim
    axis = axes.xaxis if which == "x" else axes.yaxis
    ticker = needed("matplotlib.ticker")
    if measure not in COUNTED or not bent:
        margin = 0.04 * (high - low) if high - low > 1e-9 else max(0.05, 0.05 * abs(high))
        limits(low - margin, high + margin)
        axis.set_major_locator(ticker.MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
        return
    (axes.set_xscale if which == "x" else axes.set_yscale)("function", functions=(np.log1p, np.expm1))
    start, end = np.log1p(max(low, -0.5)), np.log1p(high)
    margin = 0.04 * (end - start) if end - start > 1e-9 else 0.3
    limits(float(np.expm1(start - margin)), float(np.expm1(end + margin)))
    ticks = [0.0, *(step * 10.0**power for power in range(10) for step in (1, 3))]
    inside = [tick for tick in ticks if low - 1e-9 <= tick <= high + 1e-9]
    decades = [tick for tick in inside if tick == 0 or np.log10(tick) == round(np.log10(tick))]
    axis.set_major_locator(ticker.FixedLocator(decades if len(decades) >= 3 else inside or [low, high]))
    axis.set_minor_locator(ticker.NullLocator())
    axis.set_major_formatter(ticker.FuncFormatter(_brief))

"""Figures of judgments: documents found by pool depth, and the distribution of an edition's grades."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from stcollection.analysis.records import GradeDistributions, PoolDepths
from stcollection.counts import counted
from stcollection.plots.canvas import (
    BLACK,
    BLUE,
    COLUMN,
    DARK,
    EDGE,
    GREY,
    LINE,
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

_BARS = 60  # up to this depth each depth has a bar; deeper pools have one outline
_LIGHT, _DEEP, _DARKEST = "#CFE6F5", BLUE, "#00263B"  # higher relevant grades are darker
_NONE, _UNJUDGED = "#D9D9D9", "#FFFFFF"  # not relevant; pooled but not judged


@styled
def draw_depth(data: PoolDepths, *, width: float | None = None) -> Figure:
    """Draw the number of documents, judged and relevant ones by depth of a pool, and below the relevant ones added per depth.

    :param width: inches.
    """
    documents, judged, relevant = data.documents, data.judged, data.relevant_found
    deepest = len(documents)
    at = np.arange(1, deepest + 1)
    alike = judged == documents
    lines: list[tuple[Sequence[float], str, str]] = [
        (documents, f"{counted(documents[-1], 'document')}" + (", all judged" if alike else ""), GREY)
    ]
    if not alike:
        lines.append((judged, f"{judged[-1]:,} judged", VERMILION))
    lines.append((relevant, f"{relevant[-1]:,} relevant", BLUE))
    if data.estimates is not None:
        lines.append((data.estimates, f"{data.estimates[-1]:,.0f} relevant, estimated", BLUE))
    whose = f"judged in {data.edition}" if data.edition is not None else "judged on its sheets"
    subtitle = f"relevant: grade {data.relevant} or more, {whose}"
    tallest = max(max(values) for values, _, _ in lines)
    wide = width if width is not None else max(COLUMN, widest(text for _, text, _ in lines) + 2.3)
    sheet = TitledFigure(wide, 2.95, [f"pool {data.pool}, by depth", subtitle], note=data.simulated)
    grid = sheet.subplots(2, height_ratios=(1.45, 0.95))
    above = sheet.figure.add_subplot(grid[0])
    below = sheet.figure.add_subplot(grid[1], sharex=above)
    for values, text, colour in lines:
        what = re.sub(r"[ ,]+", "-", text.split(" ", 1)[1])
        above.plot(
            at,
            values,
            color=colour,
            linewidth=1.2,
            linestyle="--" if text.endswith("estimated") else "-",
            marker="o" if deepest == 1 else None,
            markersize=3,
            gid=what,
        )
    above.set_ylim(0, 1.05 * tallest)
    above.set_ylabel("documents so far")
    _label_ends(above, [(values[-1], text, colour) for values, text, colour in lines], 1.4)
    marginal = np.diff(relevant, prepend=0)
    if deepest <= _BARS:
        below.bar(at, marginal, width=0.8, color=BLUE)
    else:
        below.stairs(marginal, np.arange(deepest + 1) + 0.5, fill=True, color=BLUE)
    below.set_ylim(0, 1.08 * max(int(marginal.max()), 1))
    below.set_ylabel("relevant added")
    below.set_xlabel("depth (best rank in a run)")
    below.set_xlim(0.4 if deepest > 1 else -0.5, deepest + (0.6 if deepest > 1 else 1.5))
    for axes in (above, below):
        ticker = needed("matplotlib.ticker")
        axes.yaxis.set_major_locator(ticker.MaxNLocator(4, integer=True))
        axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axes.xaxis.set_major_locator(ticker.MaxNLocator(6, integer=True) if deepest > 1 else ticker.FixedLocator([1]))
    above.tick_params(axis="x", labelbottom=False)
    return sheet.laid_out()


def _label_ends(axes: Axes, ends: Sequence[tuple[float, str, str]], inches: float) -> None:
    """Label lines at their right ends, without overlaps."""
    low, high = axes.get_ylim()
    places = apart([(value - low) / (high - low) * inches for value, _, _ in ends], LINE * 0.95, lowest=LINE / 2)
    for (_, text, colour), place in zip(ends, places, strict=True):
        axes.annotate(
            text,
            (1, place / inches),
            (4, 0),
            xycoords="axes fraction",
            textcoords="offset points",
            va="center",
            color=DARK if colour == GREY else colour,
        )


@styled
def draw_grades(data: GradeDistributions, *, counts: bool = False, width: float | None = None) -> Figure:
    """Draw the grades of editions as stacked bars with counts and shares, one bar per origin if there are several.

    :param counts: scale bars by the number of judgments instead of to 100%.
    :param width: inches.
    """
    bars = data.rows
    labels = dict(zip(names := list(dict.fromkeys(bar.edition for bar in bars)), labels_of(names, 2.2), strict=True))
    ticks = [f"{labels[bar.edition]}, {bar.origin}" if bar.origin else labels[bar.edition] for bar in bars]
    totals = [f"{bar.total:,}" for bar in bars]
    scale = sorted({grade for bar in bars for grade in bar.counts})
    colours = _ramp(scale)
    left, right = widest(ticks) + 2 * EDGE, max(widest(totals), extent("judgments")) + 2 * EDGE
    wide = width if width is not None else max(COLUMN, left + right + max(3.6 if counts else 2.2, 0.5 * len(scale)))
    row, bottom, head = 0.36, 2 * LINE + 0.1, LINE + EDGE
    by_origin = ", by origin" + (" of the queries" if data.by == "query" else "")
    title = [f"grades of the {data.judgments}" + (by_origin if any(bar.origin for bar in bars) else "")]
    sheet = TitledFigure(wide, bottom + row * len(bars) + head, title, note=data.simulated)
    top = bottom + row * len(bars)
    axes = sheet.axes(left, bottom, wide - right, top)
    longest = max(bar.total for bar in bars) or 1
    for place, bar in enumerate(bars):
        scaled = (1 / longest if counts else 1 / bar.total) if bar.total else 0.0
        start = 0.0
        for grade in scale:
            if count := bar.counts.get(grade, 0):
                axes.barh(
                    place,
                    count * scaled,
                    left=start,
                    height=0.86,
                    color=colours[grade],
                    linewidth=0.4,
                    edgecolor=GREY if grade < 0 else "white",
                    zorder=2 if grade < 0 else 1,
                    gid=f"row-{place}-grade-{grade}",
                )
                label = _part(count, bar.total, count * scaled * (wide - left - right) - 0.03)
                axes.text(
                    start + count * scaled / 2,
                    place,
                    label,
                    ha="center",
                    va="center",
                    linespacing=1.0,
                    zorder=3,
                    color=_ink(colours[grade]),
                )
                start += count * scaled
        sheet.text(wide - EDGE, top - row * (place + 0.5), totals[place], ha="right", va="center_baseline", color=DARK)
    axes.set_xlim(0, 1)
    axes.set_ylim(len(bars) - 0.5, -0.5)
    axes.set_yticks(range(len(bars)), ticks)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    if counts:
        axes.xaxis.set_major_locator(needed("matplotlib.ticker").FixedLocator([tick / longest for tick in _round_ticks(longest)]))
        axes.xaxis.set_major_formatter(needed("matplotlib.ticker").FuncFormatter(lambda value, _: f"{round(value * longest):,}"))
        axes.set_xlabel("judgments")
    else:
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100"])
        axes.set_xlabel("share of the judgments in %")
    sheet.text(wide - EDGE, top + EDGE, "judgments", ha="right", color=DARK)
    _legend(sheet, top + EDGE, scale, colours)
    return sheet.figure


def _legend(sheet: TitledFigure, y: float, scale: Sequence[int], colours: Mapping[int, str]) -> None:
    """Draw each grade next to its colour, in one line."""
    patch = needed("matplotlib.patches").Rectangle
    x = EDGE
    sheet.text(x, y, "grade", color=DARK)
    x += extent("grade") + 0.1
    for grade in scale:
        name = str(grade).replace("-", "\N{MINUS SIGN}")
        if x + 0.15 + extent(name) > sheet.width - extent("judgments") - 0.15:
            sheet.text(x, y, "…", color=DARK)
            return
        sheet.figure.add_artist(
            patch(
                (x / sheet.width, y / sheet.height),
                0.1 / sheet.width,
                0.1 / sheet.height,
                facecolor=colours[grade],
                edgecolor=GREY,
                linewidth=0.4,
                transform=sheet.figure.transFigure,
            )
        )
        sheet.text(x + 0.13, y, name)
        x += 0.13 + extent(name) + 0.1


def _part(count: int, total: int, inches: float) -> str:
    """Return count above share, only the share, or nothing, depending on the room."""
    share = f"{100 * count / total:.0f}%"
    if extent(f"{count:,}") <= inches and extent(share) <= inches:
        return f"{count:,}\n{share}"
    return share if extent(share) <= inches else ""


def _ramp(scale: Sequence[int]) -> dict[int, str]:
    """Return a colour per grade: white below 0, grey for 0, then from light to dark."""
    colors = needed("matplotlib.colors")
    relevant = [grade for grade in scale if grade > 0]
    ramp = colors.LinearSegmentedColormap.from_list("grades", [_LIGHT, _DEEP, _DARKEST])
    shades = {
        grade: str(colors.to_hex(ramp((at + (len(relevant) == 1)) / max(2, len(relevant) - 1))))
        for at, grade in enumerate(relevant)
    }
    return {grade: _UNJUDGED if grade < 0 else _NONE if grade == 0 else shades[grade] for grade in scale}


def _ink(colour: str) -> str:
    """Return black for light colours, white for dark ones."""
    red, green, blue = needed("matplotlib.colors").to_rgb(colour)
    return BLACK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.55 else "white"


def _round_ticks(longest: int) -> list[float]:
    return [
        float(tick) for tick in needed("matplotlib.ticker").MaxNLocator(4, integer=True).tick_values(0, longest) if tick <= longest
    ]

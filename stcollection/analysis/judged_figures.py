"""Figures of judgments: what a deeper pool found, and how an edition's grades are distributed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import psycopg

from stcollection.analysis.canvas import (
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
    Sheet,
    apart,
    drawn,
    extent,
    labels_of,
    needed,
    widest,
)  # fmt: skip
from stcollection.errors import StateError, translate
from stcollection.qrels.pools import depths

_ORIGINS = ("human", "llm", "knn")
_BARS = 60  # depths that have a bar each; more have one outline
_LIGHT, _DEEP, _DARKEST = "#CFE6F5", BLUE, "#00263B"  # a relevant grade is the darker the higher it is
_NONE, _UNJUDGED = "#D9D9D9", "#FFFFFF"  # not relevant; pooled, not judged

_GRADES = """
SELECT e.edition, q.origin, q.rel, count(*) FROM qrels q JOIN qrels_editions e ON e.id = q.edition
 WHERE cardinality(%(editions)s::text[]) = 0 OR e.edition = ANY (%(editions)s::text[]) GROUP BY 1, 2, 3
"""


class Distribution(NamedTuple):
    """How often an edition gives each grade; no grade where it judges nothing. :param origin: '' for all it has."""

    edition: str
    origin: str
    counts: Mapping[int, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())


@drawn
def depth(
    conn: psycopg.Connection, pool: str, *, edition: str | None = None, relevant: int = 1, width: float | None = None
) -> Figure:
    """What a pool has found by each depth: documents, judged and relevant ones above; below, the relevant ones each depth added.

    :param edition: whose judgments count; None: the grades on the pool's sheets. :param relevant: the lowest grade that is.
    :param width: inches.
    :raises UnknownObject: there is no such pool or edition. :raises StateError: the pool is empty.
    """
    found = depths(conn, pool, edition=edition, relevant=relevant)
    if not found or not found[-1].documents:
        raise StateError(f"the pool {pool!r} has no document", hint="'stc qrels pool list' counts them.", sqlstate="IR405")
    last, at = found[-1], np.array([one.depth for one in found])
    alike = all(one.judged == one.documents for one in found)
    lines = [([float(one.documents) for one in found], f"{last.documents:,} documents" + (", all judged" if alike else ""), GREY)]
    if not alike:
        lines.append(([float(one.judged) for one in found], f"{last.judged:,} judged", VERMILION))
    lines.append(([float(one.found) for one in found], f"{last.found:,} relevant", BLUE))
    if last.estimate is not None:
        lines.append(([one.estimate or 0.0 for one in found], f"{last.estimate:,.0f} relevant, estimated", BLUE))
    whose = f"judged in {edition}" if edition is not None else "judged on its sheets"
    told = f"relevant: grade {relevant} or more, {whose}"
    tallest = max(max(values) for values, _, _ in lines)
    left, right = extent(f"{tallest:,.0f}") + 0.36, widest(text for _, text, _ in lines) + 2 * EDGE + 0.04
    wide = width if width is not None else max(COLUMN, left + right + 1.6)
    upper, lower, bottom = 1.45, 0.95, 2 * LINE + EDGE + 0.06
    sheet = Sheet(wide, bottom + upper + 0.12 + lower, [f"pool {pool}, by depth", told])
    above = sheet.axes(left, bottom + lower + 0.12, wide - right, sheet.top)
    below = sheet.axes(left, bottom, wide - right, bottom + lower, sharex=above)
    for values, text, colour in lines:
        what = re.sub(r"[ ,]+", "-", text.split(" ", 1)[1])
        above.plot(at, values, color=colour, linewidth=1.2, linestyle="--" if text.endswith("estimated") else "-",
                   marker="o" if len(found) == 1 else None, markersize=3, gid=what)  # fmt: skip
    above.set_ylim(0, 1.05 * tallest)
    above.set_ylabel("documents so far")
    _label_ends(above, [(values[-1], text, colour) for values, text, colour in lines], upper)
    marginal = np.diff([one.found for one in found], prepend=0)
    if len(found) <= _BARS:
        below.bar(at, marginal, width=0.8, color=BLUE)
    else:
        below.stairs(marginal, np.arange(len(found) + 1) + 0.5, fill=True, color=BLUE)
    below.set_ylim(0, 1.08 * max(int(marginal.max()), 1))
    below.set_ylabel("relevant added")
    below.set_xlabel("depth (best rank in a run)")
    below.set_xlim(0.4 if len(found) > 1 else -0.5, len(found) + (0.6 if len(found) > 1 else 1.5))
    for axes in (above, below):
        axes.yaxis.set_label_coords((LINE + EDGE - left) / (wide - right - left), 0.5)
        ticker = needed("matplotlib.ticker")
        axes.yaxis.set_major_locator(ticker.MaxNLocator(4, integer=True))
        axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axes.xaxis.set_major_locator(ticker.MaxNLocator(6, integer=True) if len(found) > 1 else ticker.FixedLocator([1]))
    above.tick_params(axis="x", labelbottom=False)
    return sheet.figure


def _label_ends(axes: Axes, ends: Sequence[tuple[float, str, str]], inches: float) -> None:
    """The names of lines where they end, no two on each other."""
    low, high = axes.get_ylim()
    places = apart([(value - low) / (high - low) * inches for value, _, _ in ends], LINE * 0.95, lowest=LINE / 2)
    for (_, text, colour), place in zip(ends, places, strict=True):
        axes.annotate(text, (1, place / inches), (4, 0), xycoords="axes fraction", textcoords="offset points",
                      va="center", color=DARK if colour == GREY else colour)  # fmt: skip


@translate()
def grade_counts(conn: psycopg.Connection, editions: Sequence[str] = ()) -> list[Distribution]:
    """How often editions give each grade, in the order they are named, else by name; one row an origin where there are several.

    :param editions: names; all if empty. :raises UnknownObject: one is not there. :raises StateError: there is none at all.
    """
    for edition in editions:
        conn.execute("SELECT edition_key(%s)", [edition])
    names = list(dict.fromkeys(editions)) or [
        row[0] for row in conn.execute('SELECT edition FROM qrels_editions ORDER BY edition COLLATE "C"')
    ]
    if not names:
        raise StateError("there is no edition", hint="'stc qrels import' takes judgments in.", sqlstate="IR405")
    found: dict[str, dict[str, dict[int, int]]] = {name: {} for name in names}
    for edition, origin, rel, count in conn.execute(_GRADES, {"editions": names}):
        found[edition].setdefault(origin, {})[rel] = count
    distributions: list[Distribution] = []
    for name, origins in found.items():
        if len(origins) > 1:
            distributions += [Distribution(name, origin, origins[origin]) for origin in _ORIGINS if origin in origins]
        else:
            distributions.append(Distribution(name, "", next(iter(origins.values()), {})))
    return distributions


@drawn
def grades(conn: psycopg.Connection, editions: Sequence[str] = (), *, counts: bool = False, width: float | None = None) -> Figure:
    """The grades of editions as stacked bars, each part with its count and share; a bar an origin where there are several.

    :param editions: names; all if empty. :param counts: bars as long as there are judgments, not all of 100%. :param width: inches.
    :raises UnknownObject: an edition is not there. :raises StateError: there is none at all.
    """
    found = grade_counts(conn, editions)
    labels = dict(zip(names := list(dict.fromkeys(one.edition for one in found)), labels_of(names, 2.2), strict=True))
    ticks = [f"{labels[one.edition]}, {one.origin}" if one.origin else labels[one.edition] for one in found]
    totals = [f"{one.total:,}" for one in found]
    scale = sorted({grade for one in found for grade in one.counts})
    colours = _ramp(scale)
    left, right = widest(ticks) + 2 * EDGE, max(widest(totals), extent("judgments")) + 2 * EDGE
    wide = width if width is not None else max(COLUMN, left + right + max(3.6 if counts else 2.2, 0.5 * len(scale)))
    row, bottom, head = 0.36, 2 * LINE + 0.1, LINE + EDGE
    title = ["grades of the judgments" + (", by origin" if any(one.origin for one in found) else "")]
    sheet = Sheet(wide, bottom + row * len(found) + head, title)
    top = bottom + row * len(found)
    axes = sheet.axes(left, bottom, wide - right, top)
    longest = max(one.total for one in found) or 1
    for place, one in enumerate(found):
        scaled = (1 / longest if counts else 1 / one.total) if one.total else 0.0
        start = 0.0
        for grade in scale:
            if count := one.counts.get(grade, 0):
                axes.barh(place, count * scaled, left=start, height=0.86, color=colours[grade], linewidth=0.4, edgecolor=GREY
                          if grade < 0 else "white", zorder=2 if grade < 0 else 1, gid=f"row-{place}-grade-{grade}")  # fmt: skip
                told = _part(count, one.total, count * scaled * (wide - left - right) - 0.03)
                axes.text(
                    start + count * scaled / 2,
                    place,
                    told,
                    ha="center",
                    va="center",
                    linespacing=1.0,
                    zorder=3,
                    color=_ink(colours[grade]),
                )
                start += count * scaled
        sheet.text(wide - EDGE, top - row * (place + 0.5), totals[place], ha="right", va="center_baseline", color=DARK)
    axes.set_xlim(0, 1)
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.set_yticks(range(len(found)), ticks)
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


def _legend(sheet: Sheet, y: float, scale: Sequence[int], colours: Mapping[int, str]) -> None:
    """Each grade beside its colour, in a line."""
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
            patch((x / sheet.width, y / sheet.height), 0.1 / sheet.width, 0.1 / sheet.height, facecolor=colours[grade],
                  edgecolor=GREY, linewidth=0.4, transform=sheet.figure.transFigure)
        )  # fmt: skip
        sheet.text(x + 0.13, y, name)
        x += 0.13 + extent(name) + 0.1


def _part(count: int, total: int, inches: float) -> str:
    """Count above share, the share alone, or nothing, as there is room."""
    share = f"{100 * count / total:.0f}%"
    if extent(f"{count:,}") <= inches and extent(share) <= inches:
        return f"{count:,}\n{share}"
    return share if extent(share) <= inches else ""


def _ramp(scale: Sequence[int]) -> dict[int, str]:
    """A colour a grade: white below 0, grey for 0, then from light to dark."""
    colors = needed("matplotlib.colors")
    relevant = [grade for grade in scale if grade > 0]
    ramp = colors.LinearSegmentedColormap.from_list("grades", [_LIGHT, _DEEP, _DARKEST])
    shades = {
        grade: str(colors.to_hex(ramp((at + (len(relevant) == 1)) / max(2, len(relevant) - 1))))
        for at, grade in enumerate(relevant)
    }
    return {grade: _UNJUDGED if grade < 0 else _NONE if grade == 0 else shades[grade] for grade in scale}


def _ink(colour: str) -> str:
    """Black on what is light, white on what is dark."""
    red, green, blue = needed("matplotlib.colors").to_rgb(colour)
    return BLACK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.55 else "white"


def _round_ticks(longest: int) -> list[float]:
    return [
        float(tick) for tick in needed("matplotlib.ticker").MaxNLocator(4, integer=True).tick_values(0, longest) if tick <= longest
    ]

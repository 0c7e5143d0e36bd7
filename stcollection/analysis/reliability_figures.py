"""Figures of reliability: systems by one set of queries against another, and how tau grows with the number of queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import psycopg

from stcollection.analysis import rankings
from stcollection.analysis.canvas import (
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
    Sheet,
    drawn,
    extent,
    fitted,
    needed,
    number,
)  # fmt: skip
from stcollection.analysis.reliability import chosen, growth, judged_origins, score_matrix
from stcollection.evaluation.measures import Measure, nDCG

_INKS = ((BLUE, "o"), (VERMILION, "s"), (GREEN, "^"), (ORANGE, "D"), (SKY, "v"), (BLACK, "P"), (DARK, "X"))
NO_FAMILY = "no family"
_GAP = 0.12  # inches between the entries of a key


class _Ink(NamedTuple):
    colour: str
    mark: str


def _inks(names: Sequence[str]) -> dict[str, _Ink]:
    """By name, in order; more names than inks begin anew; no family is grey."""
    known = [name for name in names if name != NO_FAMILY]
    inks = {name: _Ink(*_INKS[at % len(_INKS)]) for at, name in enumerate(known)}
    return inks | ({NO_FAMILY: _Ink(GREY, "o")} if NO_FAMILY in names else {})


@drawn
def scatter(
    conn: psycopg.Connection, *, edition: str, pair: tuple[str, str], measure: Measure = nDCG @ 10, runs: Sequence[str] = (),
    width: float | None = None,
) -> Figure:  # fmt: skip
    """Each system a point, by its mean over the queries of the first set (across) and of the second (up), marked by family.

    On the dashed diagonal the two means are equal; a line through all that lies below it says that the second set is harder, and
    tau how far both rank alike.

    :param pair: two sets, as :func:`~stcollection.analysis.reliability.reliability` names them. :param width: inches.
    :raises UnknownObject, BadArgument, StateError: as for :func:`~stcollection.analysis.reliability.reliability`.
    """
    a, b = pair
    grid = score_matrix(conn, edition=edition, measure=measure, runs=runs)
    of_a, of_b = (chosen(conn, edition=edition, which=which, grid=grid) for which in pair)
    x, y = (grid.scores[:, side].mean(axis=1) for side in (of_a, of_b))
    tau, tau_ap, pearson = (
        float(how(x[:, None], y[:, None])[0]) for how in (rankings.kendall_tau, rankings.tau_ap, rankings.pearson)
    )
    families = [name or NO_FAMILY for name in grid.families]
    inks = _inks(sorted(set(families), key=lambda name: (name == NO_FAMILY, name)))
    without = families.count(NO_FAMILY)
    wide = width if width is not None else COLUMN
    title = [
        f"{measure} on {edition}: {a} against {b}",
        f"Kendall's tau {_told(tau)}, tau_ap {_told(tau_ap)}, Pearson {_told(pearson)}",
        f"{len(grid.runs):,} systems, {_many(int(of_a.sum()))} against {int(of_b.sum()):,}",
        *([f"{without:,} of the systems {'has' if without == 1 else 'have'} no family"] if without else []),
    ]
    left, bottom = 0.62, 2 * LINE + EDGE + 0.06
    rows = _key_rows(list(inks), wide)
    side = max(0.5, wide - left - 0.14)
    sheet = Sheet(wide, bottom + side + 0.08 + LINE * len(rows), title)
    axes = sheet.axes(left, bottom, left + side, bottom + side)
    low, high = float(min(x.min(), y.min())), float(max(x.max(), y.max()))
    pad = 0.05 * (high - low) or 0.05
    axes.plot(
        [low - pad, high + pad], [low - pad, high + pad], color=GREY, linewidth=0.7, linestyle=(0, (4, 2)), zorder=1, gid="equal"
    )
    for at, (name, ink) in enumerate(inks.items()):
        of = [place for place, family in enumerate(families) if family == name]
        axes.plot(x[of], y[of], ink.mark, color=ink.colour, markersize=3.6, markeredgecolor="white", markeredgewidth=0.3, zorder=2,
                  linestyle="none", gid=f"family-{at}")  # fmt: skip
    axes.set_xlim(low - pad, high + pad)
    axes.set_ylim(low - pad, high + pad)
    axes.set_xlabel(fitted(f"{measure}, {a}", side))
    axes.set_ylabel(fitted(f"{measure}, {b}", side))
    _key(sheet, rows, inks, bottom + side + 0.08, line=False)
    return sheet.figure


@drawn
def curves(
    conn: psycopg.Connection, *, edition: str, of: Sequence[str] = (), against: str = "human", measure: Measure = nDCG @ 10,
    sizes: Sequence[int] = (), runs: Sequence[str] = (), draws: int = 1000, seed: int = 0, width: float | None = None,
) -> Figure:  # fmt: skip
    """Mean Kendall's tau by the number of queries drawn, a curve for each set drawn from; bands hold 95% of the draws.

    :param of: sets; none: each origin of the judged queries. :param width: inches. For the rest see
        :func:`~stcollection.analysis.reliability.growth`.
    """
    sets = list(dict.fromkeys(of)) or judged_origins(conn, edition=edition)
    found = {
        name: growth(
            conn, edition=edition, measure=measure, of=name, against=against, sizes=sizes, runs=runs, draws=draws, seed=seed
        )
        for name in sets
    }
    inks = _inks(sets)
    wide = width if width is not None else COLUMN
    held = [name for name, points in found.items() if any(one.shared for one in points)]
    title = [
        f"{measure} on {edition}: tau with {against}",
        f"mean of {_many(draws, 'draw')}; bands hold 95% of them",
        *([f"against those not drawn: {', '.join(held)}"] if held else []),
    ]
    left, bottom, high = 0.62, 2 * LINE + EDGE + 0.06, 2.1
    rows = _key_rows(sets, wide)
    sheet = Sheet(wide, bottom + high + 0.08 + LINE * len(rows), title)
    axes = sheet.axes(left, bottom, wide - 0.14, bottom + high)
    for at, (name, points) in enumerate(found.items()):
        told = [(row.size, row.tau, row.low, row.high) for row in points if row.tau is not None]
        if not told:
            continue
        size, tau, low, top = (list(column) for column in zip(*told, strict=True))
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
    _key(sheet, rows, inks, bottom + high + 0.08, line=True)
    return sheet.figure


def _told(value: float) -> str:
    return number(None if value != value else value)


def _many(count: int, what: str = "query") -> str:
    if what == "query":
        return f"{count:,} {'query' if count == 1 else 'queries'}"
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _key_rows(names: Sequence[str], wide: float) -> list[list[tuple[str, str, float]]]:
    """The names of a key in rows, each as it is shown and where it begins, in inches."""
    rows: list[list[tuple[str, str, float]]] = [[]]
    x = EDGE
    for name in names:
        shown = fitted(name, wide - 2 * EDGE - 0.2)
        long = 0.16 + extent(shown)
        if rows[-1] and x + long > wide - EDGE:
            rows.append([])
            x = EDGE
        rows[-1].append((name, shown, x))
        x += long + _GAP
    return rows


def _key(sheet: Sheet, rows: list[list[tuple[str, str, float]]], inks: dict[str, _Ink], base: float, *, line: bool) -> None:
    """The key over the axes, its first row on top. :param line: the marks stand on a stroke."""
    lines = needed("matplotlib.lines")
    for at, row in enumerate(reversed(rows)):
        y = base + at * LINE
        for name, shown, x in row:
            ink = inks[name]
            mark = lines.Line2D(
                [(x + 0.02) / sheet.width, (x + 0.11) / sheet.width] if line else [(x + 0.065) / sheet.width],
                [(y + 0.045) / sheet.height] * (2 if line else 1),
                color=ink.colour, marker=ink.mark, markersize=3.4, linewidth=1.0 if line else 0, markeredgewidth=0,
            )  # fmt: skip
            sheet.figure.add_artist(mark)
            sheet.text(x + 0.16, y, shown)

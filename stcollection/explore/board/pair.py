"""Two runs compared by query: how many queries moved how far, the queries themselves, and the documents of one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import psycopg

from stcollection.analysis.board import no_runs
from stcollection.analysis.drill import QueryScore, Retrieved, query_scores, retrieved, wins
from stcollection.analysis.paired import Floats
from stcollection.analysis.significance import RunComparison, compare_grids
from stcollection.errors import BadArgument, UnknownObject
from stcollection.evaluation.score import leaderboard
from stcollection.explore.board.marks import DifferenceBin, bins, digits, nice, within, written
from stcollection.explore.board.request import BoardState, address, count, number
from stcollection.explore.board.table import PAGE, interval_name
from stcollection.texts import later
from stcollection.web.words import t

DEPTHS = ("10", "20", "50")
MEAN = ""  # against the mean of all runs
ORDERS = {"": later("largest gain first"), "loss": later("largest loss first"), "query": later("by name")}
_HEIGHT, _WIDTH, _FOOT = 150, 640, 40  # of the histogram


class PairComparison(NamedTuple):
    """Two runs on the queries of an edition. :param tested: None for fewer than two queries.

    :param against: MEAN for the mean of all runs. :param rows: all queries, the largest gain first.
    :param documents: of the query ``on``, by run.
    """

    run: str
    against: str
    rows: list[QueryScore]
    tested: RunComparison | None
    on: QueryScore | None
    documents: dict[str, list[Retrieved]]
    depth: int


class BinMark(NamedTuple):
    """A bar of the histogram. :param kind: ``gain``, ``loss`` or ``tie``. :param href: shows its queries."""

    queries: int
    x: float
    y: float
    width: float
    height: float
    kind: str
    said: str
    href: str
    chosen: bool


class DifferenceHistogram(NamedTuple):
    """Differences by query, as bars of one width, ties in the middle. :param foot: height of the axis."""

    width: int
    height: int
    foot: int
    marks: list[BinMark]
    ticks: list[tuple[float, str]]


class DifferenceBar(NamedTuple):
    """The bar of a difference: left of the middle for a loss, in per cent of the width."""

    start: float
    width: float
    kind: str


class PairPage(NamedTuple):
    """What the page of a comparison shows. :param rows: of this page, with the bar of each."""

    other: str
    counts: list[tuple[int, str]]
    said: str
    histogram: DifferenceHistogram
    rows: list[tuple[QueryScore, DifferenceBar]]
    places: int
    matching: int
    start: int
    span: str | None
    orders: list[tuple[str, str, str]]


def pair_of(conn: psycopg.Connection, here: BoardState) -> tuple[str, str]:
    """Return the two runs to compare: those of the address; the best two if it names none.

    :raises BadArgument: a run is compared with itself. :raises StateError: no run is stored.
    """
    run, against, asked = here.given["pair"], here.given["against"], here.request
    if run and run == against:
        raise BadArgument(later("run {run!r} is compared with itself", run=run), hint=later("Choose another run."))
    if run:
        return run, against
    rows = leaderboard(conn, asked.edition, measures=[here.by], runs=asked.runs, queries=asked.queries)
    if not rows:
        raise no_runs()
    return rows[0].run, next((row.run for row in rows[1:]), MEAN)


def comparison(conn: psycopg.Connection, here: BoardState, *, on: str, depth: int) -> PairComparison:
    """Compare two runs. :param on: the query whose documents are returned; '' for none.

    :raises UnknownObject: a run, the edition, the measure, the set or the query does not exist.
    """
    (run, against), asked = pair_of(conn, here), here.request
    rows = query_scores(conn, run=run, against=against or run, edition=asked.edition, measure=str(here.by), queries=asked.queries)
    if against == MEAN:
        rows = against_all(rows)
    other = against or f"{run} "  # the mean has no name
    grid = {run: _values(row.value for row in rows), other: _values(row.value_against for row in rows)}
    test = replace(asked.paired, correction="none")
    [tested] = compare_grids([(str(here.by), grid)], baseline=other, test=test)
    chosen = next((row for row in rows if row.query == on), None)
    if on and chosen is None:
        raise UnknownObject(
            later("the edition {edition} has no judged query {query!r}", edition=asked.edition, query=on[:80]),
            hint=later("Choose one of the table."),
            sqlstate="IR103",
        )
    documents: dict[str, list[Retrieved]] = {}
    if chosen is not None:
        both = tuple(filter(None, (run, against)))
        found = retrieved(conn, runs=both, query=on, edition=asked.edition, depth=depth)
        documents = {name: [row for row in found if row.run == name] for name in both}
    return PairComparison(run, against, rows, tested if len(rows) > 1 else None, chosen, documents, depth)


def _values(values: Iterable[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def against_all(rows: Sequence[QueryScore]) -> list[QueryScore]:
    """Compare a run with the mean of all runs, largest gain first."""
    moved = [row._replace(value_against=row.mean, difference=round((row.value or 0.0) - row.mean, 12)) for row in rows]
    return sorted(moved, key=lambda row: (-(row.difference or 0.0), row.query))


def depth_of(given: Mapping[str, str]) -> int:
    """Return how many documents of each ranking are shown. :raises BadArgument: it is not one of DEPTHS."""
    depth = given["depth"] or DEPTHS[0]
    if depth not in DEPTHS:
        raise BadArgument(
            later("the number of ranks is {value!r}", value=depth[:80]), hint=later("Use one of {names}.", names=", ".join(DEPTHS))
        )
    return int(depth)


def pair_page(made: PairComparison, given: Mapping[str, str], *, alpha: float) -> PairPage:
    """Return what the address shows of a comparison. :raises BadArgument: a range or an order is wrong."""
    other = made.against or t("mean of all runs")
    kept = {"pair": made.run, "against": made.against, "depth": given["depth"]}
    low, high = (number(later("the range is {value!r}"), given[end], 0.0) for end in ("low", "high"))
    zoomed = bool(given["low"] or given["high"])
    rows = [row for row in made.rows if not zoomed or within(row.difference or 0.0, low, high)]
    if given["order"] not in ORDERS:
        raise BadArgument(
            later("the order is {value!r}", value=given["order"][:80]), hint=later("Use one of {names}.", names="loss, query")
        )
    if given["order"] == "loss":
        rows = rows[::-1]
    elif given["order"] == "query":
        rows = sorted(rows, key=lambda row: row.query)
    start = count(later("the first row is {value!r}"), given["start"], 0)
    won, tied, lost = wins(made.rows)
    losses = t("losses to the mean") if made.against == MEAN else t("losses to {run}", run=made.against)
    tested = made.tested
    places = digits([tested.high - tested.low]) if tested else 3
    largest = max((abs(row.difference or 0.0) for row in made.rows), default=0.0) or 1.0
    within_ = {"low": given["low"], "high": given["high"]}
    return PairPage(
        other=other,
        counts=[(won, t("wins of {run}", run=made.run)), (tied, t("ties")), (lost, losses)],
        said=_said(tested, places, alpha),
        histogram=histogram(bins([row.difference or 0.0 for row in made.rows]), given, kept, (low, high) if zoomed else None),
        rows=[(row, _move(row.difference or 0.0, largest)) for row in rows[start : start + PAGE]],
        places=places,
        matching=len(rows),
        start=start,
        span=_span(low, high) if zoomed else None,
        orders=[(name, t(title), address(given, "/compare", order=name, **kept, **within_)) for name, title in ORDERS.items()],
    )


def _said(tested: RunComparison | None, places: int, alpha: float) -> str:
    if tested is None:
        return t("One query: no test is possible.")
    return t(
        "Mean difference {mean}, {interval} {low} to {high}; p {p}, one test, not corrected.",
        mean=written(tested.difference, places, sign=True),
        interval=interval_name(alpha),
        low=written(tested.low, places, sign=True),
        high=written(tested.high, places, sign=True),
        p=p_value(tested.p),
    )


def p_value(p: float) -> str:
    """Return p as a text."""
    return "–" if p != p else "< .001" if p < 0.001 else f"= {p:.3f}"


def _span(low: float, high: float) -> str:
    return t("ties") if low == high == 0 else t("differences from {low:g} to {high:g}", low=low, high=high)


def _move(difference: float, largest: float) -> DifferenceBar:
    width = round(50 * abs(difference) / largest, 2)
    kind = "gain" if difference > 0 else "loss" if difference < 0 else "tie"
    return DifferenceBar(50.0 if difference > 0 else round(50 - width, 2), width, kind)


def histogram(
    counted: Sequence[DifferenceBin], given: Mapping[str, str], kept: Mapping[str, str], chosen: tuple[float, float] | None
) -> DifferenceHistogram:
    """Return the bars of a histogram, all of one width, ties in the middle. :param chosen: range that is zoomed in."""
    wide, most = _WIDTH / len(counted), max(bar.queries for bar in counted)
    marks = []
    for at, bar in enumerate(counted):
        height = round(_HEIGHT * bar.queries / most, 1) if most else 0.0
        kind = "tie" if bar.low == bar.high else "gain" if bar.low >= 0 else "loss"
        said = t("{span}: {count:,}", span=_span(bar.low, bar.high), count=bar.queries)
        href = address(given, "/compare", low=f"{bar.low:g}", high=f"{bar.high:g}", **kept)
        x, y, width = round(at * wide + 1, 1), round(_HEIGHT - height, 1), round(wide - 2, 1)
        marks.append(BinMark(bar.queries, x, y, width, height, kind, said, href, chosen == (bar.low, bar.high)))
    step = max(1, round(nice(len(counted) / 2 / 5)))
    middle = len(counted) // 2
    ticks = [(round((middle + 0.5) * wide, 1), "0")]
    for place in range(step, middle + 1, step):
        bar = counted[middle + place]
        ticks += [(round((middle + place + 1) * wide, 1), f"{bar.high:+g}"), (round((middle - place) * wide, 1), f"{-bar.high:+g}")]
    return DifferenceHistogram(_WIDTH, _HEIGHT, _FOOT, marks, ticks)

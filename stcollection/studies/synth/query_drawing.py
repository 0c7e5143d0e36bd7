"""A figure of queries: their lengths, and how many of their words relevant documents have, by origin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from stcollection.counts import counted
from stcollection.plots.canvas import (
    BLUE,
    DARK,
    EDGE,
    GREEN,
    GREY,
    LINE,
    ORANGE,
    PALE,
    VERMILION,
    Axes,
    Figure,
    TitledFigure,
    extent,
    needed,
    styled,
)
from stcollection.plots.table import Parts, table

_WIDE = 4.4  # inches
_BEYOND = 0.995  # share of each histogram that its axis covers at least
_COLOURS = (BLUE, VERMILION, GREEN, ORANGE)  # of origins after the first; they repeat
Counts = Mapping[int, int]


@dataclass(frozen=True, kw_only=True)
class QueryHistograms:
    """The judged queries of an edition, by origin.

    :param field: text of the documents in which words are looked up.
    :param lengths: number of queries by number of words, for each origin; human queries first.
    :param in_documents: number of relevant pairs by number of query words in the document.
    """

    edition: str
    field: str
    lengths: Mapping[str, Counts]
    in_documents: Mapping[str, Counts]
    simulated: str | None = None


@styled
def draw_queries(data: QueryHistograms, *, width: float | None = None) -> Figure:
    """Draw two histograms of shares, an outline per origin; the first origin is filled.

    :param width: inches.
    """
    queries, pairs = (sum(sum(counts.values()) for counts in part.values()) for part in (data.lengths, data.in_documents))
    title = [
        f"queries of {data.edition}, by origin",
        f"{counted(queries, 'query')}; {counted(pairs, 'relevant pair')} (words found in the {data.field})",
    ]
    origins = list(data.lengths)
    sheet = TitledFigure(width if width is not None else _WIDE, 1.95 + LINE, title, note=data.simulated)
    grid = sheet.subplots(1, 2)
    tops = []
    for at, (name, histograms) in enumerate((("words of the query", data.lengths), ("words found", data.in_documents))):
        axes = sheet.figure.add_subplot(grid[at])
        tops.append((axes, _outlines(axes, histograms, origins, at)))
        axes.set_xlabel(name)
        axes.set_ylabel("share of queries" if at == 0 else "share of pairs")
    for axes, top in tops:
        axes.set_ylim(0, 1.08 * (top or 1))
        axes.yaxis.set_major_locator(needed("matplotlib.ticker").MaxNLocator(4))
        axes.yaxis.set_major_formatter(needed("matplotlib.ticker").PercentFormatter(1, decimals=0))
    x = EDGE
    for at, origin in enumerate(origins):
        sheet.text(x, sheet.top - LINE, origin, color=_colour(at))
        x += extent(origin) + 0.16
    return sheet.laid_out(top=sheet.top - LINE - EDGE)


def _colour(at: int) -> str:
    return DARK if at == 0 else _COLOURS[(at - 1) % len(_COLOURS)]


def _outlines(axes: Axes, histograms: Mapping[str, Counts], origins: list[str], panel: int) -> float:
    """Draw the shares of each origin; return the largest share."""
    end = max((_end(counts) for counts in histograms.values()), default=1)
    top = 0.0
    for at, origin in enumerate(origins):
        counts = histograms.get(origin, {})
        total = sum(counts.values())
        if not total:
            continue
        shares = np.array([counts.get(words, 0) / total for words in range(end + 1)])
        look = {"fill": True, "facecolor": PALE, "edgecolor": GREY} if at == 0 else {"color": _colour(at)}
        axes.stairs(shares, np.arange(end + 2) - 0.5, linewidth=1.0, gid=f"origin-{at}-{panel}", **look)
        top = max(top, float(shares.max()))
    axes.set_xlim(-0.8, end + 0.8)
    axes.xaxis.set_major_locator(needed("matplotlib.ticker").MaxNLocator(5, integer=True))
    return top


def _end(counts: Counts) -> int:
    """Return the number of words up to which a histogram has _BEYOND of its total."""
    words = sorted(counts)
    sums = np.cumsum([counts[word] for word in words])
    return words[int(np.searchsorted(sums, _BEYOND * sums[-1]))]


@table.register
def _(record: QueryHistograms) -> Parts:
    parts = (("length", record.lengths), ("found", record.in_documents))
    rows = ((origin, what, words, n) for what, part in parts for origin, counts in part.items() for words, n in counts.items())
    return ("origin", "what", "words", "count"), rows

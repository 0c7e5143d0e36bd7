"""Draw the lengths of judged queries, and how many of their words relevant documents have, by origin of the queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import psycopg

from stcollection.counts import counted
from stcollection.db.simulated import note_simulated
from stcollection.declared import Option, declare
from stcollection.errors import StateError, translate
from stcollection.evaluation.parameters import EditionArgument, Grade, QueriesOption, set_of
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
    Width,
    extent,
    needed,
    styled,
)
from stcollection.plots.table import Parts, table
from stcollection.topics.sets import ALL, titled

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


@note_simulated("edition")
@translate()
def query_histograms(
    conn: psycopg.Connection, edition: str, *, field: str = "abstract", level: int = 1, queries: str = ALL
) -> QueryHistograms:
    """Return the distributions of the queries that an edition judges (synth/sql/query_histograms.sql).

    :param field: text of the documents: ``abstract``, or ``content`` for title and abstract.
    :param level: the lowest grade that counts as relevant.
    :param queries: a set of queries (:func:`~stcollection.topics.sets.members`).
    :raises UnknownObject: the edition, the field or the set does not exist.
    :raises StateError: no judged query has a text.
    """
    rows = conn.execute("SELECT * FROM stc.query_histograms(%s, %s, %s, %s)", [edition, field, level, queries]).fetchall()
    parts: dict[str, dict[str, dict[int, int]]] = {"length": {}, "found": {}}
    for origin, what, words, count in rows:
        parts[what].setdefault(origin, {})[words] = count
    if not parts["length"]:
        raise StateError(
            f"{edition!r} judges no query with a text", hint="Load the queries with 'stc load --as topics'.", sqlstate="IR405"
        )
    return QueryHistograms(
        edition=titled(edition, queries),
        field=field,
        lengths=parts["length"],
        in_documents=parts["found"],
    )


@declare
def plot_queries(
    conn: psycopg.Connection,
    edition: EditionArgument,
    *,
    field: Literal["abstract", "content"] = "abstract",
    level: Annotated[int, Grade, Option("-l", "--min-grade")] = 1,
    query_set: QueriesOption = ALL,
    width: Width = None,
) -> Figure:
    """Plot the lengths of EDITION's queries, and how many of their words the relevant documents have, by origin of the queries.

    Words are counted without stopping or stemming, as for 'stc synth select'.

    :param field: Text of the documents in which query words are looked up; content is title and abstract.
    :param level: Lowest grade that counts as relevant. Gains do not change.
    """
    return draw_queries(query_histograms(conn, edition, field=field, level=level, queries=set_of(query_set)), width=width)

"""Draw how many documents of the corpus cover each topic of a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import psycopg

from stcollection.counts import counted
from stcollection.declared import Option, declare
from stcollection.errors import StateError
from stcollection.plots.canvas import (
    BLUE,
    COLUMN,
    DARK,
    EDGE,
    GREY,
    LINE,
    PALE,
    VERMILION,
    Figure,
    TitledFigure,
    Width,
    fitted,
    labels_of,
    needed,
    styled,
    widest,
)
from stcollection.plots.table import Parts, table
from stcollection.studies.coverage.records import Coverage, Kind
from stcollection.studies.coverage.store import load_coverage

_ROW, _LABEL = 0.17, 2.6  # inches: per topic, of its words at most
_WIDE = 50  # ratio of counts from which the axis is logarithmic
_COLOURS = {"frequent": BLUE, "rare": VERMILION, "": GREY}


class TopicCount(NamedTuple):
    """A topic. :param words: joined by commas. :param documents: number of documents of the corpus with all words.

    :param mark: ``frequent``, ``rare`` or ''.
    """

    words: str
    documents: int
    mark: str


@dataclass(frozen=True, kw_only=True)
class TopicCounts:
    """The topics of a text, the highest count first. :param kind: how they were found: lda, itemset or concept."""

    coverage: str
    text: str
    kind: str
    abstracts: int
    topics: list[TopicCount]


@table.register
def _(record: TopicCounts) -> Parts:
    return TopicCount._fields, record.topics


@styled
def draw_coverage(data: TopicCounts, *, width: float | None = None) -> Figure:
    """Draw the number of documents on each topic as a dot; frequent topics are blue, rare ones vermilion.

    The axis is logarithmic if the counts differ widely. A topic that no document covers is a hollow dot at the left end then.

    :param width: inches.
    """
    topics = data.topics
    labels = labels_of((topic.words for topic in topics), _LABEL)
    counts = [f"{topic.documents:,}" for topic in topics]
    left, right = widest(labels) + 3 * EDGE, widest(counts) + 2 * EDGE
    wide = width if width is not None else max(COLUMN, left + right + 1.6)
    marks = {name: sum(topic.mark == name for topic in topics) for name in ("frequent", "rare")}
    title = [
        f"{data.coverage}: {counted(len(topics), 'topic')} ({data.kind}) of {counted(data.abstracts, 'abstract')}",
        fitted(data.text, wide - 2 * EDGE),
        *([f"{marks['frequent']:,} frequent (blue), {marks['rare']:,} rare (vermilion)"] if any(marks.values()) else []),
    ]
    bottom = 2 * LINE + 0.14
    top = bottom + _ROW * len(topics)
    sheet = TitledFigure(wide, top + EDGE, title)
    axes = sheet.axes(left, bottom, wide - right, top)
    least, most = max(1, min(topic.documents for topic in topics)), max(1, *(topic.documents for topic in topics))
    logarithmic = most > _WIDE * least
    start = 10 ** (len(str(least)) - 1) / 1.5 if logarithmic else 0.0
    for at, topic in enumerate(topics):
        colour, place = _COLOURS[topic.mark], max(start, topic.documents)
        axes.hlines(at, start, place, color=PALE, linewidth=1.0, zorder=1)
        face = "white" if logarithmic and not topic.documents else colour
        axes.plot([place], [at], "o", color=colour, markerfacecolor=face, markersize=4, zorder=2, clip_on=False, gid=f"topic-{at}")
        sheet.text(wide - EDGE, top - _ROW * (at + 0.5), counts[at], ha="right", va="center_baseline", color=DARK)
    if logarithmic:
        axes.set_xscale("log")
        axes.xaxis.set_minor_locator(needed("matplotlib.ticker").NullLocator())
    else:
        axes.xaxis.set_major_locator(needed("matplotlib.ticker").MaxNLocator(4, integer=True))
    axes.xaxis.set_major_formatter(needed("matplotlib.ticker").FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set_xlim(start if logarithmic else -0.02 * most, most * (1.15 if logarithmic else 1.03))
    axes.set_ylim(len(topics) - 0.5, -0.5)
    axes.set_yticks(range(len(topics)), labels)
    axes.tick_params(axis="y", length=0, pad=6)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("documents with all words")
    return sheet.figure


def topic_counts(name: str, coverage: Coverage, kind: Kind) -> TopicCounts:
    """Return the topics of a kind, with their marks, as a record to draw. :raises StateError: the coverage has none."""
    topics = coverage.marked(kind)
    if not topics:
        hint = f"Compute it with a lower --support: 'stc coverage compute {name}'."
        raise StateError(f"the coverage {name!r} has no topic of the kind {kind}", hint=hint, sqlstate="IR405")
    return TopicCounts(
        coverage=name,
        text=coverage.text,
        kind=kind,
        abstracts=len(coverage.docs),
        topics=[TopicCount(", ".join(topic.words), topic.count, mark) for topic, mark in topics],
    )


@declare
def plot_coverage(
    conn: psycopg.Connection, name: Annotated[str, Option("NAME")], *, kind: Kind = "lda", width: Width = None
) -> Figure:
    """Plot how many documents of the corpus cover each topic of the stored coverage NAME, frequent and rare topics marked.

    'stc coverage compute' stores a coverage under the name of its query.

    :param kind: Kind of topics.
    :raises UnknownObject: the coverage does not exist.
    :raises StateError: it has no topic of the kind.
    """
    return draw_coverage(topic_counts(name, load_coverage(conn, name), kind), width=width)

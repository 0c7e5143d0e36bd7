"""Figures of the collection over time: documents by year, and the editions with their topics, queries and judgments."""

from __future__ import annotations

import numpy as np

from stcollection.analysis.collection_records import CollectionHistory, DocumentYears, EditionHistory
from stcollection.counts import counted
from stcollection.plots.canvas import (
    BLUE,
    COLUMN,
    DARK,
    EDGE,
    GREY,
    LINE,
    PAGE,
    PALE,
    SKY,
    Figure,
    TitledFigure,
    extent,
    labels_of,
    needed,
    styled,
    widest,
)

_ROW, _LABEL, _BETWEEN = 0.22, 1.8, 0.15  # inches: per edition, of its label at most, between panels


@styled
def draw_years(data: DocumentYears, *, width: float | None = None) -> Figure:
    """Draw the number of documents by year, and the part of them with an abstract. Years without documents stay empty.

    :param width: inches.
    """
    first, last = data.years[0].year, data.years[-1].year
    counts = np.zeros((2, last - first + 1))
    for year in data.years:
        counts[:, year.year - first] = year.documents, year.abstracts
    documents, abstracts = (int(total) for total in counts.sum(axis=1))
    title = [
        "documents by year",
        f"{counted(documents, 'document')}, {abstracts:,} with an abstract (dark)",
        *(
            [f"without {counted(data.without, 'document')} that {'has' if data.without == 1 else 'have'} no year"]
            if data.without
            else []
        ),
    ]
    sheet = TitledFigure(width if width is not None else COLUMN, 2.0, title)
    axes = sheet.figure.add_subplot(sheet.subplots()[0])
    edges = np.arange(first, last + 2) - 0.5
    axes.stairs(counts[0], edges, fill=True, color=SKY, linewidth=0, gid="documents")
    axes.stairs(counts[1], edges, fill=True, color=BLUE, linewidth=0, gid="abstracts")
    spare = max(0.0, (6 - counts.shape[1]) / 2)  # keep a single year from filling the width
    axes.set_xlim(edges[0] - spare - 0.3, edges[-1] + spare + 0.3)
    axes.set_ylim(0, 1.05 * counts[0].max())
    ticker = needed("matplotlib.ticker")
    axes.xaxis.set_major_locator(ticker.MaxNLocator(6, integer=True))
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:.0f}"))
    axes.yaxis.set_major_locator(ticker.MaxNLocator(4, integer=True))
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set_xlabel("year")
    axes.set_ylabel("documents")
    return sheet.laid_out()


@styled
def draw_history(data: CollectionHistory, *, width: float | None = None) -> Figure:
    """Draw the topics, queries and judgments of each edition, oldest on top; judgments that people did not give are pale.

    :param width: inches.
    """
    rows = data.editions
    labels = labels_of((_label(edition) for edition in rows), _LABEL)
    panels = (
        ("topics", [edition.topics for edition in rows]),
        ("queries", [edition.queries for edition in rows]),
        ("judgments", [edition.judgments for edition in rows]),
    )
    left = widest(labels) + 2 * EDGE
    wide = width if width is not None else min(PAGE, left + 4.2)
    people = sum(edition.by_people for edition in rows) < sum(edition.judgments for edition in rows)
    title = [
        f"{counted(len(rows), 'edition')}, oldest first",
        *(["judgments of people are dark, those of models and neighbours are pale"] if people else []),
    ]
    top = _ROW * len(rows) + EDGE
    sheet = TitledFigure(wide, top + LINE + EDGE, title, note=data.simulated)
    room = [max(widest(f"{count:,}" for count in counts), extent(name) - 0.4) + EDGE for name, counts in panels]
    each = (wide - left - sum(room) - _BETWEEN * (len(panels) - 1) - EDGE) / len(panels)
    places = np.arange(len(rows))
    x = left
    for (name, counts), beside in zip(panels, room, strict=True):
        axes = sheet.axes(x, EDGE, x + each, top)
        longest = max(*counts, 1)
        axes.barh(places, counts, height=0.66, color=SKY if name == "judgments" else GREY, gid=name)
        if name == "judgments":
            axes.barh(places, [edition.by_people for edition in rows], height=0.66, color=BLUE, gid="by-people")
        for place, count in zip(places, counts, strict=True):
            axes.annotate(f"{count:,}", (count, place), (3, 0), textcoords="offset points", va="center_baseline", color=DARK)
        axes.set_xlim(0, longest)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.spines["bottom"].set_visible(False)
        axes.spines["left"].set_color(PALE)
        axes.set_xticks([])
        axes.set_yticks(places, labels if x == left else [""] * len(rows))
        axes.tick_params(axis="y", length=0)
        sheet.text(x, top + EDGE, name, color=DARK)
        x += each + beside + _BETWEEN
    return sheet.figure


def _label(edition: EditionHistory) -> str:
    return edition.edition if edition.year is None else f"{edition.year} {edition.edition}"

"""The leaderboard as a sortable table, and the legend of its marks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from shiny import ui

from stcollection.analysis.board_text import note
from stcollection.analysis.marks import BETTER, WORSE, MarkedMean, MarkedRun
from stcollection.evaluation.readability import Readability
from stcollection.explore.board.asking import Board

_READABLE = (
    ("refs", "references", 2), ("vocabulary", "different words", 1), ("long_ratio", "long words", 4),
    ("complex_ratio", "complex words", 4), ("fkgl", "FKGL", 2), ("fkgl_median", "FKGL median", 2), ("citations", "citations", 1),
    ("citation_percentile", "citation percentile", 1),
)  # fmt: skip


class Column(NamedTuple):
    """One column of the leaderboard.

    :param number: align right, and sort descending first.
    """

    title: str
    number: bool = True


class Field(NamedTuple):
    """A cell. :param shown: content. :param key: sort key; None sorts last in both directions."""

    shown: ui.TagChild
    key: float | str | None


def sortable(
    columns: Sequence[Column], rows: Sequence[Sequence[Field]], *, caption: str, name: int, sorted_by: int | None
) -> ui.Tag:
    """Draw a table with a sort button in each column heading.

    :param name: index of the column that names the row. :param sorted_by: index of the column by which rows are already sorted,
        largest first.
    """
    head = ui.tags.tr(*(_head(column, sorts=at == sorted_by) for at, column in enumerate(columns)))
    body = (
        ui.tags.tr(*(_cell(column, field, names=at == name) for at, (column, field) in enumerate(zip(columns, row, strict=True))))
        for row in rows
    )
    return ui.div(
        ui.tags.table(
            ui.tags.caption(caption), ui.tags.thead(head), ui.tags.tbody(*body), class_="table table-sm table-hover stc-sortable"
        ),
        class_="table-responsive",
        tabindex="0",
        role="region",
        aria_label=caption,
    )


def _head(column: Column, *, sorts: bool) -> ui.Tag:
    button = ui.tags.button(column.title, type="button", class_="stc-sort", data_number="yes" if column.number else "no")
    return ui.tags.th(
        button, scope="col", class_="text-end" if column.number else None, aria_sort="descending" if sorts else "none"
    )


def _cell(column: Column, field: Field, *, names: bool) -> ui.Tag:
    key = "" if field.key is None else str(field.key)
    kind = "text-end" if column.number else None
    return (
        ui.tags.th(field.shown, scope="row", data_key=key, class_=kind)
        if names
        else ui.tags.td(field.shown, data_key=key, class_=kind)
    )


def leaderboard(board: Board, *, digits: int = 4) -> ui.Tag:
    """Draw the leaderboard: run, mean of each measure with its marks, and readability if requested."""
    asked, lines = board.asked, board.marked.lines
    lettered = any(line.letter for line in lines)
    columns = [
        *([Column("letter", number=False)] if lettered else []), Column("run", number=False),
        *(Column(str(measure)) for measure in asked.measures),
        *(Column(title) for _, title, _ in _READABLE if board.readable),
    ]  # fmt: skip
    rows = [list(_row(line, board, lettered, digits)) for line in lines]
    return sortable(
        columns, rows, caption=f"Leaderboard of edition {asked.edition}", name=int(lettered), sorted_by=int(lettered) + 1
    )


def _row(line: MarkedRun, board: Board, lettered: bool, digits: int) -> Iterator[Field]:
    if lettered:
        yield Field(line.letter, line.letter)
    yield Field(line.run, line.run)
    for cell in line.cells:
        yield Field(_marked(cell, digits), None if math.isnan(cell.value) else cell.value)
    if board.readable:
        read = board.readable.get(line.run)
        for field, _, places in _READABLE:
            yield _read(read, field, places)


def _read(read: Readability | None, field: str, places: int) -> Field:
    value = None if read is None else getattr(read, field)
    return Field("–" if value is None else f"{value:.{places}f}", value)


def _marked(cell: MarkedMean, digits: int) -> ui.TagChild:
    if math.isnan(cell.value):
        return "–"
    value = f"{cell.value:.{digits}f}"
    shown = ui.tags.strong(value) if cell.best else ui.span(value)
    if not cell.mark:
        return shown
    said = {BETTER: "better than the baseline", WORSE: "worse than the baseline"}.get(cell.mark, f"beats {', '.join(cell.mark)}")
    hidden = ui.span(f", {said}", class_="visually-hidden")
    return ui.TagList(shown, ui.tags.sup(cell.mark, title=said, aria_hidden="true"), hidden)


def legend(board: Board) -> ui.Tag:
    """Explain the marks, in the same words as the command line, and what a missing mark does not mean."""
    asked, marked = board.asked, board.marked
    told = note(marked, test=asked.paired, baseline=asked.baseline, queries=asked.queries)
    said = [f"Marks: {told}. Bold: best mean.", "No mark: no significant difference was found; the runs may still differ."]
    if board.readable:
        measured, documents = (sum(getattr(one, name) for one in board.readable.values()) for name in ("measured", "documents"))
        said.append(
            f"Readability: means over the first 10 documents of all queries of {asked.edition}; the abstracts of"
            f" {measured:,} of {documents:,} documents are measured. FKGL is a grade level (years of school)."
        )
    return ui.tags.ul(*(ui.tags.li(one) for one in said), class_="stc-legend")

"""The leaderboard as a sortable table, and the legend of its marks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from shiny import ui

from stcollection.analysis.board import Board, Ranking
from stcollection.analysis.board_text import describe_marks
from stcollection.analysis.intervals import Interval
from stcollection.analysis.marks import BETTER, WORSE, MarkedMean
from stcollection.analysis.records import SystemScore
from stcollection.evaluation.readability import Readability
from stcollection.explore.markup import Html, el, join
from stcollection.texts import later
from stcollection.web.words import n, t

_READABLE = (
    ("refs", later("references"), 2), ("vocabulary", later("different words"), 1), ("long_ratio", later("long words"), 4),
    ("complex_ratio", later("complex words"), 4), ("fkgl", "FKGL", 2), ("fkgl_median", later("FKGL median"), 2),
    ("citations", later("citations"), 1), ("citation_percentile", later("citation percentile"), 1),
)  # fmt: skip


def interval_name(alpha: float) -> str:
    """Return the name of an interval of means, as :class:`Interval` has it."""
    return t("{level:.6g}% interval", level=100 * (1 - alpha))


class Column(NamedTuple):
    """One column of a sortable table.

    :param number: align right, and sort descending first. :param kind: CSS class of its cells.
    :param name: its name in the URL; '' is the title.
    """

    title: str
    number: bool = True
    kind: str | None = None
    name: str = ""


class Field(NamedTuple):
    """A cell. :param shown: content; text is escaped. :param key: sort key; None sorts last in both directions."""

    shown: Html | str
    key: float | str | None


def sortable(
    columns: Sequence[Column], rows: Sequence[Html], *, caption: str, sorted_by: int | None, kind: str = "stc-tall"
) -> ui.Tag:
    """Draw a table with a sort button in each column heading.

    :param rows: made by :func:`row`. :param sorted_by: index of the column by which rows are already sorted, largest first.
    :param kind: CSS class of the region that scrolls.
    """
    head = el("tr", *(_head(column, sorts=at == sorted_by) for at, column in enumerate(columns)))
    drawn = el(
        "table", el("caption", caption), el("thead", head), el("tbody", *rows), class_="table table-sm table-hover stc-sortable"
    )
    return ui.div(ui.HTML(drawn), class_=f"table-responsive {kind}", tabindex="0", role="region", aria_label=caption)


def row(columns: Sequence[Column], fields: Sequence[Field], *, name: int = 0, **attributes: str | None) -> Html:
    """Draw a row. :param name: index of the column that names it."""
    return el(
        "tr",
        *(_cell(column, one, names=at == name) for at, (column, one) in enumerate(zip(columns, fields, strict=True))),
        **attributes,
    )


def _classes(column: Column) -> str | None:
    return " ".join(filter(None, ("text-end" if column.number else None, column.kind))) or None


def _head(column: Column, *, sorts: bool) -> Html:
    button = el(
        "button",
        column.title,
        type="button",
        class_="stc-sort",
        data_number="yes" if column.number else "no",
        data_name=column.name or column.title,
    )
    return el("th", button, scope="col", class_=_classes(column), aria_sort="descending" if sorts else "none")


def _cell(column: Column, field: Field, *, names: bool) -> Html:
    key = "" if field.key is None else str(field.key)
    if names:
        return el("th", field.shown, scope="row", data_key=key, class_=_classes(column))
    return el("td", field.shown, data_key=key, class_=_classes(column))


def leaderboard(board: Board, ranking: Ranking, *, card: str, digits: int = 4) -> ui.Tag:
    """Draw the leaderboard: rank, run, group, interval, mean of each measure with its marks, and readability if requested.

    :param card: id of the input that receives the name of a selected run.
    """
    asked = board.asked
    lettered, grouped = any(line.letter for line in ranking.runs), bool(ranking.groups)
    columns = [
        Column(t("rank"), kind="stc-rank", name="rank"), Column(t("run"), number=False, kind="stc-run", name="run"),
        *([Column(t("rank interval"), kind="stc-ranks", name="ranks")] if ranking.spans else []),
        *([Column(t("group"), number=False, kind="stc-group", name="group")] if grouped else []),
        *([Column(interval_name(asked.alpha), kind="stc-bars", name=Interval(alpha=asked.alpha).name)] if ranking.scores else []),
        *(Column(str(measure)) for measure in asked.measures),
        *([Column(t("letter"), number=False, name="letter")] if lettered else []),
        *(Column(t(title), name=title) for _, title, _ in _READABLE if board.readable),
    ]  # fmt: skip
    bars = Bars.of(ranking)
    rows = []
    for line in ranking.runs:
        team, family = board.origins.get(line.run, (None, None))
        group = ranking.groups.get(line.run, "")
        fields = [
            _rank(ranking.ranks.get(line.run)),
            Field(_named(line.run, team, family, card), line.run),
            *([_span(ranking.spans.get(line.run))] if ranking.spans else []),
            *([Field(group, group or None)] if grouped else []),
            *([bars.field(line.run)] if ranking.scores else []),
            *(Field(_marked(cell, digits), None if math.isnan(cell.value) else cell.value) for cell in line.cells),
            *([Field(line.letter, line.letter)] if lettered else []),
            *(_read(board.readable.get(line.run), field, places) for field, _, places in _READABLE if board.readable),
        ]
        rows.append(row(columns, fields, name=1, data_run=line.run, data_team=team, data_family=family, data_group=group or None))
    at = 2 + int(bool(ranking.spans)) + int(grouped) + int(bool(ranking.scores)) + asked.measures.index(ranking.measure)
    return sortable(
        columns, rows, caption=t("Leaderboard of edition {edition}", edition=asked.edition), sorted_by=at, kind="stc-board"
    )


def _rank(rank: int | None) -> Field:
    return Field("–" if rank is None else str(rank), None if rank is None else -rank)  # 'largest first' is rank 1


def _span(span: tuple[int, int] | None) -> Field:
    """Return the first and last possible rank; sorting by it puts the runs that may be best first."""
    if span is None:
        return Field("–", None)
    first, last = span
    return Field(str(first) if first == last else f"{first}–{last}", -first - last / 1_000_000)


def _named(run: str, team: str | None, family: str | None, card: str) -> Html:
    button = el("button", run, type="button", class_="stc-open", data_input=card, data_value=run, aria_haspopup="dialog")
    about = " · ".join(filter(None, (team, family)))
    return join(button, el("span", about, class_="stc-about") if about else None)


class Bars(NamedTuple):
    """Bars of means with intervals, all on one scale. :param low, high: ends of the scale."""

    low: float
    high: float
    scores: dict[str, SystemScore]

    @classmethod
    def of(cls, ranking: Ranking) -> Bars:
        ends = [end for one in ranking.scores for end in (one.mean, one.low, one.high) if not math.isnan(end)]
        low, high = min([0.0, *ends]), max([0.0, *ends])
        return cls(low, high if high > low else low + 1, {one.run: one for one in ranking.scores})

    def field(self, run: str) -> Field:
        """Draw the bar of a run; its text is for screen readers and tooltips."""
        one = self.scores.get(run)
        if one is None:
            return Field("–", None)
        told = f"{one.mean:.4f}"
        if not math.isnan(one.low):
            told = t("{mean:.4f}, {low:.4f} to {high:.4f}", mean=one.mean, low=one.low, high=one.high)
        whisker = None if math.isnan(one.low) else el("span", class_="stc-whisker", style=self._span(one.low, one.high))
        bar = el("span", class_="stc-fill", style=self._span(min(0.0, one.mean), max(0.0, one.mean)))
        drawn = el("span", bar, whisker, class_="stc-bar", title=told, aria_hidden="true")
        return Field(join(drawn, el("span", told, class_="visually-hidden")), one.mean)

    def _span(self, start: float, end: float) -> str:
        wide = self.high - self.low
        return f"left:{100 * (start - self.low) / wide:.2f}%;width:{100 * (end - start) / wide:.2f}%"


def _read(read: Readability | None, field: str, places: int) -> Field:
    value = None if read is None else getattr(read, field)
    return Field("–" if value is None else f"{value:.{places}f}", value)


def _marked(cell: MarkedMean, digits: int) -> Html | str:
    if math.isnan(cell.value):
        return "–"
    shown = el("strong" if cell.best else "span", f"{cell.value:.{digits}f}")
    if not cell.mark:
        return shown
    signs = {BETTER: t("better than the baseline"), WORSE: t("worse than the baseline")}
    said = signs.get(cell.mark) or t("beats {runs}", runs=", ".join(cell.mark))
    return join(shown, el("sup", cell.mark, title=said, aria_hidden="true"), el("span", f", {said}", class_="visually-hidden"))


def legend(board: Board, ranking: Ranking) -> ui.Tag:
    """Explain the marks, in the same words as the command line, and what a missing mark does not mean."""
    asked, marked = board.asked, board.marked
    told = describe_marks(marked, test=asked.paired, baseline=asked.baseline, queries=asked.queries)
    said = [
        t("Marks: {marks}. Bold: best mean.", marks=told),
        t("No mark: no significant difference was found; the runs may still differ."),
    ]
    if ranking.groups:
        said.append(_rule(board, ranking))
    if ranking.spans:
        spans = t(
            "Rank interval: the ranks that a test of all pairs together allows each run, by a bootstrap over queries, whatever test"
            " marks the runs; all intervals are right together with confidence {level:.6g}%.",
            level=100 * (1 - asked.alpha),
        )
        said.append(spans)
    if ranking.scores:
        bars = t(
            "Bars: mean {measure}. Lines: {interval} of the mean over queries (Student's t).",
            measure=ranking.measure,
            interval=interval_name(asked.alpha),
        )
        said.append(bars)
    if board.readable:
        measured, documents = (sum(getattr(one, name) for one in board.readable.values()) for name in ("measured", "documents"))
        readable = n(
            "Readability: means over the first 10 documents of all queries of {edition}; the abstracts of"
            " {measured:,} of {count:,} document are measured. FKGL is a grade level (years of school).",
            "Readability: means over the first 10 documents of all queries of {edition}; the abstracts of"
            " {measured:,} of {count:,} documents are measured. FKGL is a grade level (years of school).",
            documents,
            edition=asked.edition,
            measured=measured,
        )
        said.append(readable)
    return ui.tags.ul(*(ui.tags.li(one) for one in said), class_="stc-legend")


def _rule(board: Board, ranking: Ranking) -> str:
    """Say how runs are grouped."""
    if board.asked.baseline is None:
        return t(
            "Group A: the best run by {measure}, and every run that it does not beat significantly in the tests above."
            " Group B: the same for the remaining runs, and so on. Runs of a group can still differ from each other.",
            measure=ranking.measure,
        )
    return t(
        "Group A: the best run by {measure}, and every run that it does not beat significantly in the same test, corrected"
        " for {count:,} comparisons with the best run.",
        measure=ranking.measure,
        count=len(ranking.ranks) - 1,
    )

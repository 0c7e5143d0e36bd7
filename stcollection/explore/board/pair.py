"""Comparison of two runs: the scores of each query, and the documents that each run retrieved."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from plotly.graph_objects import Figure
from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from stcollection.analysis.board import Board
from stcollection.analysis.drill import QueryScore, Retrieved, query_scores, retrieved, wins
from stcollection.analysis.intervals import Interval
from stcollection.errors import StcError
from stcollection.evaluation.measures import Measure
from stcollection.explore.board.figures import differences
from stcollection.explore.board.table import Column, Field, interval_name, row, sortable
from stcollection.explore.figures import figure, figure_output
from stcollection.explore.markup import Html, el
from stcollection.explore.pieces import tells
from stcollection.texts import later
from stcollection.web.desk import Desk
from stcollection.web.words import n, t, whole

_DEPTHS = ("10", "20", "50")
_ALONE = later("(mean of all runs)")
ALONE = ""


@module.ui
def tab() -> ui.Tag:
    return ui.div(
        ui.h2(t("Compare two runs"), id="stc-pair", tabindex="-1"),
        ui.div(
            ui.input_select("run", t("Run"), []),
            ui.input_select("other", t("Compare with"), []),
            class_="stc-controls",
        ),
        ui.output_ui("counts"),
        figure_output(
            "moves",
            label=t("Differences by query, largest gain first; the table below has the values and opens a query"),
            height="20rem",
            click="query",
        ),
        ui.output_ui("scores"),
        ui.div(ui.input_select("depth", t("Ranks to show"), list(_DEPTHS)), class_="stc-controls"),
        ui.div(ui.output_ui("lists"), aria_live="polite"),
    )


@dataclass(frozen=True)
class PairState:
    """What the reader selected, as the URL stores it.

    :param pair: run and run to compare with, ALONE for the mean of all runs; None: the best two.
    :param query: whose documents are shown.
    """

    pair: reactive.Value[tuple[str, str] | None]
    query: reactive.Value[str | None]

    def restore(self, place: Mapping[str, str]) -> None:
        """Take the state from parameters of a URL."""
        self.pair.set((place["pair"], place.get("against", ALONE)) if "pair" in place else None)
        self.query.set(place.get("on"))

    def parameters(self) -> dict[str, str | None]:
        """Return parameters of the URL."""
        pair = self.pair()
        return {"pair": pair[0] if pair else None, "against": (pair[1] or None) if pair else None, "on": self.query()}


def pair_of(runs: Sequence[str], wanted: tuple[str, str] | None) -> tuple[str, str]:
    """Return the two runs to compare: the wanted ones if they are there, else the best.

    :param runs: best first, at least one.
    """
    run = wanted[0] if wanted and wanted[0] in runs else runs[0]
    rest = [one for one in runs if one != run]
    if wanted and wanted[0] == run and (wanted[1] in rest or wanted[1] == ALONE):
        return run, wanted[1]
    return run, next(iter(rest), ALONE)


@module.server
def serve(
    input: Inputs,  # noqa: A002
    output: Outputs,
    session: Session,
    desk: Desk,
    *,
    result: Callable[[], Board],
    measure: Callable[[], Measure],
    state: PairState,
) -> None:
    def names() -> list[str]:
        return [line.run for line in result().marked.lines]

    offered: list[str] = []

    @reactive.effect
    def offer() -> None:
        """Offer the runs of the leaderboard, and select the two of the state, unless the reader has just selected them."""
        runs = names()
        pair = pair_of(runs, state.pair())
        with reactive.isolate():
            if runs == offered and (input.run(), input.other()) == pair:
                return
        offered[:] = runs
        ui.update_select("run", choices=runs, selected=pair[0], session=session)
        ui.update_select("other", choices={ALONE: t(_ALONE)} | {one: one for one in runs}, selected=pair[1], session=session)

    @reactive.effect
    @reactive.event(input.run, input.other)
    def choose() -> None:
        runs = names()
        if input.run() in runs and (input.run(), input.other()) != pair_of(runs, state.pair()):
            state.pair.set(pair_of(runs, (input.run(), input.other())))

    @reactive.effect
    @reactive.event(input.query)
    def pick() -> None:
        state.query.set(str(input.query()))

    def runs() -> tuple[str, str]:
        """Return the two runs; the first one twice if it is compared with the mean of all runs."""
        run, other = pair_of(names(), state.pair())
        return run, run if other == ALONE else other

    @reactive.calc
    async def found() -> list[QueryScore]:
        (run, against), asked = runs(), result().asked
        rows = await desk.ask(
            query_scores, run=run, against=against, edition=asked.edition, measure=measure(), queries=asked.queries
        )
        return rows if run != against else against_all(rows)

    @figure
    async def moves() -> Figure | None:
        run, against = runs()
        try:
            return differences(await found(), run=run, against=against if run != against else t("mean"), measure=str(measure()))
        except StcError:  # 'scores' reports it
            return None

    @render.ui
    @tells
    async def counts() -> ui.Tag:
        (run, against), asked = runs(), result().asked
        return _counts(await found(), run, against if run != against else None, Interval(alpha=asked.alpha))

    @render.ui
    @tells
    async def scores() -> ui.Tag:
        run, against = runs()
        rows = await found()
        other = against if run != against else t("mean")
        return _scores(rows, run=run, against=other, pick=session.ns("query"), picked=state.query())

    @render.ui
    @tells
    async def lists() -> ui.TagChild:
        query, (run, against) = state.query(), runs()
        rows = {row.query: row for row in await found()}
        if query is None or query not in rows:
            return ui.p(t("Select a query in the figure or the table to see the documents retrieved for it."))
        depth = int(input.depth()) if input.depth() in _DEPTHS else int(_DEPTHS[0])
        both = tuple(dict.fromkeys((run, against)))
        documents = await desk.ask(retrieved, runs=both, query=query, edition=result().asked.edition, depth=depth)
        return _lists(documents, both, query=rows[query], depth=depth)


def against_all(rows: Sequence[QueryScore]) -> list[QueryScore]:
    """Compare a run with the mean of all runs, largest gain first."""
    moved = [row._replace(value_against=row.mean, difference=round((row.value or 0.0) - row.mean, 12)) for row in rows]
    return sorted(moved, key=lambda row: (-(row.difference or 0.0), row.query))


def _counts(rows: Sequence[QueryScore], run: str, against: str | None, interval: Interval) -> ui.Tag:
    """Say how many queries were won and lost, and the mean difference with its interval. :param against: None for the mean."""
    won, tied, lost = wins(rows)
    moves = np.array([row.difference for row in rows if row.difference is not None], dtype=np.float64)
    low, high = (float(end[0]) for end in interval.of(moves[:, None])) if len(moves) > 1 else (math.nan, math.nan)
    mean = f"{moves.mean():+.4f}" if len(moves) else "–"
    told = t("Mean difference {mean}.", mean=mean)
    if not math.isnan(low):
        told = t(
            "Mean difference {mean}, {interval} {low:+.4f} to {high:+.4f} (not corrected).",
            mean=mean,
            interval=interval_name(interval.alpha),
            low=low,
            high=high,
        )
    losses = t("losses to the mean") if against is None else t("losses to {run}", run=against)
    parts = [(won, t("wins of {run}", run=run)), (tied, t("ties")), (lost, losses)]
    return ui.div(
        ui.tags.ul(*(ui.tags.li(ui.strong(whole(count)), f" {what}") for count, what in parts), class_="stc-counts list-unstyled"),
        ui.p(told),
    )


def _scores(rows: Sequence[QueryScore], *, run: str, against: str, pick: str, picked: str | None) -> ui.Tag:
    columns = [
        Column(t("query"), number=False), Column(t("text"), number=False, kind="stc-text"), Column(run), Column(against),
        Column(t("difference")), Column(t("mean of all runs")),
    ]  # fmt: skip

    def button(query: str) -> Html:
        pressed = "true" if query == picked else "false"
        return el("button", query, type="button", class_="stc-pick", data_input=pick, data_value=query, aria_pressed=pressed)

    def number(value: float | None, *, sign: str = "") -> Field:
        return Field("–" if value is None else f"{value:{sign}.4f}", value)

    fields = [
        row(
            columns,
            [
                Field(button(one.query), one.query),
                Field(one.text or "", one.text or ""),
                number(one.value),
                number(one.value_against),
                number(one.difference, sign="+"),
                number(one.mean),
            ],
        )
        for one in rows
    ]
    won, tied, lost = wins(rows)
    caption = n(
        "{run} against {other}: better on {won}, worse on {lost}, equal on {count} query",
        "{run} against {other}: better on {won}, worse on {lost}, equal on {count} queries",
        tied,
        run=run,
        other=against,
        won=won,
        lost=lost,
    )
    return sortable(columns, fields, caption=caption, sorted_by=4)


def _lists(documents: Sequence[Retrieved], runs: Sequence[str], *, query: QueryScore, depth: int) -> ui.Tag:
    by_run = {run: list(of_run) for run, of_run in groupby(documents, key=lambda one: one.run)}
    return ui.div(
        ui.h3(f"{query.query}: {query.text}" if query.text else query.query),
        ui.p(
            n(
                "Orange bar: not the first document of the other run.",
                "Orange bar: not in the first {count} documents of the other run.",
                depth,
            ),
            class_="small",
        )
        if len(runs) > 1
        else None,
        ui.div(*(_list(run, by_run.get(run, []), depth, several=len(runs) > 1) for run in runs), class_="stc-pair"),
    )


def _list(run: str, documents: Sequence[Retrieved], depth: int, *, several: bool) -> ui.Tag:
    if not documents:
        return ui.div(ui.h4(run), ui.p(t("No documents retrieved for this query.")))
    relevant = sum((one.rel or 0) > 0 for one in documents)
    judged = sum(one.rel is not None for one in documents)
    told = n(
        "{count} document to rank {depth}, {judged} judged, {relevant} relevant (grade 1 or higher)",
        "{count} documents to rank {depth}, {judged} judged, {relevant} relevant (grade 1 or higher)",
        len(documents),
        depth=depth,
        judged=judged,
        relevant=relevant,
    )
    return ui.div(
        ui.h4(run),
        ui.p(told, class_="small"),
        ui.tags.ol(*(_document(one, depth=depth, several=several) for one in documents), class_="stc-ranked"),
    )


def _document(one: Retrieved, *, depth: int, several: bool) -> ui.Tag:
    """Draw a document, highlighted if the other run does not rank it within the depth."""
    grade = t("not judged") if one.rel is None else t("grade {grade}", grade=one.rel)
    kind = "none" if one.rel is None else str(max(0, min(one.rel, 2)))
    lacks = several and (one.elsewhere is None or one.elsewhere > depth)
    there = None
    if several:
        there = t("only in this run") if one.elsewhere is None else t("rank {rank} in the other run", rank=one.elsewhere)
    return ui.tags.li(
        ui.span(grade, class_=f"stc-grade stc-grade-{kind}"),
        " ",
        ui.span(there, class_="stc-alone" if lacks else "stc-there") if there else None,
        " ",
        ui.span(one.title or t("(no title)")),
        " ",
        ui.tags.code(one.docno),
        value=str(one.rank),
        class_="stc-only" if lacks else None,
    )

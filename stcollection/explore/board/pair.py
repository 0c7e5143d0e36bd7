"""Comparison of two runs: the scores of each query, and the documents that each run retrieved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from plotly.graph_objects import Figure
from shiny import Inputs, Outputs, Session, module, reactive, render, req, ui

from stcollection.analysis.drill import QueryScore, Retrieved, query_scores, retrieved
from stcollection.errors import StcError
from stcollection.evaluation.measures import Measure
from stcollection.explore.board.asking import Board
from stcollection.explore.board.figures import differences
from stcollection.explore.board.table import Column, Field, sortable
from stcollection.explore.desk import Desk
from stcollection.explore.figures import figure, figure_output
from stcollection.explore.pieces import tells

_DEPTHS = ("10", "20", "50")
_ALONE = "(mean of all runs)"


@module.ui
def tab() -> ui.Tag:
    return ui.div(
        ui.h2("Compare two runs"),
        ui.div(
            ui.input_select("run", "Run", []),
            ui.input_select("other", "Compare with", []),
            ui.input_select("measure", "Measure", []),
            class_="stc-controls",
        ),
        figure_output("moves", label="Differences by query, largest gain first; see the table below for values", height="20rem"),
        ui.output_ui("scores"),
        ui.div(ui.input_select("depth", "Ranks to show", list(_DEPTHS)), class_="stc-controls"),
        ui.div(ui.output_ui("lists"), aria_live="polite"),
    )


@module.server
def serve(input: Inputs, output: Outputs, session: Session, desk: Desk, result: Callable[[], Board]) -> None:  # noqa: A002
    picked: reactive.Value[str | None] = reactive.Value(None, name="picked")

    @reactive.effect
    def offer() -> None:
        """Offer the runs of the leaderboard; keep the current choice if possible, else select the best two."""
        done = result()
        runs, measures = [line.run for line in done.marked.lines], [str(one) for one in done.asked.measures]
        with reactive.isolate():
            run, other, measure = input.run(), input.other(), input.measure()
        run = run if run in runs else runs[0]
        rest = [one for one in runs if one != run]
        ui.update_select("run", choices=runs, selected=run, session=session)
        usual = next(iter(rest), "")
        ui.update_select(
            "other", choices={"": _ALONE} | {one: one for one in runs}, selected=other if other in rest else usual, session=session
        )
        ui.update_select("measure", choices=measures, selected=measure if measure in measures else measures[0], session=session)

    @reactive.effect
    @reactive.event(input.query)
    def pick() -> None:
        picked.set(str(input.query()))

    def runs() -> tuple[str, str]:
        """Return the two runs; the first one twice if it is compared with the mean of all runs."""
        there = {line.run for line in result().marked.lines}
        req(input.run() in there)
        return input.run(), input.other() if input.other() in there else input.run()

    def measure() -> Measure:
        named = {str(one): one for one in result().asked.measures}
        req(input.measure() in named)
        return named[input.measure()]

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
            return differences(await found(), run=run, against=against if run != against else "mean", measure=str(measure()))
        except StcError:  # 'scores' reports it
            return None

    @render.ui
    @tells
    async def scores() -> ui.Tag:
        run, against = runs()
        rows = await found()
        return _scores(rows, run=run, against=against if run != against else "mean", pick=session.ns("query"))

    @render.ui
    @tells
    async def lists() -> ui.TagChild:
        query, (run, against) = picked(), runs()
        rows = {row.query: row for row in await found()}
        if query is None or query not in rows:
            return ui.p("Select a query in the table to see the documents retrieved for it.")
        depth = int(input.depth()) if input.depth() in _DEPTHS else int(_DEPTHS[0])
        both = tuple(dict.fromkeys((run, against)))
        documents = await desk.ask(retrieved, runs=both, query=query, edition=result().asked.edition, depth=depth)
        return _lists(documents, both, query=rows[query], depth=depth)


def against_all(rows: Sequence[QueryScore]) -> list[QueryScore]:
    """Compare a run with the mean of all runs, largest gain first."""
    moved = [row._replace(value_against=row.mean, difference=round((row.value or 0.0) - row.mean, 12)) for row in rows]
    return sorted(moved, key=lambda row: (-(row.difference or 0.0), row.query))


def _scores(rows: Sequence[QueryScore], *, run: str, against: str, pick: str) -> ui.Tag:
    columns = [
        Column("query", number=False), Column("text", number=False), Column(run), Column(against), Column("difference"),
        Column("mean of all runs"),
    ]  # fmt: skip

    def button(query: str) -> ui.Tag:
        return ui.tags.button(query, type="button", class_="stc-pick", data_input=pick, data_value=query)

    def number(value: float | None, *, sign: str = "") -> Field:
        return Field("–" if value is None else f"{value:{sign}.4f}", value)

    fields = [
        [
            Field(button(row.query), row.query),
            Field(row.text or "", row.text or ""),
            number(row.value),
            number(row.value_against),
            number(row.difference, sign="+"),
            number(row.mean),
        ]
        for row in rows
    ]
    won, lost = (sum((row.difference or 0) * sign > 0 for row in rows) for sign in (1, -1))
    caption = f"{run} against {against}: better on {won}, worse on {lost}, equal on {len(rows) - won - lost} queries"
    return ui.div(sortable(columns, fields, caption=caption, name=0, sorted_by=4), class_="stc-tall")


def _lists(documents: Sequence[Retrieved], runs: Sequence[str], *, query: QueryScore, depth: int) -> ui.Tag:
    by_run = {run: list(of_run) for run, of_run in groupby(documents, key=lambda one: one.run)}
    return ui.div(
        ui.h3(f"{query.query}: {query.text}" if query.text else query.query),
        ui.p(f"Orange bar: not in the first {depth} documents of the other run.", class_="small") if len(runs) > 1 else None,
        ui.div(*(_list(run, by_run.get(run, []), depth, several=len(runs) > 1) for run in runs), class_="stc-pair"),
    )


def _list(run: str, documents: Sequence[Retrieved], depth: int, *, several: bool) -> ui.Tag:
    if not documents:
        return ui.div(ui.h4(run), ui.p("No documents retrieved for this query."))
    relevant = sum((one.rel or 0) > 0 for one in documents)
    judged = sum(one.rel is not None for one in documents)
    told = f"{len(documents)} documents to rank {depth}, {judged} judged, {relevant} relevant (grade 1 or higher)"
    return ui.div(
        ui.h4(run),
        ui.p(told, class_="small"),
        ui.tags.ol(*(_document(one, depth=depth, several=several) for one in documents), class_="stc-ranked"),
    )


def _document(one: Retrieved, *, depth: int, several: bool) -> ui.Tag:
    """Draw a document, highlighted if the other run does not rank it within the depth."""
    grade = "not judged" if one.rel is None else f"grade {one.rel}"
    kind = "none" if one.rel is None else str(max(0, min(one.rel, 2)))
    lacks = several and (one.elsewhere is None or one.elsewhere > depth)
    there = None if not several else "only in this run" if one.elsewhere is None else f"rank {one.elsewhere} in the other run"
    return ui.tags.li(
        ui.span(grade, class_=f"stc-grade stc-grade-{kind}"),
        " ",
        ui.span(there, class_="stc-alone" if lacks else "stc-there") if there else None,
        " ",
        ui.span(one.title or "(no title)"),
        " ",
        ui.tags.code(one.docno),
        value=str(one.rank),
        class_="stc-only" if lacks else None,
    )

"""Queries on which all runs of the leaderboard fail."""

from __future__ import annotations

from collections.abc import Callable

from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from stcollection.analysis.board import Board
from stcollection.analysis.drill import HardQuery, hard_queries
from stcollection.errors import BadArgument
from stcollection.evaluation.measures import Measure
from stcollection.explore.board.card import search_link
from stcollection.explore.pieces import table, tells
from stcollection.texts import later
from stcollection.web.desk import Desk
from stcollection.web.words import n, t

BELOW = 0.1


def threshold(text: str | None) -> float:
    """Return the threshold in a URL; the default if it is missing or invalid."""
    try:
        value = float(text) if text else BELOW
    except ValueError:
        return BELOW
    return value if 0 <= value <= 1 else BELOW


@module.ui
def tab() -> ui.Tag:
    return ui.div(
        ui.h2(t("Queries on which all runs fail")),
        ui.div(
            ui.input_numeric("below", t("Best score below"), BELOW, min=0, max=1, step=0.05, update_on="blur"),
            class_="stc-controls",
        ),
        ui.div(ui.output_ui("found"), aria_live="polite"),
    )


@module.server
def serve(
    input: Inputs,  # noqa: A002
    output: Outputs,
    session: Session,
    desk: Desk,
    *,
    result: Callable[[], Board],
    measure: Callable[[], Measure],
    below: reactive.Value[float],
) -> None:
    """List the queries. :param below: threshold, which the URL stores."""

    @reactive.effect
    def follow() -> None:
        ui.update_numeric("below", value=below(), session=session)

    @reactive.effect
    @reactive.event(input.below, ignore_init=True)
    def typed() -> None:
        below.set(BELOW if input.below() is None else float(input.below()))

    @render.ui
    @tells
    async def found() -> ui.Tag:
        done, by, limit = result(), measure(), below()
        if not 0 <= limit < 1e9:
            raise BadArgument(
                later("the threshold is {limit:g}", limit=limit),
                hint=later("Use a number of 0 or more, such as 0.1."),
                sqlstate="IR202",
            )
        asked = done.asked
        rows = await desk.ask(hard_queries, edition=asked.edition, measure=by, below=limit, runs=asked.runs, queries=asked.queries)
        return _table(rows, by, limit, runs=len(done.marked.lines), queries=done.marked.queries)


def _table(rows: list[HardQuery], by: Measure, below: float, *, runs: int, queries: int) -> ui.Tag:
    if not rows:
        none = n(
            "No query: on the only query, at least one run has {measure} of {below:g} or more.",
            "No query: on each of the {count:,} queries, at least one run has {measure} of {below:g} or more.",
            queries,
            measure=by,
            below=below,
        )
        return ui.p(none)
    caption = n(
        "{found:,} of {count:,} query: {measure} of every run ({runs:,}) is below {below:g}",
        "{found:,} of {count:,} queries: {measure} of every run ({runs:,}) is below {below:g}",
        queries,
        found=len(rows),
        measure=by,
        runs=runs,
        below=below,
    )
    return table(
        [t("query"), t("text (opens the search)"), t("best score"), t("best run"), t("mean")],
        [
            (one.query, search_link(one.text), f"{one.best:.4f}", one.run if one.best > 0 else "–", f"{one.mean:.4f}")
            for one in rows
        ],
        caption=caption,
        numbers=[2, 4],
    )

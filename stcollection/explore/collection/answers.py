"""Groups of answers on the collection tab: the graph of a query with supports and contradictions, and the same as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import psycopg
from shiny import Inputs, Session, reactive, render, req, ui
from shiny.module import resolve_id

from stcollection.explore import address
from stcollection.explore.figures import downloads
from stcollection.explore.pieces import table, tells
from stcollection.plots.clusters import AnswerGraph, answer_rows, draw_clusters, relation_rows
from stcollection.qrels.sheets import plain
from stcollection.studies.answers.graph import graph, grouped_queries, grouped_runs
from stcollection.texts import later
from stcollection.web.desk import Desk
from stcollection.web.words import meant, t

MOST = 200  # queries to choose from; a filter finds the others
_LONGEST = 500  # characters of a value from the URL
_RELATIONS = {"support": later("support"), "contradiction": later("contradiction")}


class AnswerState(NamedTuple):
    """What the collection holds. :param sets: number of loaded splits. :param runs: names of runs that group answers."""

    sets: int
    runs: list[str]


def state(conn: psycopg.Connection) -> AnswerState:
    """Return the number of splits, and the runs with groups of answers that the reader may see."""
    [sets] = conn.execute("SELECT count(*) FROM stc.answer_sets").fetchone() or (0,)
    return AnswerState(sets, grouped_runs(conn))


def shown() -> tuple[ui.Tag, ...]:
    """Return the elements of the section."""
    return ui.output_ui("answer_form"), ui.output_ui("answer_query"), ui.div(ui.output_ui("answer_graph"), aria_live="polite")


def serve(input: Inputs, session: Session, desk: Desk, *, name: str) -> None:  # noqa: A002
    """Show the groups of answers. :param name: of the tab, in the URL."""
    place: Mapping[str, str] = address.read(session)
    place = {key: value[:_LONGEST] for key, value in place.items()} if place.get("tab") == name else {}

    @render.ui
    @tells
    async def answer_form() -> ui.Tag:
        found = await desk.ask(state)
        if not found.sets:
            return ui.p(t("No answers are loaded. Load a set with {command}.", command="'stc load --as answers'"))
        if not found.runs:
            return ui.p(
                t(
                    "No run groups answers. Extract answers with {extract} if the set has none, and group them with {cluster}.",
                    extract="'stc answers extract'",
                    cluster="'stc answers cluster'",
                )
            )
        wanted = place.get("answers")
        return ui.div(
            ui.input_select(
                "answers",
                t("Run of answers"),
                {one: plain(one) for one in found.runs},
                selected=wanted if wanted in found.runs else found.runs[0],
            ),
            ui.input_text("words", t("Filter queries"), value=place.get("words", ""), update_on="blur"),
            class_="stc-controls",
        )

    @render.ui
    @tells
    async def answer_query() -> ui.Tag:
        run, words = req(input.answers()), input.words().strip()[:_LONGEST]
        found = await desk.ask(grouped_queries, run, words=words, most=MOST)
        if not found:
            return ui.p(t("No query with answers contains this text. Change the filter."))
        label = t("Query with answers") if len(found) < MOST else t("Query with answers, the first {count}", count=MOST)
        wanted = place.get("question")
        return ui.input_select(
            "question",
            label,
            {one: plain(one) for one in found},
            selected=wanted if wanted in found else found[0],
            width="100%",
        )

    @render.ui
    @tells
    async def answer_graph() -> ui.Tag:
        run, question, words = req(input.answers()), req(input.question()), input.words().strip()[:_LONGEST]
        if question not in await desk.ask(grouped_queries, run, words=words, most=MOST):
            req(False)  # of another run or filter; a query of the new ones is on its way
        return drawn(await desk.ask(graph, run, question))

    @reactive.effect
    @reactive.event(input.answers, input.question, input.words, ignore_init=True)
    async def _() -> None:
        if session.root_scope().input.tab() == name:
            await address.write(session, tab=name, answers=input.answers(), question=input.question(), words=input.words().strip())


def drawn(found: AnswerGraph) -> ui.Tag:
    """Draw the graph, its downloads, and the tables with the same data."""
    label = t("Answers to {query}", query=plain(found.query))
    groups = [
        (group, plain(doc), plain(text), _yes(returned), "" if gold is None else _yes(gold))
        for group, _, doc, text, returned, gold in answer_rows(found)
    ]
    relations = [
        (t(_RELATIONS[kind]), plain(doc), plain(text), plain(other_doc), plain(other), f"{weight:.2f}")
        for kind, doc, text, other_doc, other, weight in relation_rows(found)
    ]
    heads = (t("relation"), t("document"), t("answer"), t("other document"), t("other answer"), t("probability"))
    return ui.div(
        ui.p(
            t(
                "Groups of answers that agree, best first. Arcs on the left are supports, dashed arcs on the right contradictions. "
                "A green frame marks groups whose documents are returned, ✓ answers in relevant documents."
            )
        ),
        ui.div(
            ui.HTML(draw_clusters(found)),  # escapes all texts
            id=resolve_id("answer_drawing"),
            class_="stc-drawing",
            role="figure",
            aria_label=t("Answers to {query}; see the tables below for values", query=plain(found.query)),
            tabindex="0",
        ),
        downloads(resolve_id("answer_drawing"), label=label, hidden=False),
        ui.div(
            table(
                (meant("group", "of answers"), t("document"), t("answer"), t("returned"), t("relevant")),
                groups,
                caption=t("Groups of answers"),
            ),
            table(heads, relations, caption=t("Relations between answers"), numbers=(5,))
            if relations
            else ui.p(t("No two answers support or contradict each other.")),
            class_="stc-drawn-rows",
        ),
    )


def _yes(value: bool) -> str:
    return t("yes") if value else t("no")

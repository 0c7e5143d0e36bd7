"""The search tab: query, system and filters; facets; results with explanations; systems side by side; similar documents."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from htmltools import Tag, TagList
from shiny import Inputs, Outputs, Session, module, reactive, render, ui
from shiny.types import SilentCancelOutputException

from stcollection.errors import StcError
from stcollection.explore import address
from stcollection.explore.pieces import alert, notice
from stcollection.explore.search import asking, panels
from stcollection.explore.search.asking import SearchPage, SearchRequest
from stcollection.explore.search.beside import columns
from stcollection.explore.search.changes import near_field, serve_changes
from stcollection.explore.search.choices import choices, prepare, warm
from stcollection.explore.search.facets import chips, facets
from stcollection.explore.search.form import fill, form, offer
from stcollection.explore.search.request import CHOSEN, FIELDS, STARTING, STATE, read
from stcollection.explore.search.results import like, near, results
from stcollection.explore.search.view import SearchFailure, SearchView, summary
from stcollection.explore.task import PageTask
from stcollection.retrieval import EMBEDDING
from stcollection.retrieval.explain import FacetCount
from stcollection.retrieval.explain import facets as count_facets
from stcollection.texts import later
from stcollection.vectors.store import DOCUMENT_FIELDS
from stcollection.web.desk import Desk
from stcollection.web.embedding import Embedding
from stcollection.web.words import t

__all__ = ["NAME", "TITLE", "prepare", "serve", "tab"]
NAME, TITLE = "search", later("Search")


@module.ui
def tab() -> Tag:
    return ui.div(
        ui.h1(t("Search the collection"), class_="visually-hidden"),
        form(),
        ui.div(
            ui.tags.aside(
                ui.tags.details(
                    ui.tags.summary(t("Filter by year, venue, type, readability, judgment")),
                    ui.output_ui("counts"),
                    class_="stc-folded",
                ),
                class_="stc-side",
                aria_label=t("Facets"),
            ),
            ui.div(
                ui.div(ui.output_ui("active"), class_="stc-active"),
                ui.div(
                    ui.div(ui.output_ui("told"), role="status", aria_live="polite", tabindex="-1", class_="stc-told"),
                    ui.tags.button(t("Compact list"), type="button", class_="stc-way stc-compact", aria_pressed="false"),
                    class_="stc-above",
                ),
                ui.output_ui("shown"),
                class_="stc-main",
            ),
            class_="stc-split",
        ),
        class_="stc-search-tab",
    )


@module.server
def serve(input: Inputs, output: Outputs, session: Session, desk: Desk) -> None:  # noqa: A002
    embedding = Embedding.of(desk)
    ns = session.ns("near").removesuffix("near")
    current: reactive.Value[dict[str, Any]] = reactive.Value({}, name="current")  # parameters of the last search
    blank: reactive.Value[bool] = reactive.Value(True, name="blank")  # nothing has been searched
    writable: reactive.Value[bool] = reactive.Value(False, name="writable")

    async def vector(asked: SearchRequest) -> str | None:
        return await embedding.vector(asked.text, asked.model) if asked.dense else None

    @PageTask
    async def run(given: dict[str, Any], of: tuple[int, str] | None) -> SearchView | SearchFailure:
        started = time.perf_counter()
        try:
            topic = None if of is not None else given.get("article")
            asked = read(given, blank=bool(of is not None or topic))
            if topic:
                if asked.dense:
                    await embedding.remember_article(desk, topic, asked.model)
                rows = await desk.ask(asking.like_article, topic, asked)
                return SearchView(asked, given, None, rows, None, time.perf_counter() - started)
            if of is not None:
                rows = await desk.ask(asking.neighbours, of[0], of[1], asked.k, asked.model)
                return SearchView(asked, given, None, rows, of, time.perf_counter() - started)
            found = await desk.ask(asking.find, asked, await vector(asked))
            return SearchView(asked, given, found, None, None, time.perf_counter() - started)
        except StcError as error:
            return SearchFailure(error, given, of)

    @PageTask
    async def count(view: SearchView | SearchFailure) -> tuple[SearchView, list[FacetCount]] | StcError | None:
        """Count the facets after the results, which do not wait for them."""
        if isinstance(view, SearchFailure) or view.found is None:
            return None
        try:
            return view, await desk.ask_behind(count_facets, view.asked, await vector(view.asked), view.found.ranked)
        except StcError as error:
            return error

    def last() -> tuple[SearchRequest | None, list[int], SearchPage | None]:
        """Return the last search, the documents on the page in their order, and what it found."""
        with reactive.isolate():
            if run.status() != "success":
                return None, [], None
            view = run.result()
        if isinstance(view, SearchFailure):
            return None, [], None
        rows: list[Any] = view.near[1] if view.near else view.found.beside or view.found.rows if view.found else []
        return (view.asked if view.found else None), list(dict.fromkeys(row.doc for row in rows)), view.found

    def typed() -> dict[str, Any]:
        """Return the form with the filters that facets have set."""
        with reactive.isolate():
            before = current()
            given: dict[str, Any] = {name: input[name]() for name in FIELDS}
            given.update({name: before.get(name) for name in CHOSEN}, beside=",".join(input.beside()))
        if _written(given["grade"]) != _written(before.get("grade")):
            given["above"] = None  # the typed grade replaces the band
        return given

    async def begin(given: Mapping[str, Any], of: tuple[int, str] | None = None, *, push: bool = True) -> None:
        state = {name: _written(given.get(name)) for name in STATE}
        if not state["article"]:
            ui.update_select("article", selected="")
        current.set(dict(state))
        blank.set(False)
        run.invoke(dict(state), of)
        if push:
            place = {"near": of[0] if of else None, "field": of[1] if of else None}
            await address.write(session, push=True, tab=NAME, **state, **place)

    async def visit(said: Mapping[str, str], *, push: bool) -> None:
        """Show the search of a URL."""
        given: dict[str, Any] = {name: said.get(name) for name in STATE}
        given["system"] = given["system"] or "hybrid"
        fill(given, session)
        of = (int(said["near"]), near_field(said.get("field"))) if said.get("near", "").isdecimal() else None
        await begin(given, of, push=push)

    async def change(given: Mapping[str, Any]) -> None:
        """Search with changed filters."""
        fill(given, session)
        await begin(given)

    @reactive.effect(priority=1000)
    def _() -> None:
        ui.update_task_button("go", state="busy" if run.status() == "running" else "ready")

    @reactive.effect
    async def foreseen() -> None:
        """Load the model while the reader types, if this tab is open and the system embeds the query."""
        if session.root_scope().input.tab() == NAME and input.system() in EMBEDDING:
            with suppress(StcError):
                warm(embedding, await choices(desk))

    @reactive.effect
    async def opened() -> None:
        """Fill in the choices and run the search in the URL, once."""
        with reactive.isolate():
            try:
                here = await choices(desk)
            except StcError as error:
                ui.notification_show(notice(error), type="error", duration=None)
                return
            writable.set(here.writable)
            said = address.read(session)
            offer(here, said, chosen=input.system(), session=session)
            if said.get("tab", NAME) == NAME and any(said.get(name) for name in STARTING):
                await visit(said, push=False)

    @reactive.effect
    async def _() -> None:
        said = address.visited(session)
        if said is None or said.get("tab", NAME) != NAME:
            return
        with reactive.isolate():
            if any(said.get(name) for name in STARTING):
                await visit(said, push=False)
            else:
                run.cancel()
                fill({}, session)
                current.set({})
                blank.set(True)

    @reactive.effect
    def _() -> None:
        if run.status() == "success":
            view = run.result()
            with reactive.isolate():
                count.invoke(view)

    serve_changes(input, desk, begin=begin, change=change, typed=typed, current=current)
    panels.serve_panels(input, session, desk, vector, last)
    panels.serve_exports(input, session, desk, last)
    panels.serve_saving(input, session, desk, last)

    @reactive.effect
    @reactive.event(input.stop)
    def _() -> None:
        run.cancel()

    @render.ui
    def told() -> Tag | None:
        if blank():
            return None
        if run.status() == "running":
            return ui.div(t("Searching …"), " ", ui.input_action_button("stop", t("Stop"), class_="btn-sm btn-outline-danger"))
        if run.status() == "cancelled":
            return ui.p(t("Stopped."))
        return summary(run.result()) if run.status() == "success" else None

    @render.ui
    def active() -> TagList | None:
        drawn = chips(current(), ns=ns)
        return None if drawn is None or blank() else TagList(ui.HTML(drawn))

    @output(suspend_when_hidden=False)  # the facets are hidden while they are empty or folded
    @render.ui
    def counts() -> Tag | TagList | None:
        if blank():
            return None
        if count.status() != "success":
            raise SilentCancelOutputException  # keep the earlier counts until the new ones are there
        done = count.result()
        if done is None:
            return None
        return alert(done) if isinstance(done, StcError) else TagList(ui.HTML(facets(done[0].asked, done[0].state, done[1], ns=ns)))

    @render.ui
    def shown() -> Tag | TagList | None:
        if blank() or run.status() in ("initial", "running", "cancelled"):
            return None
        page = run.result()
        back = ui.input_action_button("back", t("Back to the results"), class_="btn-sm")
        if isinstance(page, SearchFailure):
            return TagList(back if page.of else None, alert(page.error))
        if page.near is not None and page.of is not None:
            drawn = near(*page.near, doc=page.of[0], field=page.of[1], fields=DOCUMENT_FIELDS, ns=ns)
            return TagList(back, ui.HTML(drawn), ui.HTML(panels.exports(ns)))
        if page.near is not None:
            return TagList(ui.HTML(like(*page.near, ns=ns)), ui.HTML(panels.exports(ns)))
        assert page.found is not None  # noqa: S101
        if page.asked.beside:
            return TagList(ui.HTML(columns(page.asked, page.found, ns=ns)), ui.HTML(panels.exports(ns)))
        more = len(page.found.rows) == page.asked.k < 100
        return TagList(
            ui.HTML(results(page.asked, page.found, ns=ns)),
            ui.input_action_button("more", t("More results"), class_="btn-sm") if more else None,
            ui.HTML(panels.exports(ns)) if page.found.rows else None,
            panels.saving(ns) if writable() else None,
        )


def _written(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)

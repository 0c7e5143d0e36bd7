"""What opens below a result: abstract, explanation and citation. Also the SQL's vector, exports, and saving the query."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from htmltools import TagList
from shiny import Inputs, Session, reactive, ui

from stcollection.corpus.references import references
from stcollection.errors import StcError
from stcollection.explore.markup import Html, el
from stcollection.explore.pieces import alert, notice
from stcollection.explore.search import asking
from stcollection.explore.search.asking import SearchPage, SearchRequest
from stcollection.explore.search.results import marked
from stcollection.explore.search.why import reasons
from stcollection.io.bibliography import FORMATS, Reference
from stcollection.retrieval import explain
from stcollection.topics.save import save_query
from stcollection.vectors.queries import remember_query
from stcollection.web.desk import Desk
from stcollection.web.words import t

_TYPES = {"csv": "text/csv", "bib": "application/x-bibtex", "ris": "application/x-research-info-systems"}
Vector = Callable[[SearchRequest], Awaitable[str | None]]
Listed = Callable[[], tuple[SearchRequest | None, list[int], SearchPage | None]]
_NOBODY = SearchRequest(text="", system="boolean", k=1, filter=None, model=None)


async def fill_in(session: Session, where: str, what: Any) -> None:
    """Fill the element at a CSS selector with HTML, through search.js."""
    await session.send_custom_message("stc-fill", {"where": where, "html": TagList(what).get_html_string()})


def citation(one: Reference) -> Html:
    """Draw a document as BibTeX and RIS, each with a button that copies it."""
    return el("div", *(_copied(one, kind, title) for kind, title in (("bib", "BibTeX"), ("ris", "RIS"))), class_="stc-cite")


def _copied(one: Reference, kind: str, title: str) -> Html:
    place = f"stc-cite-{kind}"
    return el(
        "section",
        el("h4", title),
        el("pre", el("code", FORMATS[kind]([one]).strip(), id=place), tabindex=0, role="region", aria_label=title),
        el("button", t("Copy {what}", what=title), type="button", class_="stc-way stc-copy", data_copies=place),
    )


def serve_panels(input: Inputs, session: Session, desk: Desk, vector: Vector, listed: Listed) -> None:  # noqa: A002
    """Answer the buttons of a result. :param listed: returns the last search, its documents in order, and what it found."""

    async def drawn(what: str, doc: int) -> Any:
        last, _, page = listed()
        asked = last or _NOBODY
        if what == "why":
            return reasons(asked, await desk.ask(explain.why, asked, doc, await vector(asked), page.parts if page else None))
        if what == "cite":
            found = await desk.ask(references, [doc], desk.licences)
            return ui.HTML(citation(found[0])) if found else ui.p(t("This document was removed: search again."))
        text = await desk.ask(asking.abstract, asked.text, doc)
        return ui.p(ui.HTML(marked(text)), class_="stc-abstract") if text else ui.p(t("This document has no abstract."))

    @reactive.effect
    @reactive.event(input.open)
    async def _() -> None:
        what, doc = str(input.open()["what"]), int(input.open()["doc"])
        if what not in ("why", "cite", "abstract"):
            return
        try:
            made: Any = await drawn(what, doc)
        except StcError as error:
            made = alert(error)
        await fill_in(session, f'.stc-panel[data-doc="{doc}"][data-what="{what}"]', made)

    @reactive.effect
    @reactive.event(input.sql)
    async def _() -> None:
        asked = listed()[0]
        if asked is None or not asked.dense:
            return
        try:
            await desk.write(remember_query, asked.text, asked.model, await vector(asked) or "")
            note = t("The vector of this query is stored in query_v, so the SQL runs without the embedding service.")
        except StcError as error:
            note = t(
                "The vector of this query could not be stored ({error}). To run the SQL, start {command}.",
                error=error.message,
                command="'stc serve embeddings'",
            )
        await fill_in(session, ".stc-sql-note", ui.p(note))


def serve_exports(input: Inputs, session: Session, desk: Desk, listed: Listed) -> None:  # noqa: A002
    """Send the listed documents as a file. The text is complete before the download starts, so that an error is shown instead."""

    @reactive.effect
    @reactive.event(input.export)
    async def _() -> None:
        kind = str(input.export()["kind"])
        if kind not in FORMATS:
            return
        try:
            text = FORMATS[kind](await desk.ask(references, listed()[1], desk.licences))
        except StcError as error:
            ui.notification_show(notice(error), type="error", duration=None)
            return
        await session.send_custom_message("stc-download", {"name": f"results.{kind}", "type": _TYPES[kind], "text": text})


def exports(ns: str) -> Html:
    """Draw the buttons that download the list."""
    buttons = (
        el("button", title, type="button", class_="stc-way", data_export=kind)
        for kind, title in (("csv", "CSV"), ("bib", "BibTeX"), ("ris", "RIS"))
    )
    return el(
        "div",
        el("span", t("Download the list")),
        *buttons,
        class_="stc-exports",
        data_ns=ns,
        role="group",
        aria_label=t("Download"),
    )


def serve_saving(input: Inputs, session: Session, desk: Desk, listed: Listed) -> None:  # noqa: A002
    """Store the text of the last search as a query."""

    @reactive.effect
    @reactive.event(input.save)
    async def _() -> None:
        asked, name, topic = listed()[0], str(input.save_name() or ""), str(input.save_topic() or "")
        if asked is None:
            return
        try:
            await desk.write(save_query, name, asked.text, topic=topic)
            made: Any = ui.p(t("Stored as the query {name}.", name=name.strip()), class_="mb-0")
        except StcError as error:
            made = alert(error)
        await fill_in(session, ".stc-saved", made)


def saving(ns: str) -> Any:
    """Draw the form that stores the query."""
    return ui.tags.details(
        ui.tags.summary(t("Save as a query")),
        ui.p(t("Store the text of this search in the collection. Filters and the system are not stored."), class_="stc-about"),
        ui.div(
            ui.input_text("save_name", t("Query name"), placeholder="G01.3"),
            ui.input_text("save_topic", t("Topic (optional)")),
            ui.input_action_button("save", t("Save"), class_="btn-sm"),
            class_="stc-saving",
        ),
        ui.div(class_="stc-saved", role="status"),
        class_="stc-sql",
        data_ns=ns,
    )

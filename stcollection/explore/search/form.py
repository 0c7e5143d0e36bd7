"""The form of the search tab, and how it is filled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from htmltools import Tag
from shiny import Session, ui

from stcollection.explore.search.choices import SearchOptions
from stcollection.explore.search.request import MOST_BESIDE, NUMBERS, RESULTS
from stcollection.retrieval import SYSTEMS
from stcollection.texts import later
from stcollection.web.words import t

SAID = {
    "boolean": later("boolean: all words, phrases, +must, -not"), "conjunctive": later("boolean: all words of any query"),
    "conjunctive-passage": later("boolean: all words in one passage"),
    "bm25": "BM25", "rm3": later("BM25 with feedback (RM3)"),
    "dense-title": later("title embeddings"), "dense-abstract": later("abstract embeddings"),
    "dense-content": later("title and abstract embeddings"), "dense-passage": later("passage embeddings"),
    "rocchio-title": later("title embeddings with feedback (Rocchio)"),
    "rocchio-abstract": later("abstract embeddings with feedback (Rocchio)"),
    "rocchio-content": later("title and abstract embeddings with feedback (Rocchio)"),
    "hybrid": later("hybrid: BM25 and embeddings"),
}  # fmt: skip


def form() -> Tag:
    """Return all inputs with their labels. Enter starts the search (search.js)."""
    stored = ui.input_text("stored", t("Stored query"), placeholder=t("query name"), update_on="blur")
    stored.children[1].attrs["list"] = "stc-stored"  # type: ignore[union-attr]
    return ui.div(
        ui.div(
            ui.input_text("q", t("Query"), width="100%", placeholder='voice assistants "at home" -games', spellcheck="true"),
            ui.input_select("system", t("System"), {name: t(SAID[name]) for name in SYSTEMS}, selected="hybrid"),
            ui.input_task_button("go", t("Search"), label_busy=t("Searching …")),
            class_="stc-asking",
        ),
        ui.tags.details(
            ui.tags.summary(t("Filters, stored queries, number of results")),
            ui.div(
                _number("first", t("From year"), min=1000, max=3000),
                _number("last", t("To year"), min=1000, max=3000),
                _number("grade", t("Maximum reading grade (Flesch-Kincaid)"), step=1),
                _number("cited", t("Minimum citations"), min=0),
                ui.input_text("venue", t("Venue"), placeholder="%retrieval%"),
                ui.input_select("model", t("Embedding model"), {"": t("default")}),
                ui.input_select("k", t("Results"), list(RESULTS), selected="20"),
                stored,
                ui.input_select("article", t("Like the article of a topic"), {"": t("(none)")}),
                ui.tags.datalist(id="stc-stored"),
                class_="stc-filters",
            ),
            class_="stc-narrow",
        ),
        ui.tags.details(
            ui.tags.summary(t("Compare with other systems")),
            ui.input_checkbox_group(
                "beside",
                t("Compare with (up to {count})", count=MOST_BESIDE),
                {name: t(SAID[name]) for name in SYSTEMS},
                width="100%",
            ),
            class_="stc-narrow stc-compare",
        ),
        role="search",
        aria_label=t("Search the collection"),
        class_="stc-search",
    )


def _number(
    name: str,
    label: str,
    *,
    min: float | None = None,  # noqa: A002
    max: float | None = None,  # noqa: A002
    step: float | None = None,
) -> Tag:
    """Return an optional number field."""
    empty: Any = None
    return ui.input_numeric(name, label, empty, update_on="blur", min=min, max=max, step=step)


def offer(here: SearchOptions, said: Mapping[str, str], *, chosen: str, session: Session) -> None:
    """Fill in the choices of this collection. Unavailable systems are labelled with the reason.

    :param chosen: the system currently selected on the page.
    """
    systems = {name: t(SAID[name]) + (f" ({t(why)})" if why else "") for name, why in here.systems.items()}
    ui.update_select("system", choices=systems, selected=_system(said.get("system"), chosen, here))
    ui.update_select(
        "model", choices={"": t("{model} (default)", model=here.models[0]), **{name: name for name in here.models[1:]}}
    )
    articles = {topic: f"{topic}: {title}" for topic, title in here.articles}
    ui.update_select("article", choices={"": t("(none)"), **articles}, selected=said.get("article") or "")
    if not here.readability:
        ui.update_numeric("grade", label=t("Maximum reading grade (not computed in this collection)"))
    options = [{"name": name, "text": text} for name, text in here.stored]

    async def told() -> None:
        await session.send_custom_message("stc-stored", {"queries": options})

    session.on_flushed(told, once=True)


def _system(said: str | None, chosen: str, here: SearchOptions) -> str:
    """Return the system in the URL, else the reader's selection, else the best available one."""
    if said in here.systems:
        return said
    if chosen != "hybrid":
        return chosen
    return next(name for name in ("hybrid", "bm25", "boolean") if not here.systems[name])


def fill(said: Mapping[str, Any], session: Session) -> None:
    """Fill in the inputs from the URL's parameters; missing ones become empty."""
    for name in ("q", "venue"):
        ui.update_text(name, value=str(said.get(name) or ""))
    for name in NUMBERS:
        value = str(said.get(name) or "")
        number = value if value.lstrip("-").replace(".", "", 1).isdecimal() else ""
        session.send_input_message(name, {"value": number})  # update_numeric cannot empty a field
    for name, default in (("k", "20"), ("model", ""), ("article", "")):
        ui.update_select(name, selected=str(said.get(name) or default))
    if said.get("system") in SYSTEMS:
        ui.update_select("system", selected=str(said["system"]))
    ui.update_checkbox_group("beside", selected=[name for name in str(said.get("beside") or "").split(",") if name in SYSTEMS])

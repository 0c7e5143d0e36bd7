"""The search tab: query, system and filters; results with explanations; neighbours of a document."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from htmltools import Tag, TagList
from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from stcollection.errors import BadArgument, StcError
from stcollection.explore import address
from stcollection.explore.desk import Desk
from stcollection.explore.embedding import Embedding
from stcollection.explore.pieces import alert
from stcollection.explore.search import asking
from stcollection.explore.search.asking import SearchOptions, SearchPage, SearchRequest, Shown
from stcollection.explore.search.form import FIELDS, NUMBERS, fill, form, offer
from stcollection.explore.search.results import near, results
from stcollection.explore.search.why import reasons
from stcollection.explore.task import PageTask
from stcollection.vectors.store import DOCUMENT_FIELDS

NAME, TITLE = "search", "Search"
_FRESH_SECONDS = 60.0
_MOST = 10_000  # characters of a query; no system reads more


@dataclass(frozen=True)
class SearchView:
    """Result of the task: a search, or the neighbours of a document, with the time in seconds."""

    asked: SearchRequest
    found: SearchPage | None
    near: tuple[str, list[Shown]] | None
    of: tuple[int, str] | None
    seconds: float


@dataclass(frozen=True)
class SearchFailure:
    """A failed search. :param of: the document and field, if neighbours were requested."""

    error: StcError
    of: tuple[int, str] | None


@module.ui
def tab() -> Tag:
    return ui.div(
        ui.h1("Search the collection"),
        form(),
        ui.div(ui.output_ui("told"), role="status", aria_live="polite", class_="stc-told"),
        ui.output_ui("shown"),
    )


@module.server
def serve(input: Inputs, output: Outputs, session: Session, desk: Desk) -> None:  # noqa: A002
    embedding = Embedding.of(desk)
    last: reactive.Value[SearchRequest | None] = reactive.Value(None, name="last")
    ns = session.ns("near").removesuffix("near")

    async def vector(asked: SearchRequest) -> str | None:
        return await embedding.vector(asked.text, asked.model) if asked.dense else None

    @PageTask
    async def run(given: dict[str, Any], of: tuple[int, str] | None) -> SearchView | SearchFailure:
        started = time.perf_counter()
        try:
            asked = read(given, blank=of is not None)
            if of is not None:
                rows = await desk.ask(asking.neighbours, of[0], of[1], asked.k, asked.model)
                return SearchView(asked, None, rows, of, time.perf_counter() - started)
            found = await desk.ask(asking.find, asked, await vector(asked))
            return SearchView(asked, found, None, None, time.perf_counter() - started)
        except StcError as error:
            return SearchFailure(error, of)

    async def begin(given: dict[str, Any], of: tuple[int, str] | None = None) -> None:
        run.invoke(given, of)
        state = {name: _written(given[name]) for name in FIELDS}
        await address.write(session, tab=NAME, **state, near=of[0] if of else None, field=of[1] if of else None)

    @reactive.effect(priority=1000)
    def _() -> None:
        ui.update_task_button("go", state="busy" if run.status() == "running" else "ready")

    @reactive.effect
    async def opened() -> None:
        """Fill in the choices and run the search in the URL, once."""
        with reactive.isolate():
            try:
                here = await _choices(desk)
            except StcError as error:
                ui.notification_show(f"{error.message} {error.hint or ''}", type="error", duration=None)
                return
            _warm(embedding, here)
            said = address.read(session)
            offer(here, said, chosen=input.system(), session=session)
            if said.get("tab", NAME) != NAME or not (said.get("q") or said.get("near")):
                return
            given: dict[str, Any] = {name: said.get(name) for name in FIELDS}
            fill(said)
            given["system"] = given["system"] or "hybrid"
            of = (int(said["near"]), said.get("field") or "title") if said.get("near", "").isdecimal() else None
            await begin(given, of)

    @reactive.effect
    @reactive.event(input.go)
    async def _() -> None:
        await begin({name: input[name]() for name in FIELDS})

    @reactive.effect
    @reactive.event(input.stop)
    def _() -> None:
        run.cancel()

    @reactive.effect
    @reactive.event(input.near)
    async def _() -> None:
        told = input.near()
        field = told.get("field") if told.get("field") in DOCUMENT_FIELDS else "title"
        await begin({name: input[name]() for name in FIELDS}, (int(told["doc"]), field))

    @reactive.effect
    @reactive.event(input.back)
    async def _() -> None:
        await begin({name: input[name]() for name in FIELDS})

    @reactive.effect
    @reactive.event(input.more)
    async def _() -> None:
        given = {name: input[name]() for name in FIELDS}
        given["k"] = str(next((k for k in (10, 20, 50, 100) if k > int(given["k"])), 100))
        ui.update_select("k", selected=given["k"])
        await begin(given)

    @reactive.effect
    @reactive.event(input.stored, ignore_init=True)
    async def _() -> None:
        name = input.stored().strip()
        if not name:
            return
        try:
            text = await desk.ask(asking.stored_text, name)
        except StcError as error:
            ui.notification_show(f"{error.message}. {error.hint or ''}", type="warning")
            return
        ui.update_text("q", value=text)
        await begin({**{one: input[one]() for one in FIELDS}, "q": text})

    @reactive.effect
    @reactive.event(input.why)
    async def _() -> None:
        asked, doc = last(), int(input.why()["doc"])
        if asked is None:
            return
        try:
            drawn: Any = reasons(asked, await desk.ask(asking.why, asked, doc, await vector(asked)))
        except StcError as error:
            drawn = alert(error)
        await _fill_in(session, f'.stc-why[data-doc="{doc}"] .stc-why-body', drawn)

    @reactive.effect
    @reactive.event(input.sql)
    async def _() -> None:
        asked = last()
        if asked is None or not asked.dense:
            return
        try:
            await desk.write(asking.remember, asked.text, asked.model, await vector(asked) or "")
            note = "The vector of this query is stored in query_v, so the SQL runs without the embedding service."
        except StcError as error:
            note = f"The vector of this query could not be stored ({error.message}). To run the SQL, start 'stc serve'."
        await _fill_in(session, ".stc-sql-note", ui.p(note))

    @render.ui
    def told() -> Tag | None:
        if run.status() == "running":
            return ui.div("Searching … ", ui.input_action_button("stop", "Stop", class_="btn-sm btn-outline-danger"))
        if run.status() == "cancelled":
            return ui.p("Stopped.")
        if run.status() != "success":
            return None
        page = run.result()
        if isinstance(page, SearchFailure):
            return None
        count = len(page.found.rows) if page.found else len(page.near[1]) if page.near else 0
        what = f"{count} document{'s' if count != 1 else ''}"
        by = f", by {page.asked.system}" if page.found else ", by embedding"
        odd = page.found is not None and page.asked.text.count('"') % 2 == 1
        return ui.p(
            f"{what}{by}, in {1000 * page.seconds:,.0f} ms.", " The unbalanced quotation mark was ignored." if odd else None
        )

    @render.ui
    def shown() -> Tag | TagList | None:
        if run.status() in ("initial", "running", "cancelled"):
            return None
        page = run.result()
        back = ui.input_action_button("back", "Back to the results", class_="btn-sm")
        if isinstance(page, SearchFailure):
            return TagList(back if page.of else None, alert(page.error))
        if page.near is not None and page.of is not None:
            drawn = near(*page.near, doc=page.of[0], field=page.of[1], fields=DOCUMENT_FIELDS, ns=ns)
            return TagList(back, ui.HTML(drawn))
        assert page.found is not None  # noqa: S101
        last.set(page.asked)
        more = len(page.found.rows) == page.asked.k < 100
        return TagList(
            ui.HTML(results(page.asked, page.found, ns=ns)),
            ui.input_action_button("more", "More results", class_="btn-sm") if more else None,
        )


def read(given: dict[str, Any], *, blank: bool = False) -> SearchRequest:
    """Return the search in the form or URL. :param blank: allow an empty query.

    :raises BadArgument: the query is empty or too long, a number is invalid, or the years are reversed.
    """
    text = str(given["q"] or "").replace("\x00", " ")
    if not text.strip() and not blank:
        raise BadArgument("the query is empty", hint="Type some words, or select a stored query.", sqlstate="IR202")
    if len(text) > _MOST:
        raise BadArgument(f"the query has {len(text):,} characters", hint=f"Shorten it to {_MOST:,} or fewer.", sqlstate="IR202")
    numbers = {name: _number(name, given[name], whole=name != "grade") for name in NUMBERS}
    k = _number("k", given["k"], whole=True)
    if k is not None and not 1 <= k <= 1000:
        raise BadArgument(f"the number of results is {k:g}", hint="Use a number from 1 to 1,000.", sqlstate="IR201")
    return SearchRequest(
        text=text,
        system=str(given["system"] or "hybrid"),
        k=int(k or 10),
        filter=asking.narrowing(
            years=(_int(numbers["first"]), _int(numbers["last"])),
            grade=numbers["grade"],
            citations=_int(numbers["cited"]),
            venue=str(given["venue"] or ""),
        ),
        model=str(given["model"]) if given["model"] else None,
    )


def _number(name: str, value: Any, *, whole: bool) -> float | None:
    if value is None or value == "":
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise BadArgument(
            f"{FIELDS[name]}: {value!r} is not a number", hint="Enter digits, such as 12.", sqlstate="IR202"
        ) from None
    if not abs(number) < 1e9 or (whole and number != int(number)):
        raise BadArgument(f"{FIELDS[name]}: {value} is not valid", hint="Enter an integer below one billion.", sqlstate="IR202")
    return number


def _int(number: float | None) -> int | None:
    return None if number is None else int(number)


def _written(value: Any) -> str | None:
    return None if value is None else str(value)


async def _fill_in(session: Session, where: str, what: Any) -> None:
    """Fill the element at a CSS selector with HTML, through search.js."""
    await session.send_custom_message("stc-fill", {"where": where, "html": TagList(what).get_html_string()})


_known: WeakKeyDictionary[Desk, tuple[float, asyncio.Task[SearchOptions]]] = WeakKeyDictionary()


async def _choices(desk: Desk) -> SearchOptions:
    """Return the choices of the form, queried once a minute for all sessions, since the query scans the vectors."""
    asked, task = _known.get(desk, (0.0, None))
    failed = task is not None and task.done() and (task.cancelled() or task.exception() is not None)
    if task is None or failed or time.monotonic() - asked > _FRESH_SECONDS:
        task = asyncio.create_task(desk.ask(asking.options))
        _known[desk] = time.monotonic(), task
    return await asyncio.shield(task)


_warming: set[asyncio.Task[None]] = set()


async def prepare(desk: Desk) -> None:
    """Prepare when the server starts, so that the first reader does not wait. Errors are reported on the page instead."""
    with suppress(StcError):
        _warm(Embedding.of(desk), await _choices(desk))


def _warm(embedding: Embedding, here: SearchOptions) -> None:
    """Load the model in the background if the hybrid system is available. Errors are reported by the first dense search."""
    if not here.systems["hybrid"] and not _warming:
        task = asyncio.create_task(embedding.warm())
        _warming.add(task)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())

"""The judging tab: judge the documents of a pool, blind and by keyboard, on the same sheets as ``stc qrels judge``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from shiny import Inputs, Outputs, Session, module, reactive, render, req, ui

from stcollection.errors import BadArgument, StcError
from stcollection.explore.desk import Desk
from stcollection.explore.judging import disagreements, work
from stcollection.explore.judging.hands import Hands, Holder
from stcollection.explore.judging.sheet import document, finished, guidance, how_far, of_pool, said
from stcollection.explore.judging.work import BlindDocument
from stcollection.explore.pieces import alert, tells
from stcollection.qrels.sheets import plain

NAME, TITLE = "judging", "Judging"
_HANDS: WeakKeyDictionary[Desk, Hands] = WeakKeyDictionary()  # shared by all pages of a desk
_MAKE = "stc qrels pool make first --depth 10"


@dataclass(frozen=True, kw_only=True)
class JudgingSession:
    """The annotator, pool and scale of a page. :param query: the only query to judge; None for all, one after another."""

    pool: str
    annotator: str
    query: str | None
    grades: Mapping[int, str]


@dataclass(frozen=True, kw_only=True)
class SheetView:
    """The document shown on the page.

    :param paper: None when nothing is left. :param again: the reader went back to it.
    :param trouble: why the last decision was not stored. :param serial: number of this rendering.
    """

    paper: BlindDocument | None
    again: bool
    trouble: StcError | None
    serial: int


@module.ui
def tab() -> ui.Tag:
    return ui.div(
        ui.h1("Judge a pool"),
        ui.navset_underline(
            ui.nav_panel(
                "Judge",
                ui.output_ui("form"),
                ui.output_ui("refused"),
                ui.div(ui.output_text("status"), class_="stc-status", role="status", aria_live="polite"),
                ui.output_ui("sheet"),
                ui.output_ui("progress"),
                value="judge",
            ),
            ui.nav_panel("Disagreements", disagreements.shown(), value="disagreements"),
            id="view",
        ),
        class_="stc-judging",
        data_ns=module.resolve_id("x")[:-1],
    )


@module.server
def serve(input: Inputs, output: Outputs, session: Session, desk: Desk) -> None:  # noqa: A002
    hands = _HANDS.setdefault(desk, Hands())
    sitting: reactive.Value[JudgingSession | None] = reactive.Value(None, name="sitting")
    drawn: reactive.Value[SheetView | None] = reactive.Value(None, name="drawn")
    refusal: reactive.Value[StcError | None] = reactive.Value(None, name="refusal")
    told: reactive.Value[str] = reactive.Value("", name="told")
    decisions: reactive.Value[int] = reactive.Value(0, name="decisions")

    def holder() -> Holder:
        return Holder(_part(input.resume(), "window"), session.id)

    session.on_ended(lambda: hands.let_go(mine[0]) if mine else None)
    mine: list[Holder] = []  # kept, since the inputs of an ended session cannot be read

    async def begin(pool: str, annotator: str, query: str | None) -> None:
        """Start judging a sheet, or show why that is not possible."""
        try:
            if not pool:
                raise BadArgument("no pool is selected", hint="Select a pool.")
            if not annotator:
                raise BadArgument("the name is empty", hint="Enter your name: each judgment is stored with its annotator.")
            grades = await desk.ask(work.begin, pool, annotator)
            here = JudgingSession(pool=pool, annotator=annotator, query=query, grades=grades)
            await go_on(here, "")
        except StcError as error:
            refuse(error)
            return
        refusal.set(None)
        sitting.set(here)
        decisions.set(decisions() + 1)
        await session.send_custom_message("stc-judging", {"pool": pool, "annotator": annotator, "query": query or ""})

    def draw(paper: BlindDocument | None, *, again: bool = False, trouble: StcError | None = None) -> None:
        last = drawn()
        drawn.set(SheetView(paper=paper, again=again, trouble=trouble, serial=last.serial + 1 if last else 1))

    def refuse(error: StcError) -> None:
        """Show an error, and keep the document on the page ready for keys."""
        refusal.set(error)
        at = drawn()
        if at is not None:
            draw(at.paper, again=at.again)

    async def go_on(here: JudgingSession, first: str) -> None:
        """Show the next document on the sheet. :param first: text to announce before it."""
        me = holder()
        mine[:] = [me]
        while True:
            passed = hands.elsewhere(here.pool, here.annotator, me)
            token = await desk.ask(work.next_token, here.pool, here.annotator, here.query, passed)
            if token is None:
                hands.let_go(me)
                draw(None)
                told.set(f"{first}Nothing left to judge here.")
                return
            if hands.take(here.pool, here.annotator, token, me):
                await show(here, token, first)
                return

    async def show(here: JudgingSession, token: str, first: str, *, again: bool = False) -> None:
        paper = await desk.ask(work.paper, here.pool, here.annotator, token)
        draw(paper, again=again)
        told.set(f"{first}Document {paper.number} of {paper.of} of query {plain(paper.query)}, {said(paper)}.")

    async def press(here: JudgingSession, at: SheetView, key: str, note: str) -> None:
        """Handle a key pressed on a document."""
        paper = at.paper
        if key == "back":
            earlier = (
                await desk.ask(work.before, here.pool, here.annotator, paper.token, again=at.again)
                if paper
                else await desk.ask(work.decided_last, here.pool, here.annotator)
            )
            if earlier is None:
                draw(paper, again=at.again)
                told.set("There is no earlier document.")
            else:
                await show(here, earlier, "Back. ", again=True)
            return
        if paper is None:
            draw(None)
            return
        new = None if note == plain(paper.note) else note
        rel = int(key) if key.isdecimal() else None
        if rel is None and paper.rel is not None and new is None:  # keep the grade
            await go_on(here, "")
            return
        try:
            stored = await desk.write(work.decide, here.pool, here.annotator, paper.token, rel, new, paper.changed)
        except StcError:
            told.set("Not stored.")
            raise
        if stored is not None:
            decisions.set(decisions() + 1)
            done = "Skipped. " if rel is None else f"Graded {rel}. "
            try:
                await go_on(here, done)
            except StcError as error:  # the decision is stored nevertheless
                draw(stored, again=True, trouble=error)
                told.set(f"{done}The next document could not be loaded.")
        else:
            await show(here, paper.token, "Not stored: this document was judged in another tab or terminal. ", again=True)

    @reactive.effect
    @reactive.event(input.resume)
    async def _() -> None:
        pool, annotator = _part(input.resume(), "pool"), _part(input.resume(), "annotator")
        if pool and annotator:
            await begin(pool, annotator, _part(input.resume(), "query") or None)

    @reactive.effect
    @reactive.event(input.begin)
    async def _() -> None:
        await begin(_part(input.begin(), "pool"), _part(input.begin(), "annotator").strip(), None)

    @reactive.effect
    @reactive.event(input.choose)
    async def _() -> None:
        here = sitting()
        if here is not None:
            await begin(here.pool, here.annotator, _part(input.choose(), "query") or None)

    @reactive.effect
    @reactive.event(input.press)
    async def _() -> None:
        here, at, sent = sitting(), drawn(), input.press()
        if here is None or at is None:
            return
        key = _part(sent, "key")
        of_this = (here.pool, at.paper.query if at.paper else "", at.paper.token if at.paper else "", str(at.serial))
        if tuple(_part(sent, name) for name in ("pool", "query", "token", "serial")) != of_this:
            return  # the key was meant for a document that is no longer on the screen
        if key not in {"back", "skip", *map(str, here.grades)}:
            draw(at.paper, again=at.again)
            return
        try:
            await press(here, at, key, plain(_part(sent, "note"))[:1000])
        except StcError as error:
            draw(at.paper, again=at.again, trouble=error)

    @reactive.effect
    @reactive.event(input.look)
    async def _() -> None:
        """Show one of the annotator's own documents again, from the list of disagreements."""
        here = sitting()
        if here is None:
            return
        try:
            await show(here, _part(input.look(), "token"), "", again=True)
        except StcError as error:
            refuse(error)
        ui.update_navset("view", selected="judge")

    @render.ui
    @tells
    async def form() -> ui.Tag:
        remembered = input.resume()
        found = await desk.ask(work.all_pools)
        if not found:
            return ui.div(
                ui.p("No pools yet. A pool contains documents of runs to be judged. Create one, then reload this page:"),
                ui.pre(ui.tags.code(_MAKE)),
            )
        names = {one.pool: f"{plain(one.pool)}, {one.documents:,} documents" for one in found}
        here = sitting()
        asked = ui.tags.form(
            ui.input_select("pool", "Pool", names, selected=here.pool if here else _part(remembered, "pool") or None),
            ui.input_text("annotator", "Your name", value=here.annotator if here else _part(remembered, "annotator")),
            ui.tags.button("Start", type="submit", class_="btn btn-primary"),
            class_="stc-begin",
        )
        if here is None:
            return asked
        return ui.tags.details(ui.tags.summary(f"{plain(here.annotator)} judges {plain(here.pool)}"), asked, class_="stc-who")

    @render.ui
    def refused() -> ui.Tag | None:
        error = refusal()
        return alert(error) if error else None

    @render.text
    def status() -> str:
        return told()

    @render.ui
    @tells
    async def sheet() -> ui.Tag | None:
        here, at = sitting(), drawn()
        if here is None or at is None:
            return None
        if at.paper is None:
            rows = await desk.ask(work.progress, here.pool, here.annotator)
            shown = finished(rows, pool=here.pool, query=here.query, serial=at.serial)
        else:
            shown = document(at.paper, pool=here.pool, grades=here.grades, serial=at.serial)
        return ui.div(alert(at.trouble) if at.trouble else None, shown, guidance(here.grades))

    @render.ui
    @tells
    async def progress() -> ui.Tag | None:
        here = sitting()
        if here is not None:
            decisions()
            rows = await desk.ask(work.progress, here.pool, here.annotator)
            return how_far(rows, chosen=here.query)
        pool = req(input.pool())
        overview = next((one for one in await desk.ask(work.all_pools) if one.pool == pool), None)
        return of_pool(overview, await desk.ask(work.of_pool, pool)) if overview else None

    @reactive.calc
    def at_pool() -> tuple[str, str | None]:
        """Return the selected pool, and the annotator who judges it on this page, if any."""
        here = sitting()
        return (here.pool, here.annotator) if here else (req(input.pool()), None)

    disagreements.serve(input, desk, at_pool=at_pool, decisions=decisions)


def _part(sent: Any, name: str) -> str:
    """Return a string that the browser sent, '' if it is missing."""
    value = sent.get(name, "") if isinstance(sent, Mapping) else ""
    return value if isinstance(value, str) else ""

"""The judging tab: judge the documents of a pool, blind and by keyboard, on the same sheets as ``stc judge``."""

from __future__ import annotations

from contextlib import suppress

from shiny import Inputs, Outputs, Session, module, reactive, render, req, ui

from stcollection.errors import StcError
from stcollection.explore import address
from stcollection.explore.judging import corrections, disagreements, pairs, progress, proposals
from stcollection.explore.judging.decisions import part
from stcollection.explore.judging.sheet import (
    document,
    entry,
    finished,
    guidance,
    how_far,
    no_pools,
    of_pool,
    pace,
    simulated,
)
from stcollection.explore.judging.sitting import Sitting
from stcollection.explore.pieces import alert, tells
from stcollection.qrels import judging as work
from stcollection.qrels.guidelines import default_guidelines
from stcollection.qrels.pools import pool_queries, pools
from stcollection.qrels.sheets import plain
from stcollection.topics.sets import ALL
from stcollection.web.desk import Desk
from stcollection.web.hands import Hands
from stcollection.web.words import t

NAME = "judging"
_PANELS = ("judge", "pairs", "disagreements", "progress", corrections.PANEL, "proposals")
_LONGEST_SET = 500  # characters of a typed set of queries
_OF_OTHERS = ("disagreements", "progress", "proposals")  # panels that an invited assessor does not have


@module.ui
def tab() -> ui.Tag:
    return ui.div(
        ui.h1(t("Judge a pool")),
        ui.output_ui("form"),
        ui.input_text("set", t("Typed query set"), placeholder="G01.C*", update_on="blur"),
        ui.output_ui("refused"),
        ui.navset_underline(
            ui.nav_panel(
                t("Judge"),
                ui.div(class_="stc-kept", role="status", hidden=""),
                ui.div(ui.output_text("status"), class_="stc-status", role="status", aria_live="polite"),
                ui.output_ui("speed"),
                ui.div(ui.output_ui("sheet"), ui.output_ui("guide", class_="stc-beside"), class_="stc-desk"),
                ui.output_ui("by_query"),
                value="judge",
            ),
            ui.nav_panel(t("Pairs"), pairs.shown(), value="pairs"),
            ui.nav_panel(t("Disagreements"), disagreements.shown(), value="disagreements"),
            ui.nav_panel(t("Progress"), progress.shown(), value="progress"),
            ui.nav_panel(t("Proposed queries"), proposals.shown(), value="proposals"),
            id="view",
        ),
        class_="stc-judging",
        data_ns=module.resolve_id("x")[:-1],
    )


@module.server
def serve(input: Inputs, output: Outputs, session: Session, desk: Desk) -> None:  # noqa: A002
    hands = Hands.of(desk)
    sitting = Sitting(desk, hands, session)
    session.on_ended(sitting.leave)
    _keys(input, session, sitting)
    comparisons = pairs.serve(input, session, desk, sitting, hands).decisions
    _set(input, session, sitting)
    _url(input, session, sitting)
    _drawings(input, session, desk, sitting)

    first: reactive.Value[str | None] = reactive.Value(address.read(session).get("pool"), name="first")  # until one is selected

    @reactive.effect
    async def _() -> None:
        """Select a pool if another panel is opened before the one with the choice, which is drawn when it is seen."""
        if first() is None and not input.pool.is_set() and input.view() != _PANELS[0]:
            with suppress(StcError):  # the panel Judge shows it
                found = await desk.ask(pools)
                first.set(found[0].pool if found else None)

    @reactive.calc
    def at_pool() -> tuple[str, str | None]:
        """Return the selected pool, and the annotator who judges it on this page, if any."""
        here = sitting.here()
        if here:
            return here.pool, here.annotator
        return str(req(input.pool() if input.pool.is_set() else first())), None

    if desk.guest is not None:  # an invited assessor sees no grades of others
        for panel in _OF_OTHERS:
            ui.remove_nav_panel("view", panel)
        return
    disagreements.serve(input, desk, at_pool=at_pool, queries=sitting.queries, decisions=sitting.decisions)
    progress.serve(input, desk, at_pool=at_pool, queries=sitting.queries, decided=sitting.decisions, comparisons=comparisons)
    proposals.serve(input, desk)
    corrections.serve(input, session, desk)


def _keys(input: Inputs, session: Session, sitting: Sitting) -> None:  # noqa: A002
    """Handle what the script sends."""

    @reactive.effect
    @reactive.event(input.resume)
    async def _() -> None:
        """Store what the browser kept, and continue the judging session that it remembers."""
        sent = input.resume()
        sitting.holds(part(sent, "window"))
        pool, annotator = part(sent, "pool"), part(sent, "annotator")
        try:
            kept = await sitting.flush(sent)
        except StcError as error:
            sitting.refuse(error)
            return
        sitting.told.set(kept)
        trouble = sitting.refusal()  # decisions that have to wait
        known = sitting.guest or (pool and annotator)
        if known and await sitting.begin(pool, annotator, part(sent, "query") or None, first=kept):
            sitting.refusal.set(trouble)

    @reactive.effect
    @reactive.event(input.begin)
    async def _() -> None:
        pool = part(input.begin(), "pool")
        if await sitting.begin(pool, part(input.begin(), "annotator").strip(), None):
            await address.write(session, push=True, pool=pool, of=None)

    @reactive.effect
    @reactive.event(input.choose)
    async def _() -> None:
        here, query = sitting.here(), part(input.choose(), "query") or None
        if here is not None and await sitting.begin(here.pool, here.annotator, query):
            await address.write(session, push=True, of=query)

    @reactive.effect
    @reactive.event(input.press)
    async def _() -> None:
        await sitting.key(input.press())

    @reactive.effect
    @reactive.event(input.look)
    async def _() -> None:
        """Show one of the annotator's own documents again, from the list of disagreements."""
        here = sitting.here()
        if here is None:
            return
        try:
            await sitting.show(here, part(input.look(), "token"), "", again=True)
        except StcError as error:
            sitting.refuse(error)
        ui.update_navset("view", selected="judge")


def _set(input: Inputs, session: Session, sitting: Sitting) -> None:  # noqa: A002
    """Keep the typed set of queries in the URL, and judge only its queries."""
    first = address.read(session).get("only", "").strip()[:_LONGEST_SET]
    sitting.queries.set(first or ALL)
    ui.update_text("set", value=first)

    @reactive.effect
    @reactive.event(input.set, ignore_init=True)
    async def _() -> None:
        typed = input.set().strip()[:_LONGEST_SET]
        if (typed or ALL) == sitting.queries():
            return
        sitting.queries.set(typed or ALL)
        await address.write(session, push=True, only=typed or None, of=None)
        await _again(sitting)

    @reactive.effect
    async def _() -> None:
        """Show the set of the URL after back or forward."""
        place = address.visited(session)
        if place is None:
            return
        typed = place.get("only", "").strip()[:_LONGEST_SET]
        with reactive.isolate():
            if (typed or ALL) != sitting.queries():
                sitting.queries.set(typed or ALL)
                ui.update_text("set", value=typed)
                await _again(sitting)


async def _again(sitting: Sitting) -> None:
    """Go on judging with the set of queries that was typed last."""
    sitting.refusal.set(None)
    here = sitting.here()
    if here is not None:
        await sitting.begin(here.pool, here.annotator, None)


def _url(input: Inputs, session: Session, sitting: Sitting) -> None:  # noqa: A002
    """Keep pool, query and panel in the URL."""

    @reactive.effect
    def _() -> None:
        """Open the panel named in the URL, once."""
        panel = address.read(session).get("panel")
        if panel in _PANELS:
            ui.update_navset("view", selected=panel)

    @reactive.effect
    @reactive.event(input.view, ignore_init=True)
    async def _() -> None:
        panel = input.view()
        await address.write(session, push=True, panel=None if panel == _PANELS[0] else panel)

    @reactive.effect
    async def _() -> None:
        """Show the panel, pool and query of the URL after back or forward."""
        place = address.visited(session)
        if place is None:
            return
        panel = place.get("panel", _PANELS[0])
        ui.update_navset("view", selected=panel if panel in _PANELS else _PANELS[0])
        pool, query = place.get("pool"), place.get("of")
        with reactive.isolate():
            here = sitting.here()
            if here is None:
                if pool:
                    ui.update_select("pool", selected=pool)
            elif pool and (pool, query) != (here.pool, here.query):
                await sitting.begin(pool, here.annotator, query)


def _drawings(input: Inputs, session: Session, desk: Desk, sitting: Sitting) -> None:  # noqa: A002
    """Draw the panel in which documents are judged."""

    @render.ui
    @tells
    async def form() -> ui.Tag | None:
        if desk.guest is not None:
            return None
        remembered = input.resume()
        found = await desk.ask(pools)
        if not found:
            return no_pools()
        here = sitting.here()
        wanted = here.pool if here else address.read(session).get("pool") or part(remembered, "pool")
        wanted = wanted if wanted in {one.pool for one in found} else found[0].pool
        asked = entry(found, pool=wanted, annotator=here.annotator if here else part(remembered, "annotator"))
        if here is None:
            return ui.div(asked, simulated(found))
        note = simulated([pool for pool in found if pool.pool == here.pool])
        who = t("{annotator} judges {pool}", annotator=plain(here.annotator), pool=plain(here.pool))
        return ui.div(ui.tags.details(ui.tags.summary(who), asked, class_="stc-who"), note)

    @render.ui
    def refused() -> ui.Tag | None:
        error = sitting.refusal()
        return alert(error) if error else None

    @render.text
    def status() -> str:
        return sitting.told()

    @render.ui
    @tells
    async def speed() -> ui.Tag | None:
        here = sitting.here()
        sitting.decisions()
        if here is None:
            return None
        rows = await desk.ask(work.progress, here.pool, here.annotator, here.queries)
        return pace(rows, await desk.ask(work.pace, here.pool, here.annotator))

    @render.ui
    @tells
    async def sheet() -> ui.Tag | None:
        here, at = sitting.here(), sitting.drawn()
        if here is None or at is None:
            return None
        if at.paper is None:
            rows = await desk.ask(work.progress, here.pool, here.annotator, here.queries)
            shown = finished(rows, pool=here.pool, query=here.query, serial=at.serial, queries=here.queries)
        else:
            shown = document(at.paper, pool=here.pool, annotator=here.annotator, grades=here.grades, serial=at.serial)
        return ui.div(alert(at.trouble) if at.trouble else None, shown)

    @render.ui
    def guide() -> ui.TagList | None:
        here = sitting.here()
        return guidance(here.guidelines or default_guidelines(here.grades, t=t), here.grades) if here else None

    @render.ui
    @tells
    async def by_query() -> ui.Tag | None:
        here = sitting.here()
        if here is not None:
            sitting.decisions()
            return how_far(await desk.ask(work.progress, here.pool, here.annotator, here.queries), chosen=here.query)
        pool = req(input.pool())
        overview = next((one for one in await desk.ask(pools) if one.pool == pool), None)
        return of_pool(overview, await desk.ask(pool_queries, pool, queries=sitting.queries())) if overview else None

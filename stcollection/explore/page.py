"""The page: its tabs and shared parts."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import psycopg
from shiny import App, Inputs, Outputs, Session, reactive, render, ui

from stcollection.explore import address
from stcollection.explore.board import tab as board
from stcollection.explore.collection import tab as collection
from stcollection.explore.coverage import tab as coverage
from stcollection.explore.desk import Desk
from stcollection.explore.figures import SCRIPTS
from stcollection.explore.home import tab as home
from stcollection.explore.judging import tab as judging
from stcollection.explore.map import tab as document_map
from stcollection.explore.pieces import tells
from stcollection.explore.search import tab as search
from stcollection.explore.upload import tab as upload
from stcollection.qrels.simulated import simulated_note

STATIC = Path(__file__).parent / "static"
# A tab is a module with NAME (its namespace, the name of its script in static/, and its value in the URL), TITLE, tab(), which
# returns its elements, and serve(NAME, desk).
TABS: tuple[ModuleType, ...] = (home, search, board, judging, upload, coverage, document_map, collection)
_THEMES = {"data-system": "Theme: system", "data-light": "Theme: light", "data-dark": "Theme: dark"}
_FRESH_SECONDS = 60.0


def _simulated(conn: psycopg.Connection) -> str | None:
    return simulated_note(conn, annotations=True)


def page(title: str) -> ui.Tag:
    """Return the page of a collection. :param title: name of the collection."""
    return ui.page_navbar(
        *(ui.nav_panel(tab.TITLE, tab.tab(tab.NAME), value=tab.NAME) for tab in TABS),
        title=title,
        id="tab",
        window_title=f"{title}: explorer",
        lang="en",
        footer=ui.TagList(ui.output_ui("simulated"), ui.tags.button("Theme", type="button", class_="stc-theme", **_THEMES)),
        header=ui.head_content(
            ui.tags.meta(name="viewport", content="width=device-width, initial-scale=1"),
            ui.tags.meta(name="color-scheme", content="light dark"),
            ui.tags.link(rel="icon", href="explore/icon.svg", type="image/svg+xml"),
            ui.tags.link(rel="stylesheet", href="explore/explore.css"),
            ui.tags.script(src="plotly/plotly.min.js"),
            ui.tags.script(src="explore/explore.js"),
            ui.tags.script(src="explore/figures.js"),
            *(
                ui.tags.link(rel="stylesheet", href=f"explore/{tab.NAME}.css")
                for tab in TABS
                if (STATIC / f"{tab.NAME}.css").exists()
            ),
            *(ui.tags.script(src=f"explore/{tab.NAME}.js") for tab in TABS if (STATIC / f"{tab.NAME}.js").exists()),
        ),
    )


def make_page(desk: Desk, title: str) -> App:
    """Return the page as an ASGI application."""

    def server(input: Inputs, output: Outputs, session: Session) -> None:  # noqa: A002
        returning: list[str] = []  # the tab that back or forward opens

        for tab in TABS:
            tab.serve(tab.NAME, desk)

        @render.ui
        @tells
        async def simulated() -> ui.Tag | None:
            """Show below each tab which of the collection's judgments and grades are simulated."""
            note = await desk.ask_often(_simulated, seconds=_FRESH_SECONDS)
            return ui.p(note, role="note", class_="text-muted small px-3") if note else None

        @reactive.effect
        def _() -> None:
            """Open the tab named in the URL, once."""
            wanted = address.read(session).get("tab")
            if wanted in {tab.NAME for tab in TABS}:
                ui.update_navset("tab", selected=wanted)

        @reactive.effect
        def _() -> None:
            """Open the tab of the URL after back or forward."""
            place = address.visited(session)
            if place is None:
                return
            wanted = place.get("tab", TABS[0].NAME)
            with reactive.isolate():
                returning[:] = [wanted] if input.tab() != wanted else []
            ui.update_navset("tab", selected=wanted)

        @reactive.effect
        @reactive.event(input.tab, ignore_init=True)
        async def _() -> None:
            if returning != [input.tab()]:  # else the URL names it already, and a new entry would end the way forward
                await address.write(session, push=True, tab=input.tab())
            returning.clear()

    return App(page(title), server, static_assets={"/explore": STATIC, "/plotly": SCRIPTS})

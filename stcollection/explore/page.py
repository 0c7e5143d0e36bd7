"""The page: its tabs and shared parts."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from shiny import App, Inputs, Outputs, Session, reactive, render, ui

from stcollection.explore import address, coverage
from stcollection.explore.board import tab as board
from stcollection.explore.collection import tab as collection
from stcollection.explore.desk import Desk
from stcollection.explore.figures import SCRIPTS
from stcollection.explore.judging import tab as judging
from stcollection.explore.pieces import tells
from stcollection.explore.search import tab as search
from stcollection.explore.upload import tab as upload
from stcollection.qrels.simulated import simulated_note

STATIC = Path(__file__).parent / "static"
# A tab is a module with NAME (its namespace, the name of its script in static/, and its value in the URL), TITLE, tab(), which
# returns its elements, and serve(NAME, desk).
TABS: tuple[ModuleType, ...] = (search, coverage, board, judging, upload, collection)
_THEMES = {"data-system": "Theme: system", "data-light": "Theme: light", "data-dark": "Theme: dark"}


def page(title: str) -> ui.Tag:
    """Return the page of a collection. :param title: name of the collection."""
    return ui.page_navbar(
        *(ui.nav_panel(tab.TITLE, tab.tab(tab.NAME), value=tab.NAME) for tab in TABS),
        ui.nav_spacer(),
        ui.nav_control(ui.tags.button("Theme", type="button", class_="stc-theme", **_THEMES)),
        title=title,
        id="tab",
        window_title=f"{title}: explorer",
        lang="en",
        footer=ui.output_ui("simulated"),
        header=ui.head_content(
            ui.tags.meta(name="viewport", content="width=device-width, initial-scale=1"),
            ui.tags.meta(name="color-scheme", content="light dark"),
            ui.tags.link(rel="icon", href="explore/icon.svg", type="image/svg+xml"),
            ui.tags.link(rel="stylesheet", href="explore/explore.css"),
            ui.tags.script(src="plotly/plotly.min.js"),
            ui.tags.script(src="explore/explore.js"),
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
        for tab in TABS:
            tab.serve(tab.NAME, desk)

        @render.ui
        @tells
        async def simulated() -> ui.Tag | None:
            """Show below each tab which of the collection's judgments and grades are simulated."""
            note = await desk.ask(simulated_note, annotations=True)
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
            if place is not None:
                ui.update_navset("tab", selected=place.get("tab", TABS[0].NAME))

        @reactive.effect
        @reactive.event(input.tab, ignore_init=True)
        async def _() -> None:
            await address.write(session, push=True, tab=input.tab())

    return App(page(title), server, static_assets={"/explore": STATIC, "/plotly": SCRIPTS})

"""The page: its tabs and shared parts."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from shiny import App, Inputs, Outputs, Session, reactive, render, ui

from stcollection.explore import address, pieces, spoken
from stcollection.explore.access import account
from stcollection.explore.access.desks import DESK
from stcollection.explore.collection import tab as collection
from stcollection.explore.coverage import tab as coverage
from stcollection.explore.figures import SCRIPTS
from stcollection.explore.lean import page_closed
from stcollection.explore.navigation import TABS as TITLES
from stcollection.explore.navigation import entries
from stcollection.explore.pieces import tells
from stcollection.explore.views import views
from stcollection.qrels.simulated import collection_note
from stcollection.web import words
from stcollection.web.desk import Desk
from stcollection.web.words import t

STATIC = Path(__file__).parent / "static"
# A tab is a module with NAME (its namespace, the name of its script in static/, and its value in the URL), tab(), which
# returns its elements, and serve(NAME, desk). navigation.py has its title.
TABS: tuple[ModuleType, ...] = (upload, coverage, document_map, collection)
_NOTED = (upload.NAME,)  # these show editions or pools of the reader's choice, with their own notes
_FRESH_SECONDS = 60.0


def _themes() -> dict[str, str]:
    return {"data-system": t("Theme: system"), "data-light": t("Theme: light"), "data-dark": t("Theme: dark")}


def _languages() -> ui.Tag:
    """Return the choice of the language. The session reads from it in which language the page was written."""
    current = words.language()
    options = (
        ui.tags.option(name, value=value, lang=value, selected="selected" if value == current else None)
        for value, name in words.LANGUAGES.items()
    )
    return ui.tags.select(*options, id=words.CHOICE, class_="stc-language", aria_label=t("Language"), autocomplete="off")


def _views() -> ui.Tag:
    """Return links to the server-rendered views, which explore.js moves into the bar of tabs."""
    shown = views()
    names = {view.name for view in shown}
    listed = [entry for entry in entries((view.name, view.title) for view in shown) if entry.name in names]
    return ui.tags.nav(*(ui.a(entry.title, href=entry.href) for entry in listed), class_="stc-views", aria_label=t("Views"))


def page(title: str, *, tabs: tuple[ModuleType, ...] = TABS, sign_out: bool = False) -> ui.Tag:
    """Return the page of a collection. :param title: name of the collection. :param sign_out: show who is signed in."""
    return ui.page_navbar(
        *(ui.nav_panel(t(TITLES[tab.NAME]), tab.tab(tab.NAME), value=tab.NAME) for tab in tabs),
        title=title,
        id="tab",
        window_title=t("{collection}: explorer", collection=title),
        lang=words.language(),
        footer=ui.TagList(
            ui.output_ui("simulated"),
            _views(),
            account.form() if sign_out else None,
            _languages(),
            ui.tags.button(t("Theme"), type="button", class_="stc-theme", **_themes()),
        ),
        header=ui.head_content(
            ui.tags.meta(name="viewport", content="width=device-width, initial-scale=1"),
            ui.tags.meta(name="color-scheme", content="light dark"),
            ui.tags.meta(name="stc-words", content=words.for_scripts()),
            ui.tags.link(rel="icon", href="explore/icon.svg", type="image/svg+xml"),
            ui.tags.link(rel="stylesheet", href="explore/explore.css"),
            ui.tags.link(rel="prefetch", href="plotly/plotly.min.js", as_="script"),  # explore.js runs it with the first figure
            ui.tags.script(src="explore/explore.js"),
            ui.tags.script(src="explore/figures.js"),
            *(
                ui.tags.link(rel="stylesheet", href=f"explore/{tab.NAME}.css")
                for tab in TABS
                if (STATIC / f"{tab.NAME}.css").exists()
            ),
            *(account.files() if sign_out else ()),
            *(ui.tags.script(src=f"explore/{tab.NAME}.js") for tab in TABS if (STATIC / f"{tab.NAME}.js").exists()),
        ),
    )


def make_page(home: Desk, title: str, *, tabs: tuple[ModuleType, ...] = TABS, sign_out: bool = False) -> App:
    """Return the page as an ASGI application.

    :param home: the desk of readers who are not signed in. :param tabs: which tabs. :param sign_out: readers sign in.
    """

    def server(input: Inputs, output: Outputs, session: Session) -> None:  # noqa: A002
        spoken.follow(session)
        session.on_ended(page_closed)
        returning: list[str] = []  # the tab that back or forward opens
        scope = account.scope_of(session)
        desk: Desk = scope.get(DESK, home)
        if sign_out:
            account.serve(output, scope)
        for tab in tabs:
            tab.serve(tab.NAME, desk)

        @render.ui
        @tells
        async def simulated() -> ui.Tag | None:
            """Show which of the collection's judgments and grades are simulated, below tabs that show the whole collection."""
            if input.tab() in _NOTED:
                return None
            return pieces.simulated(await desk.ask_often(collection_note, seconds=_FRESH_SECONDS))

        @reactive.effect
        def _() -> None:
            """Open the tab of the URL after back or forward."""
            place = address.visited(session)
            if place is None:
                return
            wanted = place.get("tab", tabs[0].NAME)
            with reactive.isolate():
                returning[:] = [wanted] if input.tab() != wanted else []
            ui.update_navset("tab", selected=wanted)

        @reactive.effect
        @reactive.event(input.tab, ignore_init=True)
        async def _() -> None:
            if returning != [input.tab()]:  # else the URL names it already, and a new entry would end the way forward
                await address.write(session, push=True, tab=input.tab())
            returning.clear()

    return App(page(title, tabs=tabs, sign_out=sign_out), server, static_assets={"/explore": STATIC, "/plotly": SCRIPTS})

"""Take pictures of the page with Debian's chromium. Needs a running page:

stc --db demo serve page --port 8899 &
python tools/pictures.py http://127.0.0.1:8899                    # those that README.md and docs show, in docs/figures
python tools/pictures.py http://127.0.0.1:8899 build/pictures     # every view: laptop, tablet, phone; light and dark
python tools/pictures.py http://127.0.0.1:8899 build/pictures search judging    # views whose names begin with these words
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, FilePayload, Page, sync_playwright

from stcollection.explore.navigation import TABS

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "figures"
SEARCH = "q=how+do+voice+assistants+listen&system=hybrid"
# Pictures of the docs by file name.
SHOWN = {"page": "search", "leaderboard": "leaderboard", "judging": "judging-sheet", "map": "map"}
SIZES = {"laptop": (1440, 900), "tablet": (820, 1180), "phone": (390, 844)}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
_WAIT_MS = 60_000  # the first visit of the map computes it
_STILL_MS = 500
_RUN = "".join(
    f"D01.1 Q0 {doc} {rank} {1 - rank / 10} mine\n" for rank, doc in enumerate(("2370512866", "1942013186", "unknown"), 1)
)
_TOPICS = "D90.1\tvoice assistants at work\nD90.2\tprivacy of smart speakers\n"


@dataclass(frozen=True, kw_only=True)
class View:
    """A view or a tab of the demo with something on it.

    :param place: rest of the address. :param ready: CSS selector of what the view shows when it is complete.
    :param act: what a reader does before that. :param at: CSS selector of the part to scroll to.
    """

    tab: str
    place: str = ""
    ready: str
    act: Callable[[Page], None] | None = None
    at: str | None = None


def _sit(page: Page) -> None:
    page.get_by_label("Your name").fill("carla")
    page.get_by_role("button", name="Start").click()


def _ask_why(page: Page) -> None:
    page.get_by_role("button", name="Why").first.click()


def _control(page: Page) -> None:
    page.locator("#judging-control option[value=train]").wait_for(state="attached")
    page.get_by_label("Compare with edition").select_option("train")


def _drop(name: str, text: str) -> Callable[[Page], None]:
    return lambda page: page.get_by_label("Choose a file").set_input_files(
        FilePayload(name=name, mimeType="text/plain", buffer=text.encode())
    )


_BOARD = "table caption:has-text('edition train')"
# All views of the page on the demo. tests/explore/test_access_for_all.py checks each.
VIEWS = {
    "home": View(tab="home", ready="table"),
    "search": View(tab="search", place=SEARCH, ready=".stc-facets"),
    "search-why": View(tab="search", place=SEARCH, act=_ask_why, ready=".stc-bars"),
    "search-beside": View(tab="search", place=f"{SEARCH}&beside=bm25,boolean", ready=".stc-columns li"),
    "leaderboard": View(tab="leaderboard", place="edition=train", ready=_BOARD),
    "leaderboard-card": View(tab="leaderboard", place="edition=train&run=bm25", ready="dialog[open] table"),
    "leaderboard-pair": View(
        tab="leaderboard",
        place="edition=train&pair=bm25&against=hybrid&on=D02.1",
        ready="table caption:has-text('bm25 against hybrid')",
        at="h2:has-text('Compare two runs')",
    ),
    "judging": View(tab="judging", ready="[data-value=judging] table"),
    "judging-sheet": View(tab="judging", place="pool=demo", act=_sit, ready=".stc-paper mark"),
    "judging-disagreements": View(tab="judging", place="pool=demo&panel=disagreements", ready=".stc-dispute"),
    "judging-progress": View(
        tab="judging", place="pool=demo&panel=progress", act=_control, ready="table caption:has-text('over time')"
    ),
    "upload": View(tab="upload", ready=".stc-drop"),
    "upload-run": View(tab="upload", act=_drop("mine.run", _RUN), ready="[data-value=upload] table"),
    "upload-topics": View(tab="upload", act=_drop("topics-new.tsv", _TOPICS), ready="[data-value=upload] table"),
    "coverage": View(tab="coverage", place="source=D01.C1", ready="[data-value=coverage] .stc-topic"),
    "map": View(tab="map", ready="#map-points .scatterlayer .point"),
    "collection": View(tab="collection", ready="[data-value=collection] table"),
    "tables": View(tab="tables", ready="table"),
}


def open_view(page: Page, address: str, view: View) -> None:
    """Open a view and wait until it is complete."""
    rendered = view.tab not in TABS
    page.goto(
        f"{address.rstrip('/')}/{view.tab}?{view.place}" if rendered else f"{address.rstrip('/')}/?tab={view.tab}&{view.place}"
    )
    if not rendered:
        page.wait_for_function("() => window.Shiny && Shiny.shinyapp && Shiny.shinyapp.isConnected()")
    if view.act is not None:
        view.act(page)
    page.locator(view.ready).first.wait_for(timeout=_WAIT_MS)
    page.wait_for_function("() => !document.documentElement.matches('.shiny-busy')", timeout=_WAIT_MS)
    scroll(page, view)
    page.wait_for_timeout(_STILL_MS)


def scroll(page: Page, view: View) -> None:
    """Scroll to the part of the page that the view is about."""
    if view.at is not None:
        page.locator(view.at).first.evaluate("element => element.scrollIntoView()")


def docs(browser: Browser, address: str) -> None:
    """Store pictures of the search, a leaderboard, a judging sheet and the map in docs/figures."""
    page = browser.new_page(viewport={"width": 1200, "height": 720}, color_scheme="light")
    for name, view in SHOWN.items():
        open_view(page, address, VIEWS[view])
        page.screenshot(path=FIGURES / f"{name}.png")


def every_view(browser: Browser, address: str, folder: Path, names: Sequence[str]) -> None:
    """Store a picture of each view in each size and theme as folder/VIEW-SIZE-THEME.png."""
    folder.mkdir(parents=True, exist_ok=True)
    for theme in THEMES:
        for name, view in VIEWS.items():
            if names and not name.startswith(tuple(names)):
                continue
            page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme=theme)
            open_view(page, address, view)
            for size, (width, height) in SIZES.items():
                page.set_viewport_size({"width": width, "height": height})
                page.wait_for_timeout(_STILL_MS)
                scroll(page, view)
                page.screenshot(path=folder / f"{name}-{size}-{theme}.png")
            page.close()


def take(address: str, folder: str | None = None, *names: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        if folder is None:
            docs(browser, address)
        else:
            every_view(browser, address, Path(folder), names)
        browser.close()


if __name__ == "__main__":
    take(*sys.argv[1:])

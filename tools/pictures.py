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

    :param page: rest of the path of a view. :param place: rest of the address.
    :param ready: CSS selector of what the view shows when it is complete.
    :param act: what a reader does before that. :param at: CSS selector of the part to scroll to.
    """

    tab: str
    page: str = ""
    place: str = ""
    ready: str
    act: Callable[[Page], None] | None = None
    at: str | None = None


def _ask_why(page: Page) -> None:
    page.get_by_role("button", name="Why").first.click()


def _drop(name: str, text: str) -> Callable[[Page], None]:
    return lambda page: page.get_by_label("Choose a file").set_input_files(
        FilePayload(name=name, mimeType="text/plain", buffer=text.encode())
    )


# All views of the page on the demo. tests/explore/test_access_for_all.py checks each.
VIEWS = {
    "home": View(tab="home", ready="table"),
    "search": View(tab="search", place=SEARCH, ready=".stc-facets"),
    "search-why": View(tab="search", place=SEARCH, act=_ask_why, ready=".stc-bars"),
    "search-beside": View(tab="search", place=f"{SEARCH}&beside=bm25,boolean", ready=".stc-columns li"),
    "search-compare": View(
        tab="search", page="/compare", place="q=pedestrian+detection&beside=bm25,boolean", ready=".stc-compared"
    ),
    "leaderboard": View(tab="leaderboard", place="edition=train", ready=".board"),
    "leaderboard-pairs": View(tab="leaderboard", page="/pairs", place="edition=train", ready=".board"),
    "leaderboard-compare": View(
        tab="leaderboard", page="/compare", place="edition=train&pair=bm25&against=hybrid&on=D02.1", ready=".board-ranked"
    ),
    "leaderboard-run": View(tab="leaderboard", page="/run", place="edition=train&run=bm25", ready=".board-facts"),
    "leaderboard-hard": View(tab="leaderboard", page="/hard", place="edition=train&below=0.9", ready=".board-queries"),
    "leaderboard-variation": View(tab="leaderboard", page="/variation", place="edition=train&baseline=bm25", ready=".board"),
    "leaderboard-corrected": View(tab="leaderboard", page="/corrected", place="edition=train&people=train", ready=".board"),
    "leaderboard-figures": View(tab="leaderboard", page="/figures", place="edition=train", ready=".board-drawing"),
    "judging": View(tab="judging", ready=".stc-judging table"),
    "judging-sheet": View(tab="judging", place="pool=demo&annotator=carla", ready=".stc-paper mark"),
    "judging-queries": View(tab="judging", page="/queries", place="pool=demo&annotator=carla", ready="table"),
    "judging-pairs": View(tab="judging", page="/pairs", place="pool=demo&annotator=carla", ready=".stc-two mark"),
    "judging-disagreements": View(tab="judging", page="/disagreements", place="pool=demo", ready=".stc-dispute"),
    "judging-progress": View(
        tab="judging", page="/progress", place="pool=demo&control=train", ready="table caption:has-text('over time')"
    ),
    "judging-pools": View(tab="judging", page="/pools", place="pool=demo", ready="h3"),
    "judging-corrections": View(tab="judging", page="/corrections", ready=".stc-correcting"),
    "judging-proposals": View(tab="judging", page="/proposals", ready="h1"),
    "log": View(tab="log", ready="h1"),
    "upload": View(tab="upload", ready=".stc-drop"),
    "upload-run": View(tab="upload", act=_drop("mine.run", _RUN), ready=".stc-upload table"),
    "upload-topics": View(tab="upload", act=_drop("topics-new.tsv", _TOPICS), ready=".stc-upload table"),
    "coverage": View(tab="coverage", place="source=D01.C1", ready=".stc-topic"),
    "coverage-concepts": View(tab="coverage", place="source=D01.C1&kind=concept", ready=".stc-chart circle"),
    "map": View(tab="map", ready="canvas[data-ready]"),
    "collection": View(tab="collection", ready="table"),
    "tables": View(tab="tables", ready="table"),
    "tables-rows": View(tab="tables", page="/documents", ready=".stc-rows"),
    "style": View(tab="style", ready=".stc-tokens"),
}


def open_view(page: Page, address: str, view: View) -> None:
    """Open a view and wait until it is complete."""
    page.goto(f"{address.rstrip('/')}/{view.tab}{view.page}?{view.place}")
    if view.act is not None:
        view.act(page)
    page.locator(view.ready).first.wait_for(timeout=_WAIT_MS)
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

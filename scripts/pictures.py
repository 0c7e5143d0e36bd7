"""Take pictures of the page with Debian's chromium. Needs a running page:

stc --db demo explore --port 8899 &
python scripts/pictures.py http://127.0.0.1:8899                    # those that README.md and docs show, in docs/figures
python scripts/pictures.py http://127.0.0.1:8899 build/pictures     # every tab: laptop, tablet, phone; light and dark
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, sync_playwright

from stcollection.explore.page import TABS

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "figures"
SEARCH = "q=how+do+voice+assistants+listen&system=hybrid"
# What a tab shows; others are taken as they open.
VIEWS = {"search": SEARCH}
# Pictures of the docs by file name.
SHOWN = {
    "page": f"tab=search&{SEARCH}",
    "leaderboard": "tab=leaderboard&edition=train",
    "judging": "tab=judging",
    "map": "tab=map",
}
SIZES = {"laptop": (1440, 900), "tablet": (820, 1180), "phone": (390, 844)}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
_STILL_MS = 3000  # pictures are taken when nothing moves any more


def docs(browser: Browser, address: str) -> None:
    """Store pictures of the search, a leaderboard, a judging sheet and the map in docs/figures."""
    page = browser.new_page(viewport={"width": 1200, "height": 720}, color_scheme="light")
    for name, view in SHOWN.items():
        page.goto(f"{address}/?{view}")
        if name == "judging":
            page.get_by_label("Your name").fill("carla")
            page.get_by_role("button", name="Start").click()
        page.wait_for_timeout(_STILL_MS)
        page.screenshot(path=FIGURES / f"{name}.png")


def every_tab(browser: Browser, address: str, folder: Path) -> None:
    """Store a picture of each tab in each size and theme as folder/TAB-SIZE-THEME.png."""
    folder.mkdir(parents=True, exist_ok=True)
    for size, (width, height) in SIZES.items():
        for theme in THEMES:
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
            for tab in TABS:
                page.goto(f"{address}/?tab={tab.NAME}&{VIEWS.get(tab.NAME, '')}")
                page.wait_for_timeout(_STILL_MS)
                page.screenshot(path=folder / f"{tab.NAME}-{size}-{theme}.png")
            page.close()


def take(address: str, folder: str | None = None) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        if folder is None:
            docs(browser, address)
        else:
            every_tab(browser, address, Path(folder))
        browser.close()


if __name__ == "__main__":
    take(*sys.argv[1:])

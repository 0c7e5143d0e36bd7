"""Take pictures of the page with Debian's chromium. Needs a running page:

stc --db demo explore --port 8899 &
python scripts/pictures.py http://127.0.0.1:8899                    # docs/figures/page.png, which README.md shows
python scripts/pictures.py http://127.0.0.1:8899 build/pictures     # every tab: laptop, tablet, phone; light and dark
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, sync_playwright

from stcollection.explore.page import TABS

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "figures" / "page.png"
SEARCH = "q=how+do+voice+assistants+listen&system=hybrid"
# What a tab shows; others are taken as they open.
VIEWS = {"search": SEARCH}
SIZES = {"laptop": (1440, 900), "tablet": (820, 1180), "phone": (390, 844)}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
_STILL_MS = 3000  # pictures are taken when nothing moves any more


def readme(browser: Browser, address: str) -> None:
    """Search for a query of the demo and store the window as docs/figures/page.png."""
    page = browser.new_page(viewport={"width": 1200, "height": 720}, color_scheme="light")
    page.goto(f"{address}/?tab=search&{SEARCH}")
    page.get_by_text("Neither He nor She").first.wait_for()
    page.wait_for_timeout(_STILL_MS)
    page.screenshot(path=PICTURE)


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
            readme(browser, address)
        else:
            every_tab(browser, address, Path(folder))
        browser.close()


if __name__ == "__main__":
    take(*sys.argv[1:])

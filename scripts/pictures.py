"""Take the picture of the page that README.md shows, with Debian's chromium. Needs a running page:

stc --db demo explore --port 8899 &
python scripts/pictures.py http://127.0.0.1:8899
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "figures" / "page.png"
SEARCH = "/?tab=search&q=how+do+voice+assistants+listen&system=hybrid"


def take(address: str) -> None:
    """Search for a query of the demo and store the window as docs/figures/page.png."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 720}, color_scheme="light")
        page.goto(address + SEARCH)
        page.get_by_text("Neither He nor She").first.wait_for()
        page.wait_for_timeout(1000)  # pictures are taken when nothing moves any more
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    take(sys.argv[1])

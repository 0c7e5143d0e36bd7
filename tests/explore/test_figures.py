"""Downloads of the plotly figures of the tabs."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.slow
NAME = "Documents per year"


def saved(page: Page, kind: str) -> Path:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=f"Download {NAME} as {kind}", exact=True).click()
    assert waiting.value.suggested_filename.endswith(f".{kind.lower()}")
    return Path(waiting.value.path())


def test_a_figure_can_be_downloaded(page: Page) -> None:
    with saved(page, "CSV").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) > 2
    assert len({len(row) for row in rows}) == 1
    assert saved(page, "SVG").read_text(encoding="utf-8").startswith("<svg")
    assert saved(page, "PNG").read_bytes().startswith(b"\x89PNG")


def test_csv_quotes_and_disarms(page: Page) -> None:
    """Names with quotes, commas and tags come back unchanged, a formula with an apostrophe."""
    page.get_by_role("button", name=f"Download {NAME} as CSV", exact=True).wait_for()
    page.evaluate(
        """() => {
          const element = document.getElementById('collection-years');
          const figure = { data: [{ type: 'bar', x: ['a, "b"', '=1+1', '&lt;b&gt;'], y: [1, -2, 3] }], layout: {} };
          drawn.set(element, figure);
          return draw(element, figure);
        }"""
    )
    with saved(page, "CSV").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["x", "y"], ['a, "b"', "1"], ["'=1+1", "-2"], ["<b>", "3"]]

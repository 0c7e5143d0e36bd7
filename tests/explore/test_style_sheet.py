"""The style sheet: every rule is used, colours and sizes are tokens, and /style shows all tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from stcollection.explore import assets
from stcollection.explore.navigation import STYLE
from stcollection.explore.style.view import tokens

PACKAGE = assets.FOLDER.parents[1]
COMMENT, BLOCK = re.compile(r"/\*.*?\*/", re.DOTALL), re.compile(r"\{[^{}]*\}")


@pytest.fixture(scope="module")
def sheet() -> str:
    return COMMENT.sub("", (assets.FOLDER / "page.css").read_text())


def sources() -> Iterator[str]:
    """Templates, scripts and modules of the page, except the page of the style sheet, which shows what others use."""
    for folder in ("explore", "studies", "web"):
        for path in (PACKAGE / folder).rglob("*"):
            if path.suffix in {".html", ".js", ".py", ".svg"} and path.name != "htmx.min.js" and path.parent.name != STYLE:
                yield path.read_text()


def test_every_class_of_the_style_sheet_is_used(sheet: str) -> None:
    shown = "\n".join(sources())
    words = set(re.findall(r"[\w-]+", shown))
    prefixes = set(re.findall(r"([\w-]+-)\{", shown))  # stc-move-{{ move.kind }}
    classes = set(re.findall(r"\.([a-zA-Z_][\w-]*)", BLOCK.sub(" ", sheet)))
    assert len(classes) > 150

    def used(name: str) -> bool:
        return name in words or any(name.startswith(prefix) and name[len(prefix) :] in words for prefix in prefixes)

    own = {"stc-ruler", "stc-style", "stc-swatch", "stc-tokens"}  # of the page of the style sheet
    assert sorted(name for name in classes - own if not used(name)) == []


def test_rules_take_their_colours_and_sizes_of_type_from_the_tokens(sheet: str) -> None:
    rules = sheet.partition(":root {")[2].partition("\n}")[2]
    assert set(re.findall(r"#[0-9a-f]{3,8}\b(?=[^{}]*\})", rules)) == {"#fff"}, "pictures that are drawn on white"
    assert set(re.findall(r"font-size: ([^;}]*)", rules)) - {f"var(--{name})" for name in tokens()["type"]} == {
        ".9em",
        ".85em",
        "10px",
        "7pt",
        "8pt",
    }
    assert set(re.findall(r"var\((--[\w-]+)\)", sheet)) == {f"--{name}" for kind in tokens().values() for name in kind}


def test_no_view_has_another_style_sheet() -> None:
    assert [path.name for path in assets.FOLDER.glob("*.css")] == ["page.css"]
    assert [path for path in Path(PACKAGE / "explore").rglob("*.html") if re.search(r"<style|\sstyle=", path.read_text())] == []


def test_its_page_shows_every_token_and_no_entry_leads_there(explorer: str) -> None:
    html = httpx.get(f"{explorer}{STYLE}").text
    for kind in tokens().values():
        for name in kind:
            assert f"<code>--{name}</code>" in html
    assert 'href="/style"' not in httpx.get(explorer).text
    assert httpx.get(f"{explorer}{STYLE}.json").json() == tokens()

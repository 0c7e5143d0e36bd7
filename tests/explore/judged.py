"""The view Judging in the hands of a test."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
from playwright.sync_api import Page

from stcollection.qrels.judging import BlindDocument

# Names and texts of the collection have no ASCII letter.
PAPER = BlindDocument(
    token="1",  # noqa: S106
    topic="1",
    topic_text="ß 2",
    article_title="ß 5",
    article_origin="ß 6",
    article="ß 7",
    query="3",
    query_text="ß 4",
    docno="5",
    title=None,
    abstract=None,
    rel=None,
    note=None,
    state="open",
    changed=None,
    number=1,
    of=2,
)


def sit(page: Page, pool: str, annotator: str) -> None:
    """Start judging by the form."""
    page.goto("/judging")
    page.locator("[name=pool]").select_option(pool)
    page.get_by_label("Your name").fill(annotator)
    page.get_by_label("Your name").press("Enter")
    settled(page)


def settled(page: Page) -> None:
    """Wait until the page has told the server which document it shows, and has the following ones."""
    page.wait_for_selector(".stc-paper")
    page.wait_for_load_state("networkidle")


def at(page: Page) -> str:
    """The token of the document on the screen."""
    return page.locator(".stc-paper [name=token]").input_value()


def query_at(page: Page) -> str:
    """The query of the document on the screen."""
    return page.locator(".stc-paper [name=query]").input_value()


def press(page: Page, key: str) -> str:
    """Press a key on a document, and wait for the answer; returns the document's token."""
    token = at(page)
    redrawn(page, lambda: page.keyboard.press(key))
    return token


def redrawn(page: Page, deed: Callable[[], None]) -> None:
    """Do something, and wait until the server has answered."""
    deed()
    page.wait_for_function("() => !document.querySelector('.stc-paper').dataset.busy")


def cut(page: Page) -> None:
    """Cut the connection of the page's browser until :func:`mend`."""
    page.context.set_offline(True)


def mend(page: Page) -> None:
    page.context.set_offline(False)


def offline(page: Page, key: str) -> str:
    """Press a key without a connection, wait for another document; returns the document's token."""
    token = at(page)
    page.keyboard.press(key)
    page.wait_for_function("old => document.querySelector('.stc-paper [name=token]')?.value !== old", arg=token)
    return token


def kept(page: Page) -> int:
    """Number of decisions that the browser keeps."""
    return int(page.evaluate("Object.keys(localStorage).filter(name => name.startsWith('stc.judging.decision.')).length"))


def grades(store: psycopg.Connection, pool: str, annotator: str) -> dict[str, int | None]:
    """The grades on a sheet, by token; documents without a grade are omitted."""
    rows = store.execute("SELECT token, rel FROM stc.pool_sheet(%s, %s) WHERE state <> 'open'", [pool, annotator]).fetchall()
    return dict(rows)

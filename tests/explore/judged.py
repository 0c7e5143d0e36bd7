"""The judging tab in the hands of a test."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
from playwright.sync_api import Page, expect

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


def to_tab(page: Page) -> None:
    page.goto("/?tab=judging")
    page.get_by_role("tab", name="Judging").click()


def sit(page: Page, pool: str, annotator: str) -> None:
    page.get_by_label("Pool", exact=True).select_option(pool)
    page.get_by_label("Your name").fill(annotator)
    page.get_by_label("Your name").press("Enter")
    page.locator(".stc-paper").wait_for()


def at(page: Page) -> str:
    """The token of the document on the screen."""
    return page.locator(".stc-paper").get_attribute("data-token") or ""


def press(page: Page, key: str) -> str:
    """Press a key on a document, wait until another drawing is there; returns the document's token."""
    token = at(page)
    redrawn(page, lambda: page.keyboard.press(key))
    return token


def redrawn(page: Page, deed: Callable[[], None]) -> None:
    """Do something, and wait until the document, or another, is drawn again."""
    serial = page.locator(".stc-paper").get_attribute("data-serial")
    deed()
    page.wait_for_function("old => (document.querySelector('.stc-paper')?.dataset.serial ?? old) !== old", arg=serial)


def cut(page: Page) -> None:
    """Cut the page's connection, and any other, until :func:`mend`."""
    page.evaluate("() => { window.realFetch = window.fetch; window.fetch = () => Promise.reject(new Error('cut')); }")
    page.evaluate("Shiny.shinyapp.$socket.close()")
    expect(page.get_by_text("The connection to the server is lost")).to_be_visible()


def mend(page: Page) -> None:
    page.evaluate("() => { window.fetch = window.realFetch; }")


def offline(page: Page, key: str) -> str:
    """Press a key without a connection, wait for another document; returns the document's token."""
    token = at(page)
    page.keyboard.press(key)
    page.wait_for_function("old => document.querySelector('.stc-paper')?.dataset.token !== old", arg=token)
    return token


def kept(page: Page) -> int:
    """Number of decisions that the browser keeps."""
    return int(page.evaluate("Object.keys(localStorage).filter(name => name.startsWith('stc.judging.decision.')).length"))


def grades(store: psycopg.Connection, pool: str, annotator: str) -> dict[str, int | None]:
    """The grades on a sheet, by token; documents without a grade are omitted."""
    rows = store.execute("SELECT token, rel FROM stc.pool_sheet(%s, %s) WHERE state <> 'open'", [pool, annotator]).fetchall()
    return dict(rows)

"""Documents like the press article of a topic, in the search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import Browser, Page, expect

from stcollection.db.connection import conninfo
from stcollection.db.settings import Settings
from stcollection.errors import StateError, UnknownObject, translate
from stcollection.explore.search.asking import SearchRequest, like_article
from stcollection.explore.search.request import STATE
from stcollection.retrieval.search import search_article, unembedded_chunks
from stcollection.topics.articles import topics_with_article
from tests.explore.conftest import serving
from tests.homes import demo_collection

ARTICLE = "Farmers hang microphones above the wheat.\n\nDrones count weeds and sensors measure the soil.\n\n" + "Corn grows. " * 40


@pytest.fixture(scope="module")
def own(server: Settings, made_demo: Callable[[], Path]) -> Iterator[Settings]:
    """A demo collection of this file, in which one topic has an article."""
    with demo_collection(server, made_demo, "stc_explore_article") as settings:
        with psycopg.connect(conninfo(settings), autocommit=True) as conn:
            conn.execute("UPDATE st1_topics SET article = %s WHERE topic = 'D08'", [ARTICLE])
        yield settings


@pytest.fixture
def conn(own: Settings) -> Iterator[psycopg.Connection]:
    with psycopg.connect(conninfo(own), autocommit=True) as conn:
        yield conn


def asked(system: str = "bm25", k: int = 10) -> SearchRequest:
    return SearchRequest(text="", system=system, k=k, filter={"year": [2015, None]}, model=None)


def test_the_documents_are_those_of_the_command(conn: psycopg.Connection) -> None:
    wanted = search_article(conn, "D08", system="bm25", k=10, filter={"year": [2015, None]})
    title, found = like_article(conn, "D08", asked())
    assert [(one.docno, one.score, one.snippet) for one in found] == [(one.docno, one.score, one.snippet) for one in wanted]
    assert len(found) == 10
    assert title == "Eyes above the wheat, ears in the soil: the farm that talks back"


def test_what_can_be_chosen(conn: psycopg.Connection) -> None:
    assert topics_with_article(conn) == [("D08", "Eyes above the wheat, ears in the soil: the farm that talks back")]
    conn.execute("DELETE FROM query_v")
    chunks = unembedded_chunks(conn, "D08", None)
    assert len(chunks) > 1
    search_article(conn, "D08", system="dense-title", k=5)  # stores the vectors of the chunks
    assert unembedded_chunks(conn, "D08", None) == []
    with pytest.raises(StateError, match="the topic D01 has no article"), translate():
        like_article(conn, "D01", asked())
    with pytest.raises(UnknownObject, match="no topic 'D99'"), translate():
        unembedded_chunks(conn, "D99", None)
    assert "article" in STATE


@pytest.mark.slow
def test_an_article_is_searched_on_the_page(own: Settings, browser: Browser) -> None:
    [place] = [next(running := serving(own))]
    context = browser.new_context(base_url=place, viewport={"width": 1200, "height": 900})
    page: Page = context.new_page()
    page.set_default_timeout(30_000)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    try:
        page.goto("/search?system=bm25")
        page.locator("summary").get_by_text("Stored queries and articles").click()
        page.get_by_role("link", name="D08 Eyes above the wheat").click()
        expect(page.get_by_role("heading", name="Documents like the article")).to_contain_text("Eyes above the wheat")
        expect(page.get_by_role("status").filter(has_text="20 documents, by bm25")).to_be_visible()
        page.wait_for_url("**article=D08**")
        with psycopg.connect(conninfo(own)) as conn:
            first = search_article(conn, "D08", system="bm25", k=1)[0]
        expect(page.locator(".stc-results .stc-about code").first).to_have_text(first.docno)
        expect(page.locator(".stc-results").get_by_text("score").first).to_be_visible()
        page.goto(page.url.replace("system=bm25", "system=hybrid"))  # its vectors are computed and stored
        # The first embedding of a process loads the model.
        expect(page.get_by_role("status").filter(has_text="20 documents, by hybrid")).to_be_visible(timeout=60_000)
        box = page.get_by_role("textbox", name="Query", exact=True)
        box.fill("wheat")
        box.press("Enter")
        expect(page.get_by_role("heading", name="Documents like the article")).to_have_count(0)
        assert "article=" not in page.url
        page.goto("/search?article=D01&system=bm25")
        expect(page.get_by_role("alert")).to_contain_text("The topic D01 has no article")
        assert complaints == []
    finally:
        context.close()
        next(running, None)

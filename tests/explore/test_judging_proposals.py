"""Review of proposed queries on the page, in a real browser: next to the article, by keys, reworded, rejected, published."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from playwright.sync_api import Browser, Page, expect

from stcollection.db.connection import conninfo
from stcollection.db.settings import Settings
from stcollection.studies.synth.near_duplicates import Nearness, mark
from stcollection.studies.synth.subtopics import subtopic_list
from tests.explore.conftest import serving
from tests.qrels.llm_server import endpoint
from tests.studies.synth.test_subtopics import generate, recorded

pytestmark = pytest.mark.slow

ARTICLE = "Children <b>talk</b> to speakers.\n\n<script>window.owned = 1</script> They answer."


@pytest.fixture(scope="module")
def own(empty: Settings) -> Settings:
    """Five queries that a recorded endpoint proposed from two articles; one is near to a stored query."""
    with psycopg.connect(conninfo(empty), autocommit=True) as conn, endpoint(recorded) as server:
        conn.execute(
            "INSERT INTO st1_topics (topic, text, title, article) VALUES ('G01', 'Speakers', 'Speakers', %s),"
            " ('G02', 'Drones', 'Drones', 'They fly.')",
            [ARTICLE],
        )
        conn.execute("INSERT INTO stc.st1_queries (query, topic, text) VALUES ('G02.1', 2, 'drones near airports detection of')")
        generate(conn, server)
        mark(conn, Nearness(words_only=True, words=0.9))
    return empty


@pytest.fixture
def tab(own: Settings, browser: Browser) -> Iterator[Page]:
    [place] = [next(running := serving(own))]
    page = browser.new_page(base_url=place, viewport={"width": 1200, "height": 900})
    complaints: list[str] = []
    page.on(
        "console",
        lambda message: complaints.append(message.text) if message.type == "error" and "status of 4" not in message.text else None,
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto("/judging/proposals")
    yield page
    page.close()
    next(running, None)
    assert complaints == []


def test_a_person_reviews_and_publishes(tab: Page, own: Settings) -> None:
    cards = tab.locator(".stc-proposal")
    expect(cards).to_have_count(3)
    expect(tab.get_by_role("article", name="Article")).to_contain_text("Children <b>talk</b> to speakers.")
    assert tab.evaluate("window.owned") is None

    first = cards.nth(0)
    first.get_by_role("button", name="Accept").click()
    expect(tab.get_by_role("alert")).to_contain_text("The reviewer's name is empty")
    tab.get_by_label("Reviewer's name").fill("rosa")
    first.get_by_label("Text of the query").fill("privacy of children at home")
    first.get_by_label("Reason").fill("shorter")
    first.get_by_role("button", name="Accept").click()
    expect(tab.get_by_text("Stored: accepted.")).to_be_visible()
    expect(cards.nth(0)).to_contain_text("accepted, says rosa")

    cards.nth(0).focus()
    tab.keyboard.press("j")
    tab.keyboard.press("o")
    expect(tab.get_by_text("Stored: off topic.")).to_be_visible()
    cards.nth(2).get_by_label("Text of the query").fill("Privacy of CHILDREN at home!")
    cards.nth(2).get_by_role("button", name="Accept").click()
    expect(tab.get_by_role("alert")).to_contain_text("Same words as the accepted subtopic s")

    tab.locator("[name=topic]").select_option("G02")
    tab.get_by_role("button", name="Show").click()
    expect(tab.get_by_role("article", name="Article")).to_contain_text("They fly.")
    near = cards.filter(has_text="near-duplicate")
    expect(near).to_contain_text("Nearest query, G02.1: drones near airports detection of (common words 100%)")
    near.get_by_role("button", name="Duplicate").click()
    expect(tab.get_by_text("Stored: duplicate.")).to_be_visible()

    tab.get_by_role("button", name="Publish 1 accepted query").click()
    expect(tab.get_by_text("1 query published: G01.C1")).to_be_visible()
    tab.locator("[name=topic]").select_option("G01")
    tab.get_by_role("button", name="Show").click()
    expect(tab.get_by_text("published as G01.C1")).to_be_visible()
    expect(cards.nth(0).get_by_role("button")).to_have_count(0)

    with psycopg.connect(conninfo(own), autocommit=True) as conn:
        found = {(one.state, one.text, one.reviewer, one.note) for one in subtopic_list(conn) if one.reviewer}
        queries = conn.execute("SELECT query, text FROM st1_queries WHERE query LIKE 'G01%'").fetchall()
    assert queries == [("G01.C1", "privacy of children at home")]
    assert {(state, reviewer, note) for state, _, reviewer, note in found} == {
        ("published", "rosa", "shorter"),
        ("off-topic", "rosa", None),
        ("duplicate", "rosa", None),
    }

"""The tab on topic coverage, in a real browser on the demo collection."""

from __future__ import annotations

import re

import psycopg
import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.slow


@pytest.fixture
def tab(page: Page) -> Page:
    page.set_default_timeout(60_000)  # the first topics of a process wait for scikit-learn to be imported
    page.get_by_role("tab", name="Topic coverage").click()
    page.get_by_label("Source text").locator("option", has_text="D01.C1").wait_for(state="attached")
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Nearest abstracts").fill("50")
    page.get_by_label("LDA topics").fill("6")
    return page


def find(tab: Page, query: str = "D01.C1") -> None:
    tab.get_by_label("Source text").select_option(query)
    expect(tab.get_by_label("Text", exact=True)).not_to_have_value("")
    tab.get_by_role("button", name="Find topics").click()
    expect(tab.get_by_text("topics in 50 abstracts")).to_be_visible(timeout=60_000)


def test_topics_lead_to_the_documents_that_hold_them(tab: Page, demo_conn: psycopg.Connection) -> None:
    find(tab)
    rows = tab.get_by_role("table").filter(visible=True).locator("tbody tr")
    expect(rows).to_have_count(6)
    assert rows.get_by_text("▲ frequent").count() > 0
    assert rows.get_by_text("▽ rare").count() > 0
    bars = rows.locator(".stc-share-bar").evaluate_all("(bars) => bars.map((one) => one.style.inlineSize)")
    assert "100%" in bars
    first = rows.first
    words = first.get_by_role("button").inner_text().split(", ")
    assert len(words) == 3
    shown = int(first.locator("td").nth(1).inner_text().replace(",", ""))
    found = demo_conn.execute(
        "SELECT d.docno FROM boolean_search(%s, 1000) b JOIN dblp d ON d.id = b.doc ORDER BY b.rank", [" ".join(words)]
    ).fetchall()
    assert shown == len(found) > 0
    first.get_by_role("button").press("Enter")  # a key does what a click does
    heading = tab.get_by_role("heading", name=f"with {' + '.join(words)}")
    expect(heading).to_contain_text(f"{shown} document")
    expect(first.get_by_role("button")).to_have_attribute("aria-pressed", "true")
    listed = tab.locator(".stc-held li")
    expect(listed).to_have_count(min(shown, 20))
    expect(listed.first).to_contain_text(found[0][0])
    assert tab.locator(".stc-held mark").count() > 0
    row = demo_conn.execute("SELECT doc FROM documents WHERE docno = %s", [found[0][0]]).fetchone()
    assert row is not None
    expect(listed.first.get_by_role("link")).to_have_attribute("href", f"/search?near={row[0]}&field=title")
    listed.first.get_by_role("link").click()
    expect(tab.get_by_role("heading", name="Neighbours of")).to_be_visible()


def test_the_url_opens_the_same_topics_and_back_restores_them(tab: Page) -> None:
    find(tab)
    expect(tab).to_have_url(re.compile("tab=coverage.*source=D01.C1.*"))
    tab.get_by_role("tab", name="Itemsets").click()
    expect(tab).to_have_url(re.compile("kind=itemset"))
    first = tab.get_by_role("table", name="Frequent itemsets").locator(".stc-topic").first
    words = first.inner_text().split(", ")
    first.click()
    heading = tab.get_by_role("heading", name=f"with {' + '.join(words)}")
    expect(heading).to_be_visible()
    address = tab.url
    assert "topic=itemset" in address
    tab.go_back()
    expect(heading).to_have_count(0)
    expect(first).to_have_attribute("aria-pressed", "false")
    tab.go_back()
    expect(tab.get_by_role("tab", name="LDA")).to_have_attribute("aria-selected", "true")
    tab.goto(address)
    expect(heading).to_be_visible()
    expect(tab.get_by_role("tab", name="Itemsets")).to_have_attribute("aria-selected", "true")
    expect(tab.get_by_label("LDA topics")).to_have_value("6")
    expect(first).to_have_attribute("aria-pressed", "true")


def test_common_words_can_be_kept(tab: Page) -> None:
    tab.get_by_label("Words such as paper, method, results").select_option("keep")
    tab.get_by_label("Leave out words of more than this share").fill("1")
    find(tab)
    words = tab.get_by_role("table").filter(visible=True).locator(".stc-topic").all_inner_texts()
    assert {"one", "two", "three"} & set(", ".join(words).split(", "))
    expect(tab).to_have_url(re.compile("common=keep.*max_df=1"))


@pytest.mark.parametrize("place", ["text=%3Cscript%3Ealert(1)%3C/script%3E&topics=nan", "source=nowhere&documents=1e99&within=x"])
def test_a_url_with_wrong_values(page: Page, place: str) -> None:
    page.set_default_timeout(60_000)
    page.goto(f"/?tab=coverage&{place}")
    if "text" in place:
        expect(page.get_by_role("alert")).to_contain_text("Topics is 0.")
        expect(page.get_by_label("Text", exact=True)).to_have_value("<script>alert(1)</script>")
    else:
        expect(page.get_by_text("Select a stored query or enter a text")).to_be_visible()


def test_itemsets_and_the_lattice_of_concepts(tab: Page) -> None:
    find(tab)
    tab.get_by_role("tab", name="Itemsets").click()
    expect(tab.get_by_role("table", name="Frequent itemsets")).to_be_visible()
    tab.get_by_role("tab", name="Concepts").click()
    lattice = tab.get_by_role("figure", name="Lattice of concepts")
    expect(lattice.locator(".scatterlayer .trace")).to_have_count(2)
    rows = tab.get_by_role("table", name="Formal concepts").locator("tbody tr")
    assert rows.count() > 3
    rows.nth(1).get_by_role("button").click()
    expect(tab.locator(".stc-held h2")).to_contain_text(" with ")


def test_what_is_wrong_is_a_sentence(tab: Page) -> None:
    tab.get_by_role("button", name="Find topics").click()
    expect(tab.get_by_role("alert")).to_contain_text("The text is empty.")
    tab.get_by_label("Source text").select_option("D02.C1")
    expect(tab.get_by_label("Text", exact=True)).not_to_have_value("")
    tab.get_by_label("LDA topics").fill("60")
    tab.get_by_role("button", name="Find topics").click()
    expect(tab.get_by_role("alert")).to_contain_text("50 abstracts are too few for 60 topics.")
    tab.get_by_label("LDA topics").fill("")
    tab.get_by_role("button", name="Find topics").click()
    expect(tab.get_by_role("alert")).to_contain_text("Topics is 0.")
    expect(tab.get_by_role("table").filter(visible=True)).to_have_count(0)
    tab.get_by_label("LDA topics").fill("6")
    find(tab)  # and it goes on
    expect(tab.get_by_role("alert")).to_have_count(0)


def test_it_can_be_cancelled(tab: Page, demo_conn: psycopg.Connection) -> None:
    tab.get_by_label("Source text").select_option("D03.C1")
    expect(tab.get_by_label("Text", exact=True)).not_to_have_value("")
    with demo_conn.transaction():
        demo_conn.execute("LOCK TABLE dblp_text IN ACCESS EXCLUSIVE MODE")  # so that it is at work until it is left
        tab.get_by_role("button", name="Find topics").click()
        expect(tab.get_by_text("Step 1 of 6")).to_be_visible()
        tab.get_by_role("button", name="Cancel").click()
        expect(tab.get_by_text("Cancelled.")).to_be_visible()
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        for _ in range(100):
            if demo_conn.execute(waiting).fetchone() == (0,):
                break
        assert demo_conn.execute(waiting).fetchone() == (0,)
    find(tab, "D04.C1")


def test_a_phone_does_not_scroll_sideways(tab: Page) -> None:
    find(tab)
    tab.set_viewport_size({"width": 390, "height": 800})
    for name in ("Concepts", "Itemsets", "LDA"):
        tab.get_by_role("tab", name=name).click()
        assert tab.evaluate("() => document.documentElement.scrollWidth") <= 390

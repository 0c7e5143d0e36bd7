"""The view Topic coverage on the demo collection."""

from __future__ import annotations

import csv
import re
import time
from collections.abc import Iterator
from xml.etree import ElementTree

import httpx
import psycopg
import pytest
from playwright.sync_api import Page, expect

from stcollection.studies.coverage.page.request import STATE, address, read
from tests.explore.conftest import computed
from tests.explore.markup import tables

pytestmark = pytest.mark.slow
OPTIONS = "documents=50&topics=6"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def client(explorer: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=explorer, timeout=120, follow_redirects=True) as client:
        yield client


def rows(html: str, caption: str) -> list[list[str]]:
    [shown] = [rows[1:] for name, rows in tables(html).items() if name.startswith(caption)]
    return shown


def test_topics_lead_to_the_documents_with_their_words(client: httpx.Client, demo_conn: psycopg.Connection) -> None:
    html = computed(client, f"/coverage?source=D01.C1&{OPTIONS}")
    assert "topics in 50 abstracts" in html
    listed = rows(html, "Topics of latent")
    assert len(listed) == 6
    assert {row[3] for row in listed} >= {"▲ frequent", "▽ rare"}
    assert 'width="100.0"' in html
    words = listed[0][0].split(", ")
    assert len(words) == 3
    docs = demo_conn.execute(
        "SELECT d.docno, d.id FROM boolean_search(%s, 1000) b JOIN dblp d ON d.id = b.doc ORDER BY b.rank", [" ".join(words)]
    ).fetchall()
    assert int(listed[0][2]) == len(docs) > 0
    [link] = re.findall(r'href="([^"]*topic=lda[^"]*)"[^>]*>' + ", ".join(words), html)
    opened = client.get(link.replace("&amp;", "&")).text
    assert re.search(rf"<h2>{len(docs)} documents? with {re.escape(' + '.join(words))}", opened)
    assert f'href="/search?near={docs[0][1]}&amp;field=title"' in opened
    assert "<mark>" in opened
    assert 'aria-current="true"' in opened


def test_kinds_and_files(client: httpx.Client) -> None:
    assert rows(computed(client, f"/coverage?source=D01.C1&{OPTIONS}&kind=itemset"), "Frequent itemsets")
    html = computed(client, f"/coverage?source=D01.C1&{OPTIONS}&kind=concept")
    assert len(rows(html, "Formal concepts")) > 3
    lattice = ElementTree.fromstring(client.get(f"/coverage/lattice.svg?source=D01.C1&{OPTIONS}").text)  # noqa: S314
    assert len(lattice.findall(f"{SVG}circle")) > 3
    assert len(lattice.findall(f"{SVG}line")) >= len(lattice.findall(f"{SVG}circle")) - 1
    record = client.get(f"/coverage.json?source=D01.C1&{OPTIONS}").json()
    listed = list(csv.DictReader(client.get(f"/coverage.csv?source=D01.C1&{OPTIONS}").text.splitlines()))
    assert len(listed) == len(record["topics"])
    assert len([one for one in listed if one["kind"] == "lda"]) == 6


def test_common_words_can_be_kept(client: httpx.Client) -> None:
    html = computed(client, f"/coverage?source=D01.C1&{OPTIONS}&common=keep&max_df=1")
    words = ", ".join(row[0] for row in rows(html, "Topics of latent")).split(", ")
    assert {"one", "two", "three"} & set(words)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("text=%3Cscript%3Ealert(1)%3C/script%3E&topics=nan", "Topics is 0."),
        ("source=D02.C1&documents=50&topics=60", "50 abstracts are too few for 60 topics."),
        ("source=nowhere&documents=1e99&within=x", "Select a stored query or enter a text"),
        ("", "Select a stored query or enter a text"),
    ],
)
def test_wrong_values(client: httpx.Client, place: str, message: str) -> None:
    html = computed(client, f"/coverage?{place}")
    assert message in html
    assert "<script>alert" not in html
    if "script" in place:
        assert "&lt;script&gt;alert(1)&lt;/script&gt;</textarea>" in html
    assert message in computed(client, f"/coverage?{place}")  # an error does not stay: it is computed again


def test_old_links_lead_to_the_view(explorer: str) -> None:
    answer = httpx.get(f"{explorer}?tab=coverage&source=D01.C1&kind=itemset")
    assert (answer.status_code, answer.headers["location"]) == (302, "/coverage?source=D01.C1&kind=itemset")


def test_it_can_be_cancelled(client: httpx.Client, demo_conn: psycopg.Connection) -> None:
    with demo_conn.transaction():
        demo_conn.execute("LOCK TABLE dblp_text IN ACCESS EXCLUSIVE MODE")  # so that it is at work until it is left
        assert "Step 1 of 6" in client.get("/coverage?source=D03.C1").text
        state = client.get("/coverage/state?source=D03.C1", headers={"hx-request": "true"})
        assert "Step 1 of 6" in state.text
        assert "<html" not in state.text
        assert "Cancelled." in client.post("/coverage/cancel?source=D03.C1").text
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        for _ in range(100):
            if demo_conn.execute(waiting).fetchone() == (0,):
                break
            time.sleep(0.05)
        assert demo_conn.execute(waiting).fetchone() == (0,)
    ended = client.get("/coverage/state?source=D03.C1", headers={"hx-request": "true"}).text
    assert 'hx-select="#coverage-results"' in ended
    assert "topics in 100 abstracts" in computed(client, "/coverage?source=D03.C1")


def test_a_reader_finds_topics_and_back_restores_them(page: Page) -> None:
    page.set_default_timeout(60_000)
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/coverage")
    page.get_by_role("textbox", name="Text", exact=True).fill("old")
    page.get_by_label("Source text").select_option("D01.C1")
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Nearest abstracts").fill("50")
    page.get_by_label("LDA topics").fill("6")
    page.get_by_role("button", name="Find topics").click()
    expect(page.get_by_text("topics in 50 abstracts")).to_be_visible(timeout=60_000)
    expect(page).to_have_url(re.compile(r"/coverage\?source=D01.C1&documents=50&topics=6$"))
    expect(page.get_by_role("textbox", name="Text", exact=True)).not_to_have_value("old")
    first = page.locator(".stc-topic").first
    words = first.inner_text().split(", ")
    first.press("Enter")
    heading = page.get_by_role("heading", name=f"with {' + '.join(words)}")
    expect(heading).to_be_visible()
    expect(first).to_have_attribute("aria-current", "true")
    assert "topic=lda" in page.url
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    page.go_back()
    expect(heading).to_have_count(0)
    expect(page.get_by_text("topics in 50 abstracts")).to_be_visible()


def test_an_address_has_only_what_is_not_empty() -> None:
    state = dict.fromkeys(STATE, "") | {"text": "a b", "topics": "7"}
    assert address(state, kind="lda") == "/coverage?text=a+b&topics=7&kind=lda"
    asked, options = read(state | {"documents": "2.5"}, {})
    assert asked is not None
    assert (asked.text, options.topics, options.documents) == ("a b", 7, 0)

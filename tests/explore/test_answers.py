"""Groups of answers in the view Collection: the graph of a query, its downloads, and the same numbers as tables."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from xml.etree import ElementTree

import httpx
import matplotlib.image
import psycopg
import pytest
from playwright.sync_api import Browser, Page, expect

from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.studies.answers.endorse import ClusterOptions, cluster
from tests.explore.conftest import watched
from tests.studies.answers.answer_worlds import WORKED, Doc, Question, put

pytestmark = pytest.mark.slow

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<img src=x onerror='window.owned = 1'> is it safe?"
QUESTIONS = [
    WORKED,
    Question(HOSTILE, [Doc("h1", "t", "=1+1 yes it is.", {"=1+1 yes": "yes"}), Doc("h2", "t", "no.", {"no": "no"})], gold=["h1"]),
]


@pytest.fixture(scope="module")
def own(empty: Settings) -> Settings:
    return empty


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with watched(browser, address) as page:
        yield page


@pytest.fixture
def loaded(own: Settings) -> Iterator[psycopg.Connection]:
    with open_session(conninfo(own), autocommit=True) as conn:
        if conn.execute("SELECT count(*) FROM stc.answer_sets").fetchone() == (0,):
            put(conn, QUESTIONS)
            cluster(conn, set="world", split="dev", run="labels", options=ClusterOptions(method="correlation", model=None))
        yield conn


def cells(page: Page, table: str) -> list[list[str]]:
    rows = page.get_by_role("table", name=table).locator("tbody tr").all()
    return [[one.strip() for one in row.locator("th, td").all_inner_texts()] for row in rows]


def test_without_answers_the_commands_are_named(address: str, own: Settings) -> None:
    assert "Load a set with <code>stc load --as answers</code>." in httpx.get(f"{address}collection").text
    with open_session(conninfo(own), autocommit=True) as conn:
        key = put(conn, [], set="bare")
        html = httpx.get(f"{address}collection").text
        assert "group them with <code>stc answers cluster</code>" in html
        assert "stc-drawing" not in html
        conn.execute("DELETE FROM stc.answer_sets WHERE id = %s", [key])


def test_the_graph_and_its_tables(page: Page, loaded: psycopg.Connection) -> None:
    page.goto("/collection")
    figure = page.get_by_role("figure", name=f"Answers to {WORKED.query}")
    expect(figure.get_by_role("img", name="2 groups, 1 support, 2 contradictions")).to_be_visible()
    expect(figure.locator("path")).to_have_count(3)
    assert [row[:2] + row[3:] for row in cells(page, "Groups of answers")] == [
        ["1", "d1", "yes", "yes"],
        ["1", "d2", "yes", "yes"],
        ["2", "d3", "no", "no"],
    ]
    assert [[row[0], row[1], row[3], row[5]] for row in cells(page, "Relations between answers")] == [
        ["support", "d1", "d2", "1.00"],
        ["contradiction", "d1", "d3", "1.00"],
        ["contradiction", "d2", "d3", "1.00"],
    ]
    drawing = figure.get_by_role("region")
    drawing.focus()
    expect(drawing).to_be_focused()


def test_downloads(page: Page, address: str, loaded: psycopg.Connection) -> None:
    page.goto("/?tab=collection&answers=labels&question=" + HOSTILE.replace(" ", "+"))
    expect(page.get_by_label("Query with answers")).to_have_value(HOSTILE)
    expect(page.get_by_role("figure", name=f"Answers to {HOSTILE}")).to_be_visible()
    with page.expect_download() as waiting:
        page.get_by_role("button", name=f"Download Answers to {HOSTILE} as PNG").press("Enter")
    picture = matplotlib.image.imread(waiting.value.path(), format="png")
    assert picture.shape[1] == 1520
    assert picture.std() > 0
    assert page.evaluate("window.owned") is None
    files = {
        kind: httpx.get(f"{address}collection/answers.{kind}", params={"answers": "labels", "question": HOSTILE})
        for kind in ("svg", "csv", "json")
    }
    root = ElementTree.fromstring(files["svg"].text)  # noqa: S314
    assert len(root.findall(f"{SVG}rect")) == 3  # the ground and two groups
    rows = list(csv.reader(files["csv"].text.splitlines()))
    assert rows[0] == ["group", "document", "answer", "returned", "relevant"]
    assert ["1", "h1", "'=1+1 yes", "yes", "yes"] in rows
    assert ["contradiction", "h1", "'=1+1 yes", "h2", "no", "1.00"] in rows
    assert files["json"].json()["graph"]["query"] == HOSTILE


def test_the_filter_is_in_the_address(page: Page, loaded: psycopg.Connection) -> None:
    page.goto("/collection")
    words = page.get_by_label("Filter queries")
    words.fill("IT SAFE")
    words.press("Enter")
    page.wait_for_url("**/collection/answers?*words=IT+SAFE*")
    expect(page.get_by_label("Query with answers")).to_have_value(HOSTILE)
    expect(page.get_by_role("figure", name=f"Answers to {HOSTILE}")).to_be_visible()
    page.get_by_label("Filter queries").fill("100%")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("No query with answers contains this text.")).to_be_visible()
    expect(page.locator(".stc-drawing")).to_have_count(0)

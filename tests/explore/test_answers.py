"""Groups of answers on the collection tab: the graph of a query, its downloads, and the same numbers as tables."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import matplotlib.image
import psycopg
import pytest
from playwright.sync_api import Browser, Page, expect

from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.studies.answers.endorse import ClusterOptions, cluster
from tests.explore.conftest import serving, watched
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


@pytest.fixture(scope="module")
def address(own: Settings) -> Iterator[str]:
    yield from serving(own)


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


def saved(page: Page, query: str, kind: str) -> Path:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=f"Download Answers to {query} as {kind}", exact=True).press("Enter")
    assert waiting.value.suggested_filename.endswith(f".{kind.lower()}")
    return Path(waiting.value.path())


def cells(page: Page, table: str) -> list[list[str]]:
    rows = page.get_by_role("table", name=table).locator("tbody tr").all()
    return [[one.strip() for one in row.locator("th, td").all_inner_texts()] for row in rows]


def test_without_answers_the_commands_are_named(page: Page, own: Settings) -> None:
    page.goto("/?tab=collection")
    expect(page.get_by_text("No answers are loaded. Load a set with 'stc load --as answers'.")).to_be_visible()
    with open_session(conninfo(own), autocommit=True) as conn:
        key = put(conn, [], set="bare")
        page.reload()
        expect(page.get_by_text("group them with 'stc answers cluster'")).to_be_visible()
        expect(page.locator(".stc-drawing")).to_have_count(0)
        conn.execute("DELETE FROM stc.answer_sets WHERE id = %s", [key])


def test_the_graph_and_its_tables(page: Page, loaded: psycopg.Connection) -> None:
    page.goto("/?tab=collection")
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
    figure.focus()
    expect(figure).to_be_focused()


def test_downloads_by_keyboard(page: Page, loaded: psycopg.Connection) -> None:
    page.goto("/?tab=collection&answers=labels&question=" + HOSTILE.replace(" ", "+"))
    query = page.get_by_label("Query with answers")
    expect(query).to_have_value(HOSTILE)
    expect(page.get_by_role("figure", name=f"Answers to {HOSTILE}")).to_be_visible()
    root = ElementTree.parse(saved(page, HOSTILE, "SVG")).getroot()  # noqa: S314
    assert len(root.findall(f"{SVG}rect")) == 2
    picture = matplotlib.image.imread(saved(page, HOSTILE, "PNG"), format="png")
    assert picture.shape[1] == 1520
    assert picture.std() > 0
    rows = list(csv.reader(saved(page, HOSTILE, "CSV").read_text(encoding="utf-8").splitlines()))
    assert rows[0] == ["group", "document", "answer", "returned", "relevant"]
    assert ["1", "h1", "'=1+1 yes", "yes", "yes"] in rows
    assert ["contradiction", "h1", "'=1+1 yes", "h2", "no", "1.00"] in rows
    assert page.evaluate("window.owned") is None


def test_the_filter_and_the_url(page: Page, loaded: psycopg.Connection) -> None:
    page.goto("/?tab=collection")
    query, words = page.get_by_label("Query with answers"), page.get_by_label("Filter queries")
    expect(query).to_have_value(WORKED.query)
    words.fill("IT SAFE")
    words.press("Enter")
    expect(query).to_have_value(HOSTILE)
    expect(page.get_by_role("figure", name=f"Answers to {HOSTILE}")).to_be_visible()
    page.wait_for_url("**/*words=IT*")
    words.fill("100%")
    words.press("Enter")
    expect(page.get_by_text("No query with answers contains this text.")).to_be_visible()
    expect(page.locator(".stc-drawing")).to_have_count(0)

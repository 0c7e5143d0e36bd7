"""The tab with a map of the documents, in a real browser on the demo collection."""

from __future__ import annotations

import re

import numpy as np
import psycopg
import pytest
from playwright.sync_api import Browser, Page, expect

from stcollection.analysis.map.documents import Spot, grades, judged_queries, near_relevant, opened, spots
from stcollection.analysis.map.records import DocumentMap
from stcollection.errors import UnknownObject
from stcollection.explore.map.drawing import draw
from stcollection.explore.restoring import Restoring
from stcollection.web.maps import PageMap
from tests.qrels.test_expand import judge
from tests.text.documents import put
from tests.vectors.worlds import at, put_vectors

pytestmark = pytest.mark.slow


@pytest.fixture
def tab(page: Page) -> Page:
    page.set_default_timeout(60_000)  # the first map of a process waits for scikit-learn to be imported
    return visit(page, "tab=map")


def visit(page: Page, place: str) -> Page:
    page.goto(f"/?{place}")
    expect(page.get_by_role("status").filter(has_text="216 documents, in 8 clusters")).to_be_visible(timeout=60_000)
    page.wait_for_function("() => document.querySelector('#map-points .scatterlayer .point') !== null")
    return page


def traces(page: Page) -> dict[str, int]:
    """Names and sizes of the groups drawn."""
    found: dict[str, int] = page.evaluate(
        "() => Object.fromEntries(document.getElementById('map-points').data.map((one) => [one.name, one.x.length]))"
    )
    return found


def opened_title(page: Page) -> str:
    return page.locator(".stc-map-open h2").inner_text()


def test_clusters_are_named_and_hold_all_documents(tab: Page) -> None:
    groups = traces(tab)
    assert groups.pop("open document") == 0
    assert len(groups) == 8
    assert sum(groups.values()) == 216
    expect(tab.locator("#map-points .legend")).to_contain_text(next(iter(groups)))
    assert all(re.fullmatch(r"\w+(, \w+){2}", name) for name in groups)


def test_a_key_in_the_list_opens_a_document(tab: Page, demo_conn: psycopg.Connection) -> None:
    tab.get_by_label("Words in the title").fill("voice")
    expect(tab.locator(".stc-spots li")).to_have_count(count_titles(demo_conn, "voice"))
    first = tab.locator(".stc-spot").first
    title = first.inner_text()
    first.press("Enter")
    expect(tab.locator(".stc-map-open h2")).to_have_text(title)
    expect(first).to_have_attribute("aria-pressed", "true")
    doc, abstract = demo_conn.execute("SELECT doc, abstract FROM documents WHERE title = %s", [title]).fetchone() or (0, "")
    expect(tab.locator(".stc-map-open")).to_contain_text(abstract)
    expect(tab.get_by_role("link", name="Find similar documents")).to_have_attribute("href", f"/search?near={doc}&field=title")
    tab.wait_for_function("() => document.getElementById('map-points').data.at(-1).x.length === 1")
    expect(tab).to_have_url(re.compile(f"doc={doc}"))


def count_titles(conn: psycopg.Connection, word: str) -> int:
    row = conn.execute("SELECT count(*) FROM documents WHERE title ILIKE %s", [f"%{word}%"]).fetchone()
    return int(row[0]) if row else 0


def test_a_click_on_a_mark_opens_its_document(tab: Page) -> None:
    place = tab.evaluate(
        "() => { const mark = document.querySelector('#map-points .scatterlayer .point').getBoundingClientRect();"
        " return [mark.x + mark.width / 2, mark.y + mark.height / 2]; }"
    )
    tab.mouse.move(*place)
    expect(tab.locator("#map-points .hoverlayer")).to_contain_text(re.compile(r"\(\d{4}\)"))
    tab.mouse.click(*place)
    expect(tab.locator(".stc-map-open h2")).to_be_visible()
    expect(tab.locator("#map-points .hoverlayer")).to_contain_text(opened_title(tab)[:60])


def test_back_and_forward_restore_each_view(tab: Page) -> None:
    tab.get_by_label("Colour by").select_option("venue")
    expect(tab).to_have_url(re.compile("colour=venue"))
    tab.locator(".stc-spot").first.click()
    title = tab.locator(".stc-spot").first.inner_text()
    expect(tab.locator(".stc-map-open h2")).to_have_text(title)
    tab.locator("#map-cluster").select_option("2")
    expect(tab).to_have_url(re.compile("cluster=2"))
    tab.go_back()
    expect(tab.locator("#map-cluster")).to_have_value("")
    expect(tab.locator(".stc-map-open h2")).to_have_text(title)
    tab.go_back()
    expect(tab.locator(".stc-map-open h2")).to_have_count(0)
    expect(tab.get_by_label("Colour by")).to_have_value("venue")
    tab.go_back()
    expect(tab.get_by_label("Colour by")).to_have_value("cluster")
    for _ in range(3):
        tab.go_forward()
    expect(tab.locator("#map-cluster")).to_have_value("2")
    expect(tab.get_by_label("Colour by")).to_have_value("venue")
    expect(tab.locator(".stc-map-open h2")).to_have_text(title)


def test_relevance_of_a_query(page: Page, demo_conn: psycopg.Connection) -> None:
    visit(page, "tab=map&colour=relevance&edition=train&query=D01.1")
    expect(page.locator("#map-query")).to_have_value("D01.1")
    rows: dict[int, int] = dict(
        demo_conn.execute(
            "SELECT j.rel, count(*) FROM qrels j JOIN qrels_editions e ON e.id = j.edition JOIN st1_queries q ON q.id = j.query"
            " WHERE e.edition = 'train' AND q.query = 'D01.1' GROUP BY j.rel"
        ).fetchall()
    )
    expect(page.locator("#map-points .legend")).to_contain_text("relevant (2)")
    expect(page.locator("#map-near")).to_contain_text("Nearest-neighbour test: of the five documents nearest to a relevant one, ")
    groups = traces(page)
    assert groups["not judged"] == 216 - sum(rows.values())
    assert [groups.get(f"relevant ({grade})", 0) for grade in (1, 2)] == [rows.get(1, 0), rows.get(2, 0)]
    page.locator("#map-set").fill("D01.*")
    page.locator("#map-set").blur()
    page.wait_for_url("**set=D01.**")
    page.locator("#map-set").fill("nothing:*")
    page.locator("#map-set").blur()
    expect(page.get_by_role("alert")).to_contain_text("nothing")
    page.get_by_label("Colour by").select_option("year")
    expect(page.locator("#map-edition")).to_be_hidden()


@pytest.mark.parametrize("place", ["colour=<script>&cluster=99&doc=abc", "edition=nowhere&colour=relevance&query=%27&doc=12345678"])
def test_values_of_the_url_that_do_not_exist(page: Page, place: str) -> None:
    visit(page, f"tab=map&{place}")
    expect(page.locator("#map-cluster")).to_have_value("")
    if "12345678" in place:
        expect(page.get_by_role("alert")).to_contain_text("There is no document 12345678.")
    page.locator(".stc-spot").first.click()  # and it goes on
    expect(page.locator(".stc-map-open h2")).to_be_visible()


def test_two_readers_share_the_map(tab: Page, browser: Browser, explorer: str) -> None:
    other = browser.new_page(base_url=explorer)
    visit(other, "tab=map&colour=year")
    drawn = "() => document.getElementById('map-points').data.reduce((sum, one) => sum + one.x.length, 0)"
    assert tab.evaluate(drawn) == other.evaluate(drawn) == 216
    other.close()


def test_a_phone_does_not_scroll_sideways(tab: Page) -> None:
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.locator(".stc-spot").first.click()
    expect(tab.locator(".stc-map-open h2")).to_be_visible()
    assert tab.evaluate("() => document.documentElement.scrollWidth") <= 390


# Without a browser ------------------------------------------------------------------------------------------------------------


def test_titles_are_text_and_long_ones_are_cut() -> None:
    spot = Spot(0, 7, '<b onclick="x">' + "a" * 100, 2020, None)
    found = PageMap(
        DocumentMap(
            total=1, docs=np.array([7]), places=np.zeros((1, 2), np.float32), clusters=np.array([0]), names=("<i>, voice",)
        ),
        [spot],
    )
    figure = draw(found, "cluster", {}, None)
    assert figure.data[0].name == "&lt;i&gt;, voice"
    assert figure.data[0].text[0].startswith('&lt;b onclick="x"&gt;aaa')
    assert figure.data[0].text[0].endswith("… (2020)")
    assert [trace.name for trace in draw(found, "venue", {}, 7).data] == ["no venue", "open document"]
    assert [trace.name for trace in draw(found, "relevance", {7: 4}, 7).data] == ["relevant (4)", "open document"]


def test_words_are_found_in_any_case_and_order() -> None:
    some = [Spot(0, 1, "Voice at Home", None, None), Spot(1, 2, "Homes", None, None)]
    found = PageMap(
        DocumentMap(
            total=2, docs=np.array([1, 2]), places=np.zeros((2, 2), np.float32), clusters=np.array([0, 1]), names=("a", "b")
        ),
        some,
    )
    assert [one.doc for one in found.find("HOME voice", None)] == [1]
    assert [one.doc for one in found.find("", 1)] == [2]
    assert found.find("voice", 1) == []


def test_documents_and_grades(conn: psycopg.Connection) -> None:
    put(conn, {1: ("One", "first"), 2: (None, None)})
    assert spots(conn, [2, 9, 1]) == [Spot(0, 2, "Document 2", None, None), Spot(2, 1, "One", None, None)]
    assert judged_queries(conn) == {}
    assert grades(conn, "x' OR true --", "all") == {}
    assert opened(conn, 1).abstract == "first"


def test_neighbours_of_relevant_documents(conn: psycopg.Connection) -> None:
    put_vectors(conn, title={1: at(1), 2: at(0.99), 3: at(-0.9), 4: at(-0.95)})
    judge(conn, [("a1", 1, 1, "human"), ("a1", 2, 1, "human"), ("a1", 3, 0, "human"), ("a2", 3, 1, "human")])
    [edition] = judged_queries(conn)
    found = near_relevant(conn, edition, "a1")
    assert found is not None
    assert (found.judged_share, found.corpus_share) == (1 / 2, 1 / 3)
    assert near_relevant(conn, edition, "a2") is None
    with pytest.raises(UnknownObject, match="c"):
        near_relevant(conn, edition, "c*")


def test_grades_of_a_set_of_queries(conn: psycopg.Connection) -> None:
    put(conn, {1: ("One", "first"), 2: ("Two", "second"), 3: ("Three", "third")})
    judge(conn, [("a1", 1, 1, "human"), ("a2", 1, 2, "human"), ("a2", 2, 0, "human"), ("b", 3, 1, "human")])
    [edition] = judged_queries(conn)
    assert grades(conn, edition, "all") == {1: 2, 2: 0, 3: 1}
    assert grades(conn, edition, "a*") == {1: 2, 2: 0}
    assert grades(conn, edition, "a*-a2") == {1: 1}
    with pytest.raises(UnknownObject, match="c"):
        grades(conn, edition, "c*")


def test_restoring_waits_for_each_input() -> None:
    restoring = Restoring()
    assert restoring.settled({"a": "1"})
    restoring.begin({"a": "2", "b": "x"}, {"a": "1", "b": "x"})
    assert not restoring.settled({"a": "1", "b": "x"})
    assert restoring.settled({"a": "2", "b": "x"})
    assert restoring.settled({"a": "3", "b": "x"})

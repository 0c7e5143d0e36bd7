"""Facets and active filters of the search tab, systems side by side, exports, and saving a query."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from playwright.sync_api import Page, expect

from stcollection.corpus.references import references
from stcollection.errors import BadArgument, UnknownObject, translate
from stcollection.explore.search import asking
from stcollection.explore.search.answer import SearchAnswer
from stcollection.explore.search.asking import SearchPage, SearchRequest, Shown
from stcollection.explore.search.beside import columns, moved
from stcollection.explore.search.facets import basis, chosen, facets, filter_links, filters, toggled, without
from stcollection.explore.search.request import STATE, read
from stcollection.explore.templates import render
from stcollection.retrieval.explain import FacetCount
from stcollection.retrieval.explain import facets as count_facets
from stcollection.retrieval.search import search
from stcollection.topics.save import save_query

BLANK: dict[str, Any] = {**dict.fromkeys(STATE), "q": "voice"}
HOSTILE = "<script>alert('x')</script>\"&|%"


@pytest.fixture
def page(page: Page) -> Page:
    """The page with the search open."""
    page.goto("/search")
    page.get_by_role("textbox", name="Query", exact=True).wait_for()
    return page


@pytest.mark.parametrize(
    ("facet", "value", "filter_"),
    [
        ("year", "2010", {"year": [2010, 2019]}),
        ("venue", HOSTILE, {"venue": [HOSTILE]}),
        ("type", "Journal", {"doc_type": ["Journal"]}),
        ("grade", "9", {"textstat_fkgl": [9.000000000000002, 12]}),
        ("grade", "", {"textstat_fkgl": [None, 9]}),
        ("grade", "15", {"textstat_fkgl": [15.000000000000002, None]}),
        ("judged", "no", {"judged": False}),
        ("author", "Ada O'Neil", {"author": ["Ada O'Neil"]}),
    ],
)
def test_a_facet_sets_a_filter_and_removes_it(facet: str, value: str, filter_: dict[str, Any]) -> None:
    state = toggled(BLANK, facet, value)
    assert read(state).filter == filter_
    assert chosen(state, facet, value)
    assert len(filters(state)) == 1
    assert read(toggled(state, facet, value)).filter is None
    name, one, _ = filters(state)[0]
    assert read(without(state, name, one)).filter is None
    assert read(without(state, "all", "")).filter is None


def test_several_venues_are_one_filter() -> None:
    state = toggled(toggled({**BLANK, "venue": "%x%"}, "venue", "A; B"), "venue", "C")
    assert read(state).filter == {"venue": ["A; B", "C"]}
    assert read(without(state, "venues", "C")).filter == {"venue": ["A; B"]}


@pytest.mark.parametrize("facet", ["year", "grade", "judged", "x", ""])
def test_an_unknown_value_changes_nothing(facet: str) -> None:
    assert toggled(BLANK, facet, HOSTILE) == BLANK
    assert without(BLANK, facet + "x", HOSTILE) == BLANK


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"judged": "maybe"}, "judged is 'maybe'"),
        ({"beside": "bm25,rm3,boolean,dense-title", "system": "hybrid"}, "at most 3 systems"),
        ({"above": "x"}, "'x' is not a number"),
        ({"above": "15", "grade": "9"}, "over 15 and at most 9"),
    ],
)
def test_a_url_with_invalid_filters_is_an_error(given: dict[str, Any], message: str) -> None:
    with pytest.raises(BadArgument, match=re.escape(message)):
        read({**BLANK, **given})


def test_a_system_is_not_compared_with_itself() -> None:
    assert read({**BLANK, "system": "bm25", "beside": "bm25,boolean,boolean"}).systems == ("bm25", "boolean")


def test_facets_and_active_filters_are_escaped() -> None:
    asked = SearchRequest(text="x", system="bm25", k=10, filter=None, model=None)
    state = toggled(BLANK, "venue", HOSTILE)
    counted = [FacetCount("documents", "matching", 1), FacetCount("venue", HOSTILE, 1)]
    [facet] = facets(state, counted)
    assert facet.values[0].chosen
    html = render("search/facets.html", error=None, basis=basis(asked, counted), facets=[facet])
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert 'aria-current="true"' in html
    assert "1 document matches the query" in html
    [link] = filter_links(state)
    assert link.text == f"Venue: {HOSTILE}"
    assert "venues=" not in link.href


def test_year_0_is_no_year() -> None:
    [facet] = facets(BLANK, [FacetCount("year", "0", 3)])
    assert facet.values[0].label == "no year"
    state = toggled(BLANK, "year", "0")
    assert chosen(state, "year", "0")
    assert [text for *_, text in filters(state)] == ["no year"] or "no year" in filters(state)[0][2]


@pytest.mark.slow
@pytest.mark.parametrize("system", ["bm25", "hybrid"])
def test_a_chosen_value_leaves_the_other_values(demo_conn: psycopg.Connection, system: str) -> None:
    [(text, vector)] = demo_conn.execute("SELECT text, v::text FROM query_v ORDER BY text LIMIT 1").fetchall()
    asked = SearchRequest(text=text, system=system, k=10, filter=None, model=None)
    years = {row.value for row in count_facets(demo_conn, asked, vector) if row.facet == "year"}
    assert len(years) > 1
    narrow = replace(asked, filter={"year": [2020, 2029], "doc_type": ["Journal"]})
    found = asking.find(demo_conn, narrow, {"hybrid": vector})
    counted = count_facets(demo_conn, narrow, vector, found.ranked)
    kept = {row.value for row in counted if row.facet == "year"}
    assert len(kept) > 1
    assert kept <= years
    assert len({row.value for row in counted if row.facet == "type"}) > 1


def test_moves_are_words_and_signs() -> None:
    assert moved({"a": 1}, "a", "a") == "only here"
    assert moved({"a": 4, "b": 1}, "b", "a") == "▲ 3"
    assert moved({"a": 4, "b": 6}, "b", "a") == "▼ 2"
    assert moved({"a": 4, "b": 4}, "b", "a") == "same rank"
    assert moved({"a": 4, "b": 4}, "a", "a") == ""
    assert moved({"c": 4, "b": 4}, "b", "a") == "not in a"


def test_columns_are_escaped() -> None:
    asked = SearchRequest(text="x", system="bm25", k=10, filter=None, model=None, beside=("boolean",))
    row = Shown(
        system="bm25",
        rank=1,
        score=1.0,
        doc=1,
        docno=HOSTILE,
        title=HOSTILE,
        year=None,
        venue=HOSTILE,
        citations=None,
        snippet=None,
    )
    found = SearchPage([], [row], {}, "SELECT 1")
    made = SearchAnswer(request=asked, vector=None, found=found, like=None, doc=None, field="title", seconds=0)
    listed = columns(asked, found)
    html = render("search/columns.html", columns=listed, overlap="", answer=made, compare="")
    assert "<script" not in html
    assert "No documents found." in html  # boolean


@pytest.mark.slow
def test_the_page_compares_and_exports_what_the_functions_return(demo_conn: psycopg.Connection) -> None:
    asked = read({**BLANK, "q": "pedestrian detection", "system": "bm25", "beside": "boolean", "k": "10"})
    found = asking.find(demo_conn, asked, {})
    alone = asking.find(demo_conn, read({**BLANK, "q": "pedestrian detection", "system": "bm25", "k": "10"}), {})
    assert [one.doc for one in found.beside if one.system == "bm25"] == [one.doc for one in alone.rows]
    assert found.statement.count("search_page") == 2
    docs = [one.doc for one in alone.rows]
    assert [one.docno for one in references(demo_conn, [*docs, -1])] == [one.docno for one in alone.rows]


@pytest.mark.slow
@pytest.mark.parametrize("filter_", [None, {"year": [2015, None]}])
def test_a_hybrid_search_is_made_once_for_list_and_facets(demo_conn: psycopg.Connection, filter_: dict[str, Any] | None) -> None:
    queries = demo_conn.execute("SELECT text, v::text FROM query_v ORDER BY text LIMIT 4").fetchall()
    assert len(queries) == 4
    for text, vector in queries:
        asked = SearchRequest(text=text, system="hybrid", k=10, filter=filter_, model=None)
        found = asking.find(demo_conn, asked, {asked.system: vector})
        alone = search(demo_conn, text, system="hybrid", k=10, filter=filter_, vector=vector)
        assert [(one.rank, one.score, one.doc, one.year) for one in found.rows] == [
            (one.rank, one.score, one.doc, one.year) for one in alone
        ]
        assert found.ranked is not None
        assert len(found.ranked) > 10
        assert count_facets(demo_conn, asked, vector, found.ranked) == count_facets(demo_conn, asked, vector)
        # With a ranking nothing is searched: a system that does not exist raises no error.
        shown = search(demo_conn, "x", system="none", ranked=(found.ranked[:3], [3.0, 2.0, 1.0]))
        assert [one.doc for one in shown] == list(found.ranked[:3])
    assert asking.find(demo_conn, SearchRequest(text="x", system="bm25", k=1, filter=None, model=None), {}).ranked is None


def test_a_query_is_saved_once(conn: psycopg.Connection) -> None:
    save_query(conn, " N1 ", "voice 'assistants' <b>")
    assert conn.execute("SELECT query, text, origin FROM st1_queries").fetchall() == [("N1", "voice 'assistants' <b>", "human")]
    for text in ("voice 'assistants' <b>", "another"):
        with pytest.raises(BadArgument, match="the query 'N1' exists"):
            save_query(conn, "N1", text)
    with pytest.raises(BadArgument, match="name of the query is empty"):
        save_query(conn, "  ", "x")
    with pytest.raises(UnknownObject, match="no topic T9"), translate():
        save_query(conn, "N2", "x", topic="T9")


def opened(page: Page, address: str) -> None:
    page.goto(address)
    page.locator(".stc-facets").wait_for()


@pytest.mark.slow
def test_facets_filter_by_keyboard_and_follow_the_history(page: Page) -> None:
    opened(page, "/search?q=pedestrian+detection&system=bm25")
    expect(page.locator(".stc-facets")).to_contain_text("match the query. Counts are of all of them.")
    button = page.locator("a[data-facet=year]").first
    name, amount = button.locator("span").nth(0).inner_text(), button.locator("span").nth(1).inner_text()
    button.press("Enter")
    expect(page.get_by_role("status").filter(has_text=f"{amount} document")).to_be_visible()
    expect(page.get_by_role("link", name=f"Remove filter Year: {name}")).to_be_visible()
    expect(page.locator("a[data-facet=year][aria-current]")).to_have_text(re.compile(re.escape(name)))
    page.wait_for_url(f"**first={name[:4]}**")
    page.locator("a[data-facet=judged]").first.click()
    expect(page.locator(".stc-chips li")).to_have_count(3)
    page.go_back()
    expect(page.locator(".stc-chips li")).to_have_count(1)
    page.go_back()
    expect(page.locator(".stc-chips")).to_have_count(0)
    expect(page.get_by_label("From year")).to_have_value("")
    page.go_forward()
    expect(page.locator(".stc-chips li")).to_have_count(1)
    page.get_by_role("link", name="Remove filter").press("Enter")
    expect(page.locator(".stc-chips")).to_have_count(0)
    assert "first=" not in page.url


@pytest.mark.slow
def test_an_author_is_a_link_to_their_documents(page: Page) -> None:
    opened(page, "/search?q=pedestrian+detection&system=bm25")
    author = page.locator(".stc-author").first
    name = author.inner_text()
    assert "author=" in (author.get_attribute("href") or "")
    author.click()
    expect(page.get_by_role("link", name=f"Remove filter Author: {name}")).to_be_visible()
    page.wait_for_url("**author=**")
    expect(page.locator(".stc-result").first.locator(".stc-about")).to_contain_text(name)
    expect(page.locator(".stc-about a[href^='https://doi.org/']").first).to_have_attribute("rel", "noopener noreferrer")


@pytest.mark.slow
def test_systems_side_by_side(page: Page) -> None:
    page.goto("/search?q=pedestrian+detection&beside=bm25,dense-title")
    expect(page.locator(".stc-columns section")).to_have_count(3)
    expect(page.locator(".stc-columns h3")).to_have_text(["hybrid", "bm25", "dense-title"])
    expect(page.locator(".stc-move").filter(has_text="only here").first).to_be_visible()
    expect(page.locator(".stc-move").filter(has_text=re.compile("[▲▼]")).first).to_be_visible()
    box = page.get_by_role("checkbox", name="title embeddings", exact=True)
    expect(box).to_be_checked()
    box.uncheck()
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.locator(".stc-columns section")).to_have_count(2)
    page.wait_for_url("**beside=bm25**")


@pytest.mark.slow
def test_the_list_is_downloaded_and_a_document_cited(page: Page, tmp_path: Path) -> None:
    opened(page, "/search?q=pedestrian+detection&system=bm25&k=10")
    for name, start in (("CSV", "docno,title"), ("BibTeX", "@"), ("RIS", "TY  - ")):
        with page.expect_download() as waiting:
            page.get_by_role("link", name=name, exact=True).click()
        waiting.value.save_as(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)
    page.get_by_role("button", name="Cite").first.click()
    expect(page.get_by_role("region", name="BibTeX")).to_contain_text("title = {")


@pytest.mark.slow
def test_a_phone_folds_the_facets(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/search?q=pedestrian+detection&system=bm25&beside=boolean")
    page.locator(".stc-columns").wait_for()
    expect(page.locator(".stc-facets")).to_be_hidden()
    page.get_by_text("Filter by year, venue").click()
    expect(page.locator("a[data-facet=year]").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

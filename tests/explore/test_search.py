"""Searching on the page: results, reasons, judgments, neighbours, its SQL, its address, and errors."""

from __future__ import annotations

import json
import re
from typing import Any

import psycopg
import pytest
from playwright.sync_api import Page, expect
from psycopg.rows import dict_row

from stcollection.errors import BadArgument, StateError, UnknownObject, translate
from stcollection.explore.markup import el
from stcollection.explore.search import asking as search_asking
from stcollection.explore.search.asking import SearchRequest, Shown
from stcollection.explore.search.choices import options
from stcollection.explore.search.request import read
from stcollection.explore.search.results import marked, results
from stcollection.retrieval.explain import why
from tests.text.documents import build, put

HOSTILE = "<script>alert('x')</script> privacy & <img src=x onerror=alert(1)> \"quoted\""
FORM = dict.fromkeys(("system", "k", "model", "first", "last", "grade", "cited", "venue"))


@pytest.fixture
def page(page: Page) -> Page:
    """The page with the search tab open."""
    page.get_by_role("tab", name="Search").click()
    page.get_by_role("textbox", name="Query", exact=True).wait_for()
    return page


def asked(text: str, system: str = "bm25", **more: object) -> SearchRequest:
    return SearchRequest(**{"text": text, "system": system, "k": 10, "filter": None, "model": None, **more})  # type: ignore[arg-type]


@pytest.fixture
def hostile(conn: psycopg.Connection) -> psycopg.Connection:
    put(conn, {1: (HOSTILE, f"One sentence. {HOSTILE} Another sentence."), 2: ("Privacy at home \ue000sign\ue001", None)})
    build(conn, "portable")
    return conn


def test_what_a_document_holds_never_becomes_html(hostile: psycopg.Connection) -> None:
    request = asked("privacy")
    html = results(request, search_asking.find(hostile, request, None), ns="search-")
    assert re.findall(r"<(?:script|img)", html) == []
    assert "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt; <mark>privacy</mark> &amp; &lt;img" in html
    assert "<mark>Privacy</mark> at home sign" in html


def test_attributes_are_escaped() -> None:
    assert el("p", "a<b", title='"><script>') == '<p title="&quot;&gt;&lt;script&gt;">a&lt;b</p>'


@pytest.mark.parametrize(
    ("query", "text", "shown"),
    [
        ("+privacy -games", "Privacy in games", "<mark>Privacy</mark> in games"),
        ('"smart homes"', "A smart home", "A <mark>smart</mark> <mark>home</mark>"),
        ("comput*", "Computing with computers", "<mark>Computing</mark> with <mark>computers</mark>"),
        ("title:privacy OR art", "State-of-the-art", "State-of-the-<mark>art</mark>"),
        ("-games", "games", "games"),
        ("the", "the text", "the text"),
        ("", "text", "text"),
        ("privacy", None, ""),
    ],
)
def test_marks_follow_the_query_language(conn: psycopg.Connection, query: str, text: str | None, shown: str) -> None:
    row = conn.execute("SELECT stc.mark_words(%s, stc.query_marks(%s))", [text, query]).fetchone()
    assert row is not None
    assert marked(row[0]) == shown


def test_marks_leave_the_text_as_it_is(conn: psycopg.Connection) -> None:
    row = conn.execute(
        "SELECT translate(stc.mark_words(%s, stc.query_marks('alert src')), U&'\\E000\\E001', '')", [HOSTILE]
    ).fetchone()
    assert row == (HOSTILE,)


def test_the_words_of_a_document_add_up_to_its_bm25_score(hostile: psycopg.Connection) -> None:
    for query in ("privacy", "privacy quoted quoted sentence -home"):
        rows = hostile.execute("SELECT doc, score FROM bm25_search(%s)", [query]).fetchall()
        assert rows
        for doc, score in rows:
            row = hostile.execute("SELECT sum(added) FROM stc.bm25_words(%s, %s)", [query, doc]).fetchone()
            assert row is not None
            assert row[0] == pytest.approx(score, rel=1e-5)
    with pytest.raises(UnknownObject, match="no document 99"), translate():
        hostile.execute("SELECT * FROM stc.bm25_words('privacy', 99)")


def test_a_form_is_read() -> None:
    made = read({**FORM, "q": "voice", "first": "2015", "last": 2020, "grade": 11.5, "cited": 3, "venue": " SIGIR ", "k": "20"})
    assert made == asked(
        "voice",
        "hybrid",
        k=20,
        filter={"year": [2015, 2020], "textstat_fkgl": [None, 11.5], "citations": [3, None], "venue": ["SIGIR"]},
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"q": "  "}, "the query is empty"),
        ({"q": "x" * 10_001}, "10,001 characters"),
        ({"q": "a", "first": 2020, "last": 2015}, "2020 is after the last 2015"),
        ({"q": "a", "first": "soon"}, "'soon' is not a number"),
        ({"q": "a", "cited": -1}, "citations is -1"),
        ({"q": "a", "last": 2015.5}, "to year: 2015.5 is not valid"),
        ({"q": "a", "grade": "nan"}, "readability: nan is not valid"),
        ({"q": "a", "k": "0"}, "results is 0"),
        ({"q": "a", "k": "100000"}, "results is 100000"),
    ],
)
def test_a_form_that_makes_no_sense_is_told(given: dict[str, object], said: str) -> None:
    with pytest.raises(BadArgument, match=re.escape(said)):
        read({**FORM, **given})


def test_an_unknown_venue_is_told(hostile: psycopg.Connection) -> None:
    for venue in ("Nowhere", "%nowhere%"):
        with pytest.raises(UnknownObject, match="has the venue"):
            search_asking.find(hostile, asked("privacy", filter={"venue": venue}), None)


@pytest.mark.slow
@pytest.mark.parametrize("system", ["boolean", "bm25", "hybrid", "dense-title", "dense-abstract"])
def test_the_statement_gives_the_rows_of_the_page(demo_conn: psycopg.Connection, system: str) -> None:
    name = "D02.C1"
    text = search_asking.stored_text(demo_conn, name)
    row = demo_conn.execute("SELECT embed_query(%s)::text", [text]).fetchone()
    assert row is not None
    request = asked(text, system, filter={"year": [2005, None]})
    found = search_asking.find(demo_conn, request, row[0])
    with demo_conn.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(found.statement.encode()).fetchall()
    assert rows
    assert [(one["rank"], one["score"], one["docno"]) for one in rows] == [(one.rank, one.score, one.docno) for one in found.rows]
    assert any(one.query == name for judged in found.judged.values() for one in judged)


def test_the_statement_quotes_what_it_is_given(hostile: psycopg.Connection) -> None:
    text = "privacy'); DROP TABLE dblp; -- \\ \" $1 %s :name"
    found = search_asking.find(hostile, asked(text, filter={"text": "it's \\'"}), None)
    assert hostile.execute(found.statement.encode()).fetchall() == []
    found = search_asking.find(hostile, asked(text), None)
    assert len(hostile.execute(found.statement.encode()).fetchall()) == len(found.rows) > 0
    assert hostile.execute("SELECT count(*) FROM dblp").fetchone() == (2,)


@pytest.mark.slow
def test_the_parts_add_up_to_the_fused_score(demo_conn: psycopg.Connection) -> None:
    text = search_asking.stored_text(demo_conn, "D02.C1")
    rows = demo_conn.execute("SELECT doc, score FROM system_search(%s, 'hybrid', 20)", [text]).fetchall()
    parts = demo_conn.execute(
        "SELECT doc, ranking, added FROM stc.search_parts(%s, %s)", [text, [doc for doc, _ in rows]]
    ).fetchall()
    assert {ranking for _, ranking, _ in parts} == {"bm25", "document"}
    for doc, score in rows:
        assert sum(added for one, _, added in parts if one == doc) == pytest.approx(score)


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [None, {"year": [2010, None]}])
def test_a_search_keeps_what_explains_its_results(demo_conn: psycopg.Connection, wanted: dict[str, Any] | None) -> None:
    request = asked(search_asking.stored_text(demo_conn, "D02.C1"), system="hybrid", k=5, filter=wanted)
    [vector] = demo_conn.execute("SELECT embed_query(%s)", [request.text]).fetchone() or [None]
    page = search_asking.find(demo_conn, request, vector)
    plain = demo_conn.execute(
        "SELECT doc, score FROM system_search(%s, 'hybrid', 1000, filter => %s::jsonb)",
        [request.text, None if wanted is None else json.dumps(wanted)],
    ).fetchall()
    assert list(page.ranked or ()) == [doc for doc, _ in plain]
    assert [(row.doc, row.score) for row in page.rows] == plain[:5]
    assert page.parts is not None
    assert set(page.parts) == {row.doc for row in page.rows}
    for row in page.rows:
        kept = why(demo_conn, request, row.doc, vector, page.parts)
        assert kept == why(demo_conn, request, row.doc, vector)
        assert kept.parts


@pytest.mark.slow
def test_neighbours_are_those_of_the_published_function(demo_conn: psycopg.Connection) -> None:
    doc = demo_conn.execute("SELECT id FROM dblp_v WHERE abstract_v IS NOT NULL ORDER BY id LIMIT 1").fetchone()
    assert doc is not None
    published = [one for (one,) in demo_conn.execute("SELECT id FROM dblp_knn_title(qdblp_v_title(%s), 6, 1)", doc)]
    _, rows = search_asking.neighbours(demo_conn, doc[0], "title", 5, None)
    assert [one.doc for one in rows] == [one for one in published if one != doc[0]][:5]
    assert all(isinstance(one, Shown) and -1 <= one.score <= 1.000001 for one in rows)
    with pytest.raises(UnknownObject, match="no document -1"), translate():
        search_asking.neighbours(demo_conn, -1, "title", 5, None)
    with pytest.raises(StateError, match="no content vector"), translate():
        search_asking.neighbours(demo_conn, doc[0], "content", 5, None)


def search(page: Page, text: str) -> None:
    box = page.get_by_role("textbox", name="Query", exact=True)
    box.fill(text)
    box.press("Enter")


@pytest.mark.slow
def test_a_search_by_keyboard_and_its_reasons(page: Page) -> None:
    page.locator("body").press("/")
    expect(page.get_by_role("textbox", name="Query", exact=True)).to_be_focused()
    search(page, "pedestrian detection")
    expect(page.get_by_role("status").filter(has_text="20 documents, by hybrid")).to_be_visible()
    first = page.get_by_role("listitem").filter(has=page.get_by_role("heading", level=3)).first
    expect(first.locator("mark").first).to_be_visible()
    expect(page.get_by_text(re.compile(r"train: (not )?relevant \(\d\) for D02\.1")).first).to_be_visible()
    why = first.get_by_role("button", name="Why")
    why.press("Enter")
    expect(why).to_have_attribute("aria-expanded", "true")
    expect(first.get_by_role("row", name=re.compile("^BM25"))).to_be_visible()
    # The larger part first; which of the two it is depends on the rounding of the machine.
    expect(first.locator(".stc-legend").first.get_by_role("listitem")).to_have_text([re.compile(r" \d\.\d\d$")] * 2)
    parts = [one.rpartition(" ") for one in first.locator(".stc-legend").first.get_by_role("listitem").all_inner_texts()]
    assert {name for name, _, _ in parts} == {"embedding", "BM25 words"}
    assert [value for *_, value in parts] == sorted((value for *_, value in parts), reverse=True)
    expect(first.get_by_text("textstat_fkgl")).to_be_visible()
    first.get_by_role("button", name="Abstract").press("Enter")
    expect(why).to_have_attribute("aria-expanded", "false")
    expect(first.locator(".stc-abstract mark").first).to_be_visible()
    first.get_by_role("button", name="Abstract").press("Enter")
    expect(first.locator(".stc-panel")).to_be_hidden()
    page.get_by_text("Show SQL").click()
    expect(page.get_by_text("is stored in query_v")).to_be_visible()


@pytest.mark.slow
def test_an_address_opens_the_same_page(page: Page) -> None:
    page.locator("#stc-stored option").first.wait_for(state="attached")  # what can be chosen has come
    page.get_by_label("System").select_option("bm25")
    search(page, "fake news <b>&")
    expect(page.get_by_role("status").filter(has_text="by bm25")).to_be_visible()
    page.wait_for_url("**system=bm25**")
    before = page.locator(".tab-pane[data-value=search] .stc-results").inner_text()
    page.goto(page.url)
    expect(page.get_by_role("status").filter(has_text="by bm25")).to_be_visible()
    expect(page.get_by_role("textbox", name="Query", exact=True)).to_have_value("fake news <b>&")
    page.locator(".tab-pane[data-value=search] .stc-results").wait_for()
    assert page.locator(".tab-pane[data-value=search] .stc-results").inner_text() == before


@pytest.mark.slow
def test_neighbours_and_back(page: Page, demo_conn: psycopg.Connection) -> None:
    search(page, "voice assistants")
    page.get_by_role("button", name="Like this").first.click()
    expect(page.get_by_role("heading", name="Neighbours of")).to_be_visible()
    page.get_by_role("button", name="By content").click()
    expect(page.get_by_role("alert")).to_contain_text("has no content vector of minilm")
    page.get_by_role("button", name="Back to the results").click()
    expect(page.get_by_role("status").filter(has_text="by hybrid")).to_be_visible()
    doc = demo_conn.execute("SELECT id FROM dblp_v WHERE abstract_v IS NOT NULL ORDER BY id LIMIT 1").fetchone()
    assert doc is not None
    page.goto(f"/?tab=search&q=voice&near={doc[0]}&field=abstract")
    expect(page.get_by_role("button", name="By abstract")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("listitem").filter(has_text="cosine")).to_have_count(20)


@pytest.mark.slow
def test_mistakes_are_told_on_the_page(page: Page) -> None:
    search(page, "   ")
    expect(page.get_by_role("alert")).to_contain_text("The query is empty.")
    page.goto("/?tab=search&q=voice&system=alta")
    expect(page.get_by_role("alert")).to_contain_text("There is no system alta.")
    page.goto("/?tab=search&q=voice&first=2020&last=2010&system=bm25")
    expect(page.get_by_role("alert")).to_contain_text("The first year 2020 is after the last 2010.")


@pytest.mark.slow
def test_a_stored_query_fills_the_box(page: Page, demo_conn: psycopg.Connection) -> None:
    page.get_by_text("Filters, stored queries").click()
    box = page.get_by_label("Stored query")
    box.fill("D02.1")
    box.press("Tab")
    expect(page.get_by_role("textbox", name="Query", exact=True)).to_have_value(search_asking.stored_text(demo_conn, "D02.1"))
    expect(page.locator(".tab-pane[data-value=search] .stc-results")).to_be_visible()


@pytest.mark.slow
def test_a_phone_does_not_scroll_sideways(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    search(page, "pedestrian detection")
    page.get_by_role("button", name="Why").first.click()
    page.get_by_text("textstat_fkgl").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_options_of_an_empty_collection_say_why(conn: psycopg.Connection) -> None:
    here = options(conn)
    assert here.systems["boolean"] is None
    assert here.systems["bm25"] == "no text index"
    assert here.systems["dense-title"] == "no title vectors"
    assert json.dumps(here.stored) == "[]"

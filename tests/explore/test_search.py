"""Searching on the page: results, reasons, judgments, neighbours, its SQL, its address, and errors."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
import psycopg
import pytest
from playwright.sync_api import Page, expect
from psycopg.rows import dict_row

from stcollection.errors import BadArgument, StateError, UnknownObject, translate
from stcollection.explore.search import asking as search_asking
from stcollection.explore.search.answer import SearchAnswer
from stcollection.explore.search.asking import SearchPage, SearchRequest, Shown
from stcollection.explore.search.choices import options
from stcollection.explore.search.request import STATE, read
from stcollection.explore.search.view import answer_values, form_values
from stcollection.explore.templates import marked, render
from stcollection.retrieval.explain import ScorePart, why
from stcollection.web.markup import el
from tests.text.documents import build, put

HOSTILE = "<script>alert('x')</script> privacy & <img src=x onerror=alert(1)> \"quoted\""
FORM = dict.fromkeys(("system", "k", "model", "first", "last", "grade", "cited", "venue"))


@pytest.fixture
def page(page: Page) -> Page:
    """The page with the search open."""
    page.goto("/search")
    page.get_by_role("textbox", name="Query", exact=True).wait_for()
    return page


def asked(text: str, system: str = "bm25", **more: object) -> SearchRequest:
    return SearchRequest(**{"text": text, "system": system, "k": 10, "filter": None, "model": None, **more})  # type: ignore[arg-type]


def drawn(conn: psycopg.Connection, request: SearchRequest, found: SearchPage) -> str:
    """The content of the page with the results of a search."""
    state = dict.fromkeys(STATE, "") | {"q": request.text, "system": request.system}
    made = SearchAnswer(request=request, vector=None, found=found, like=None, doc=None, field="title", seconds=0)
    shown = form_values(state, options(conn)) | answer_values(made, state)
    return render("search/page.html", part=True, last=None, error=None, title=None, **shown)


def stored_text(conn: psycopg.Connection, query: str) -> str:
    row = conn.execute("SELECT text FROM st1_queries WHERE query = %s", [query]).fetchone()
    assert row is not None
    return str(row[0])


@pytest.fixture
def hostile(conn: psycopg.Connection) -> psycopg.Connection:
    put(conn, {1: (HOSTILE, f"One sentence. {HOSTILE} Another sentence."), 2: ("Privacy at home \ue000sign\ue001", None)})
    build(conn, "portable")
    return conn


def test_what_a_document_holds_never_becomes_html(hostile: psycopg.Connection) -> None:
    request = asked("privacy")
    html = drawn(hostile, request, search_asking.find(hostile, request, {}))
    assert re.findall(r"<(?:script|img)", html) == []
    assert "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; <mark>privacy</mark> &amp; &lt;img" in html
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
            search_asking.find(hostile, asked("privacy", filter={"venue": venue}), {})


@pytest.mark.slow
@pytest.mark.parametrize("system", ["boolean", "bm25", "hybrid", "dense-title", "dense-abstract"])
def test_the_statement_gives_the_rows_of_the_page(demo_conn: psycopg.Connection, system: str) -> None:
    name = "D02.C1"
    text = stored_text(demo_conn, name)
    row = demo_conn.execute("SELECT embed_query(%s)::text", [text]).fetchone()
    assert row is not None
    request = asked(text, system, filter={"year": [2005, None]})
    found = search_asking.find(demo_conn, request, {system: row[0]})
    with demo_conn.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(found.statement.encode()).fetchall()
    assert rows
    assert [(one["rank"], one["score"], one["docno"]) for one in rows] == [(one.rank, one.score, one.docno) for one in found.rows]
    assert any(one.query == name for judged in found.judged.values() for one in judged)


def test_the_statement_quotes_what_it_is_given(hostile: psycopg.Connection) -> None:
    text = "privacy'); DROP TABLE dblp; -- \\ \" $1 %s :name"
    found = search_asking.find(hostile, asked(text, filter={"text": "it's \\'"}), {})
    assert hostile.execute(found.statement.encode()).fetchall() == []
    found = search_asking.find(hostile, asked(text), {})
    assert len(hostile.execute(found.statement.encode()).fetchall()) == len(found.rows) > 0
    assert hostile.execute("SELECT count(*) FROM dblp").fetchone() == (2,)


@pytest.mark.slow
def test_the_parts_add_up_to_the_fused_score(demo_conn: psycopg.Connection) -> None:
    text = stored_text(demo_conn, "D02.C1")
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
    request = asked(stored_text(demo_conn, "D02.C1"), system="hybrid", k=5, filter=wanted)
    [vector] = demo_conn.execute("SELECT embed_query(%s)", [request.text]).fetchone() or [None]
    page = search_asking.find(demo_conn, request, {"hybrid": vector})
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
    marked = page.get_by_role("listitem").filter(has=page.get_by_role("heading", level=3)).filter(has=page.locator("mark"))
    first = marked.first  # the first document may have none of the words
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
    expect(first.get_by_text("reading grade (Flesch-Kincaid)")).to_be_visible()
    first.get_by_role("button", name="Abstract").press("Enter")
    expect(why).to_have_attribute("aria-expanded", "false")
    expect(first.locator(".stc-abstract mark").first).to_be_visible()
    first.get_by_role("button", name="Abstract").press("Enter")
    expect(first.locator(".stc-panel")).to_be_hidden()
    page.get_by_text("Show SQL").click()
    expect(page.get_by_text("is stored in query_v")).to_be_visible()


@pytest.mark.slow
def test_an_address_opens_the_same_page(page: Page) -> None:
    page.get_by_label("System").select_option("bm25")
    search(page, "fake news <b>&")
    expect(page.get_by_role("status").filter(has_text="by bm25")).to_be_visible()
    page.wait_for_url("**system=bm25**")
    before = page.locator(".stc-results").inner_text()
    page.goto(page.url)
    expect(page.get_by_role("status").filter(has_text="by bm25")).to_be_visible()
    expect(page.get_by_role("textbox", name="Query", exact=True)).to_have_value("fake news <b>&")
    page.locator(".stc-results").wait_for()
    assert page.locator(".stc-results").inner_text() == before


@pytest.mark.slow
def test_neighbours_and_back(page: Page, demo_conn: psycopg.Connection) -> None:
    search(page, "voice assistants")
    page.get_by_role("link", name="Like this").first.click()
    expect(page.get_by_role("heading", name="Neighbours of")).to_be_visible()
    expect(page.get_by_text("By content (no content vectors)")).to_be_visible()
    expect(page.get_by_role("link", name="By content")).to_have_count(0)
    page.goto(page.url.replace("field=title", "field=content"))
    expect(page.get_by_role("alert")).to_contain_text("has no content vector of minilm")
    page.get_by_role("link", name="Back to the results").click()
    expect(page.get_by_role("status").filter(has_text="by hybrid")).to_be_visible()
    doc = demo_conn.execute("SELECT id FROM dblp_v WHERE abstract_v IS NOT NULL ORDER BY id LIMIT 1").fetchone()
    assert doc is not None
    page.goto(f"/?tab=search&q=voice&near={doc[0]}&field=abstract")  # an address of an earlier version
    expect(page.get_by_role("link", name="By abstract")).to_have_attribute("aria-current", "true")
    expect(page.get_by_role("listitem").filter(has_text="cosine")).to_have_count(20)


@pytest.mark.slow
def test_mistakes_are_told_on_the_page(page: Page) -> None:
    search(page, "   ")
    expect(page.get_by_role("alert")).to_contain_text("The query is empty.")
    page.goto("/search?q=voice&system=alta")
    expect(page.get_by_role("alert")).to_contain_text("There is no system alta.")
    page.goto("/search?q=voice&first=2020&last=2010&system=bm25")
    expect(page.get_by_role("alert")).to_contain_text("The first year 2020 is after the last 2010.")


@pytest.mark.slow
def test_a_stored_query_is_chosen_by_its_text_or_name(page: Page, demo_conn: psycopg.Connection) -> None:
    page.locator("summary").get_by_text("Stored queries and articles").click()
    text = stored_text(demo_conn, "D02.1")
    page.get_by_role("searchbox", name="Words or name").fill("d02.1")
    expect(page.locator("#stored-queries a")).to_have_count(1)
    page.get_by_role("link", name=f"D02.1 {text}").click()
    expect(page.get_by_role("textbox", name="Query", exact=True)).to_have_value(text)
    expect(page.locator(".stc-results")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Examples")).to_be_visible()


@pytest.mark.slow
def test_the_start_shows_examples_and_titles_differ(page: Page) -> None:
    expect(page).to_have_title(re.compile("^Search · "))
    page.locator(".stc-start a").first.click()
    expect(page.locator(".stc-results")).to_be_visible()
    expect(page).to_have_title(re.compile("^.+ · Search · "))


@pytest.mark.slow
def test_the_record_of_a_page_is_json(explorer: str, demo_conn: psycopg.Connection) -> None:
    made = httpx.get(f"{explorer}search.json?q=voice+assistants&system=bm25&k=5&first=2018").raise_for_status().json()
    wanted = asked("voice assistants", k=5, filter={"year": [2018, None]})
    rows = search_asking.find(demo_conn, wanted, {}).rows
    assert [(row["docno"], row["score"]) for row in made["documents"]] == [(row.docno, row.score) for row in rows]
    assert not re.search("[\ue000\ue001]", json.dumps(made, ensure_ascii=False))
    assert {row["facet"] for row in made["facets"]} > {"documents", "year"}
    failed = httpx.get(f"{explorer}search.json?q=voice&system=alta")
    assert (failed.status_code, failed.json()["error"]["sqlstate"]) == (404, "IR107")


@pytest.mark.slow
def test_a_search_is_light_and_needs_no_session(explorer: str) -> None:
    """A page, its style, two scripts and an icon, compressed; the files are kept, and nothing is remembered of the reader."""
    with httpx.Client(base_url=explorer) as client:
        page = client.get("/search?q=voice+assistants&system=bm25")
        files = [client.get(name) for name in re.findall(r'(?:href|src)="(/static/[^"]+)"', page.text)]
        sent = page.num_bytes_downloaded + sum(file.num_bytes_downloaded for file in files)
        assert (len(files), sent < 50_000) == (4, True), sent
        assert all("immutable" in file.headers["cache-control"] for file in files)
        assert "unsafe-inline" not in page.headers["content-security-policy"]
        assert not client.cookies
        assert client.get("/static/page.000000000000.css").status_code == 404


@pytest.mark.slow
def test_nonsense_matches_nothing_well(page: Page) -> None:
    said = "Nothing matches well"
    search(page, "voice assistants")
    expect(page.locator(".stc-results")).to_be_visible()
    expect(page.get_by_text(said)).to_have_count(0)
    search(page, "asdkjh qwelkj zzz")
    expect(page.get_by_text(said)).to_be_visible()


@pytest.mark.slow
def test_a_phone_does_not_scroll_sideways(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    search(page, "pedestrian detection")
    page.get_by_role("button", name="Why").first.click()
    page.locator(".stc-results").get_by_text("reading grade (Flesch-Kincaid)").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_texts_have_characters_instead_of_entities(conn: psycopg.Connection) -> None:
    put(conn, {1: ("Privacy &amp; security of R&amp;D", "All of R&amp;D. Privacy &lt; security.")})
    build(conn, "portable")
    html = drawn(conn, asked("privacy"), search_asking.find(conn, asked("privacy"), {}))
    assert "<mark>Privacy</mark> &amp; security of R&amp;D" in html
    assert "&amp;amp;" not in html


def test_a_search_is_weak_without_words_and_near_documents() -> None:
    near, word = ScorePart("document", 1, 0.2, 5.0), ScorePart("bm25", 1, 3.0, 1.0)
    assert SearchPage([], [], {}, "", parts={1: [near]}).weak
    assert not SearchPage([], [], {}, "", parts={1: [near], 2: [word]}).weak
    assert not SearchPage([], [], {}, "", parts={1: [near._replace(score=0.5)]}).weak
    assert not SearchPage([], [], {}, "").weak


def test_options_of_an_empty_collection_say_why(conn: psycopg.Connection) -> None:
    here = options(conn)
    assert here.systems["boolean"].problem is None
    assert here.systems["bm25"].problem == "no text index"
    assert here.systems["dense-title"].problem == "no title vectors"
    assert here.fields["title"] == "no title vectors"
    assert (here.examples, here.near, here.default) == ([], None, "boolean")
    html = render(
        "search/page.html", part=True, last=None, error=None, title=None, answer=None, **form_values(dict.fromkeys(STATE, ""), here)
    )
    assert re.search(r'<option value="bm25" disabled>BM25 \(no text index\)', html)

"""The view Map on the demo collection."""

from __future__ import annotations

import csv
import re
from html import escape

import httpx
import numpy as np
import psycopg
import pytest
from playwright.sync_api import Page, expect

from stcollection.analysis.map.documents import Spot, grades, judged_queries, near_relevant, opened, spots
from stcollection.analysis.map.records import DocumentMap
from stcollection.errors import UnknownObject
from stcollection.explore.map.drawing import groups, points, titles
from stcollection.web.maps import PageMap
from tests.explore.conftest import computed
from tests.qrels.test_expand import judge
from tests.text.documents import put
from tests.vectors.worlds import at, put_vectors

pytestmark = pytest.mark.slow


def drawn(client: httpx.Client, place: str = "") -> dict[str, int]:
    """Names and sizes of the groups drawn."""
    sent = client.get(f"/map/points.json?{place}").json()
    assert len(sent["x"]) == len(sent["y"]) == len(sent["doc"]) == len(sent["group"]) == 216
    assert {*sent["x"], *sent["y"]} <= set(range(sent["side"] + 1))
    return {group["name"]: sent["group"].count(at) for at, group in enumerate(sent["groups"])}


def test_clusters_are_named_and_have_all_documents(client: httpx.Client) -> None:
    html = computed(client, "/map?")
    assert "216 documents, in 8 clusters by k-means." in html
    found = drawn(client)
    assert len(found) == 8
    assert sum(found.values()) == 216
    assert all(re.fullmatch(r"\w+(, \w+){2}", name) and name in html for name in found)
    names = client.get("/map/titles.json").json()
    assert len(names) == 216


def test_a_list_of_the_documents_opens_one(client: httpx.Client, demo_conn: psycopg.Connection) -> None:
    html = computed(client, "/map?find=VOICE")
    [(count,)] = demo_conn.execute("SELECT count(*) FROM documents WHERE title ILIKE '%voice%'").fetchall()
    assert html.count('class="stc-spot"') == count > 0
    [(doc, title, abstract)] = demo_conn.execute(
        "SELECT doc, title, abstract FROM documents WHERE title ILIKE '%voice%' AND abstract !~ '[''\"&]' LIMIT 1"
    ).fetchall()
    opened_page = client.get(f"/map?find=VOICE&doc={doc}", headers={"hx-request": "true"}).text
    assert f"<h2>{escape(title)}</h2>" in opened_page
    assert abstract[:60] in opened_page
    assert f'href="/search?near={doc}&amp;field=title"' in opened_page
    assert f'data-doc="{doc}"' in opened_page


def test_years_and_venues(client: httpx.Client, demo_conn: psycopg.Connection) -> None:
    years: dict[str, int] = dict(demo_conn.execute("SELECT year::text, count(*) FROM documents GROUP BY year").fetchall())
    assert drawn(client, "colour=year") == years
    assert sum(drawn(client, "colour=venue").values()) == 216
    rows = list(csv.DictReader(client.get("/map.csv?colour=venue").text.splitlines()))
    assert len(rows) == len(client.get("/map.json").json()["documents"]) == 216


def test_relevance_of_a_query(client: httpx.Client, demo_conn: psycopg.Connection) -> None:
    rows: dict[int, int] = dict(
        demo_conn.execute(
            "SELECT j.rel, count(*) FROM qrels j JOIN qrels_editions e ON e.id = j.edition JOIN st1_queries q ON q.id = j.query"
            " WHERE e.edition = 'train' AND q.query = 'D01.1' GROUP BY j.rel"
        ).fetchall()
    )
    place = "colour=relevance&edition=train&query=D01.1"
    html = computed(client, f"/map?{place}")
    assert "Nearest-neighbour test: of the five documents nearest to a relevant one, " in html
    found = drawn(client, place)
    assert found["not judged"] == 216 - sum(rows.values())
    assert [found.get(f"relevant ({grade})", 0) for grade in (1, 2)] == [rows.get(1, 0), rows.get(2, 0)]
    answer = client.get("/map?colour=relevance&edition=train&set=nothing:*")
    assert answer.status_code == 404
    assert re.search(r'role="alert".*nothing', answer.text, re.DOTALL)


@pytest.mark.parametrize("place", ["colour=<script>&cluster=99&doc=abc", "edition=nowhere&colour=relevance&query=%27&doc=12345678"])
def test_values_of_the_address_that_do_not_exist(client: httpx.Client, place: str) -> None:
    html = computed(client, f"/map?{place}")
    assert "<script>&" not in html
    assert html.count('class="stc-spot"') == 25
    if "12345678" in place:
        assert "There is no document 12345678." in html


def test_old_links_lead_to_the_view(client: httpx.Client) -> None:
    answer = client.get("/?tab=map&colour=year")
    assert (answer.status_code, answer.headers["location"]) == (302, "/map?colour=year")


def test_a_reader_zooms_and_opens_documents(page: Page, client: httpx.Client) -> None:
    computed(client, "/map?")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/map")
    canvas = page.locator("canvas[data-ready]")
    canvas.wait_for()
    sent = client.get("/map/points.json").json()
    box = canvas.bounding_box()
    assert box is not None
    shares = [sent[axis][0] / sent["side"] for axis in "xy"]
    place = (box["x"] + 16 + shares[0] * (box["width"] - 32), box["y"] + 16 + shares[1] * (box["height"] - 32))
    page.mouse.move(*place)
    expect(page.locator(".stc-map-title")).to_have_text(client.get("/map/titles.json").json()[str(sent["doc"][0])])
    page.mouse.click(*place)
    expect(page).to_have_url(re.compile(f"doc={sent['doc'][0]}"))
    expect(page.locator("#map-open h2")).to_be_visible()
    page.get_by_role("button", name="Zoom in").click()
    page.mouse.move(5, 5)
    expect(page.locator(".stc-map-title")).to_be_hidden()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    page.get_by_label("Colour by").select_option("venue")
    expect(page).to_have_url(re.compile("colour=venue&doc="))
    page.locator(".stc-spot").first.press("Enter")
    expect(page.locator("#map-open h2")).to_have_text(page.locator(".stc-spot").first.inner_text())
    page.go_back()
    expect(page).to_have_url(re.compile(f"doc={sent['doc'][0]}"))
    page.go_back()
    expect(page.get_by_label("Colour by")).to_have_value("cluster")
    for kind in ("SVG", "PNG"):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=f"Download Map of the documents as {kind}").click()
        assert waiting.value.suggested_filename == f"Map of the documents.{kind.lower()}"


# Without a browser ------------------------------------------------------------------------------------------------------------


def one_document(title: str, year: int | None) -> PageMap:
    made = DocumentMap(
        total=1, docs=np.array([7]), places=np.zeros((1, 2), np.float32), clusters=np.array([0]), names=("a, voice",)
    )
    return PageMap(made, [Spot(0, 7, title, year, None)])


def test_titles_are_decoded_and_long_ones_are_cut() -> None:
    found = one_document("R&amp;D " + "a" * 100, 2020)
    assert titles(found)[7].startswith("R&D aaa")
    assert titles(found)[7].endswith("… (2020)")
    assert [group.name for group in groups(found, "venue", {})] == ["no venue"]
    assert [group.name for group in groups(found, "relevance", {7: 4})] == ["relevant (4)"]
    assert points(found, groups(found, "cluster", {}))["x"] == [0]


def test_no_year_is_a_group_of_its_own() -> None:
    assert [group.name for group in groups(one_document("a", None), "year", {})] == ["no year"]


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

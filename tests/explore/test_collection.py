"""The view Collection shows what the status commands print; tables are browsed page by page."""

from __future__ import annotations

import csv
import io
from itertools import pairwise
from xml.etree import ElementTree

import httpx
import psycopg
import pytest
from playwright.sync_api import Page, expect

from stcollection.analysis.contents import Corpus, EditionCounts, corpus, indexes, judged
from stcollection.corpus import ledger
from stcollection.corpus.ledger import CorpusSize
from stcollection.db.settings import Settings
from stcollection.explore.charts import ticks
from stcollection.explore.collection.rows import counted, edition_facts, readability, runs
from stcollection.explore.collection.rows import grades as draw_grades
from stcollection.qrels.editions import editions
from stcollection.runs.listing import runs as stored_runs
from tests.acceptance.conftest import runner
from tests.explore.markup import row, tables

pytestmark = pytest.mark.slow
SVG = "{http://www.w3.org/2000/svg}"


def told(demo: Settings, *arguments: str) -> list[dict[str, str]]:
    done = runner(demo)(*arguments, "--format", "csv")
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def test_the_numbers_are_the_commands(client: httpx.Client, demo: Settings) -> None:
    html = client.get("/collection").text
    for one in told(demo, "corpus", "status"):
        assert row(html, "Corpus statistics", one["what"])[0] == f"{int(one['count']):,}"
    for one in told(demo, "qrels", "editions"):
        shown = row(html, "Editions; select one for its leaderboard", one["edition"])
        assert shown[0:3] == [one["split"], f"{int(one['queries']):,}", f"{int(one['judgments']):,}"]
    for one in told(demo, "runs", "list"):
        shown = row(html, "Runs; select one for its scores", one["run"])
        assert shown[2:5] == [f"{int(one[name]):,}" for name in ("queries", "ranked", "depth")]
    text = {one["what"]: one["value"] for one in told(demo, "text", "status")}
    assert row(html, "Text index", "tokens") == [f"{int(text['tokens']):,}"]
    assert row(html, "Text index", "state") == ["up to date"]
    assert row(html, "Text index", "BM25 implementation")[0].startswith(text["engine"])
    vectors = [shown[:2] + shown[6:7] for shown in tables(html)["Vectors and their indexes"][1:]]
    assert ["minilm", "title", "fresh"] in vectors
    assert row(html, "Readability measures", "abstracts with measures")[0] == "198"
    for name, place in (("train", "?edition=train"), ("bm25", "/run?run=bm25")):
        assert f'<a href="/leaderboard{place}">{name}</a>' in html


def test_its_record_is_json(client: httpx.Client, demo_conn: psycopg.Connection) -> None:
    record = client.get("/collection.json").json()
    assert record["counts"] == corpus(demo_conn).counts
    assert [one["run"] for one in record["runs"]] == [one.run for one in stored_runs(demo_conn)]


def test_old_links_lead_to_the_view(client: httpx.Client) -> None:
    answer = client.get("/?tab=collection&answers=labels&words=a+b")
    assert (answer.status_code, answer.headers["location"]) == (302, "/collection?answers=labels&words=a+b")


def test_the_figures_are_files(client: httpx.Client, demo_conn: psycopg.Connection) -> None:
    expected = demo_conn.execute("SELECT year, count(*) FROM dblp_facts WHERE year > 0 GROUP BY year ORDER BY year").fetchall()
    rows = list(csv.reader(client.get("/collection/years.csv").text.splitlines()))
    assert [(int(year), int(count)) for year, count in rows[1:]] == expected
    drawn = ElementTree.fromstring(client.get("/collection/years.svg").text)  # noqa: S314
    titles = [bar.findtext(f"{SVG}title") for bar in drawn.findall(f"{SVG}rect")]
    assert titles[1:] == [f"{year}: {count}" for year, count in expected]
    judgments = list(csv.reader(client.get("/collection/grades.csv").text.splitlines()))
    assert sum(int(count) for _, _, count in judgments[1:]) == 456


def test_a_long_table_has_pages(client: httpx.Client) -> None:
    html = client.get("/collection/runs").text
    assert len(tables(html)["Runs; select one for its scores"]) == 6
    assert client.get("/collection/runs?page=0").status_code == 400
    assert "There is no page x" in client.get("/collection/runs?page=x").text


def test_the_index_leads_to_sections_and_stays_in_view(page: Page) -> None:
    page.goto("/collection")
    sections = page.get_by_role("navigation", name="Sections")
    for name in sections.get_by_role("link").all_inner_texts():
        sections.get_by_role("link", name=name).press("Enter")
        expect(page.get_by_role("heading", name=name, exact=True)).to_be_in_viewport()
        expect(sections).to_be_in_viewport()


def test_a_figure_is_downloaded_and_a_phone_does_not_scroll_sideways(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/collection")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download Documents per year as PNG").click()
    assert waiting.value.path().read_bytes().startswith(b"\x89PNG")


# Without a page -----------------------------------------------------------------------------------------------------------------


def test_an_empty_collection_has_no_numbers_to_divide_by(conn: psycopg.Connection) -> None:
    found = corpus(conn)
    assert [(what, count, note) for what, count, note in counted(found) if note] == []
    assert found.files[1] == []
    assert judged(conn) == ([], [])
    assert indexes(conn).text["built"] is None
    assert runs(EditionCounts([], [])).rows == []


def test_shares_and_spans() -> None:
    rows = counted(Corpus({"documents": 8, "abstracts": 6}, [(1990, 1), (2001, 4)], ([], [])))
    assert rows == [("documents", 8, None), ("abstracts", 6, "75.0% of the documents"), ("with a year", 5, "1990 to 2001")]


def test_of_a_large_collection_only_what_is_quick_is_counted(
    demo_conn: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = corpus(demo_conn)
    large = CorpusSize(200_001, 100_000, estimated=True)
    monkeypatch.setattr(ledger, "size", lambda _: large)
    found = corpus(demo_conn)
    assert (found.years, found.files) == (exact.years, exact.files)
    shown = counted(found)
    assert [what for what, _, _ in shown] == ["documents", "abstracts", "with a year"]
    assert str(shown[1][2]).endswith("% of the documents, estimated")
    assert readability(indexes(demo_conn)).rows == [("abstracts with measures", 198, None)]


def test_the_state_of_an_edition_says_whether_it_is_hidden(conn: psycopg.Connection) -> None:
    conn.execute(
        "INSERT INTO qrels_editions (edition, hidden, sealed, fingerprint)"
        " VALUES ('a', false, NULL, NULL), ('b', true, NULL, NULL),"
        " ('c', false, '2026-01-02', repeat('0', 64)), ('d', true, '2026-01-02', repeat('0', 64))"
    )
    found = editions(conn)
    states = {one.edition: edition_facts(one)[-1] for one in found}
    assert states == {"a": "open", "b": "hidden", "c": "sealed 2026-01-02", "d": "hidden, sealed 2026-01-02"}
    assert draw_grades(EditionCounts(found, [])).bars == []


def test_year_0_is_no_year(conn: psycopg.Connection) -> None:
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{\"year\": 0}'), (2, '2', '{\"year\": 2001}')")
    assert corpus(conn).years == [(2001, 1)]


@pytest.mark.parametrize(("first", "last", "about"), [(0, 1, 4), (0, 23, 4), (1988, 2024, 10), (0, 110_293, 4), (7, 7, 4)])
def test_ticks_are_round_numbers_within_the_range(first: int, last: int, about: int) -> None:
    found = ticks(first, last, about=about)
    assert 1 <= len(found) <= about + 2
    assert first <= found[0] <= found[-1] <= last
    steps = {after - before for before, after in pairwise(found)}
    assert len(steps) <= 1
    assert all(str(step).rstrip("0") in ("1", "2", "5") for step in steps)

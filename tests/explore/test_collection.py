"""The tab on the collection says what the status commands say."""

from __future__ import annotations

import csv
import io

import psycopg
import pytest
from playwright.sync_api import Page, expect

from stcollection.analysis.contents import Corpus, corpus, indexes, judged
from stcollection.corpus import ledger
from stcollection.corpus.ledger import CorpusSize
from stcollection.db.settings import Settings
from stcollection.explore.collection.outline import folded, linked
from stcollection.explore.collection.tab import _edition, counted
from stcollection.explore.pieces import table
from stcollection.qrels.editions import editions
from tests.acceptance.conftest import runner

pytestmark = pytest.mark.slow


def told(demo: Settings, *arguments: str) -> list[dict[str, str]]:
    done = runner(demo)(*arguments, "--format", "csv")
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def row(page: Page, table: str, name: str) -> list[str]:
    """The cells of a row of a table, by its head."""
    found = (
        page.get_by_role("table", name=table).get_by_role("row").filter(has=page.get_by_role("rowheader", name=name, exact=True))
    )
    found.wait_for()
    return [text.strip() for text in found.locator("td").all_inner_texts()]


def test_the_numbers_are_the_commands(page: Page, demo: Settings) -> None:
    page.get_by_role("tab", name="Collection").click()
    for one in told(demo, "corpus", "status"):
        assert row(page, "Corpus statistics", one["what"])[0] == f"{int(one['count']):,}"
    for one in told(demo, "qrels", "editions"):
        shown = row(page, "Editions", one["edition"])
        assert shown[:3] == [one["split"], one["queries"], one["judgments"]]
        assert shown[3].startswith("0: ")
    for one in told(demo, "runs", "list"):
        assert row(page, "Runs", one["run"])[2:5] == [f"{int(one[name]):,}" for name in ("queries", "ranked", "depth")]
    text = {one["what"]: one["value"] for one in told(demo, "text", "status")}
    assert row(page, "Text index", "tokens") == [f"{int(text['tokens']):,}"]
    assert row(page, "Text index", "state") == ["up to date"]
    assert row(page, "Text index", "BM25 implementation")[0].startswith(text["engine"])
    page.get_by_role("row", name="minilm title").get_by_text("fresh").wait_for()
    page.get_by_role("row", name="computed 198").wait_for()


def test_editions_and_runs_lead_to_the_leaderboard(page: Page) -> None:
    page.goto("/?tab=collection")
    for name, place in (("train", "?edition=train"), ("bm25", "/run?run=bm25")):
        expect(page.get_by_role("link", name=name, exact=True)).to_have_attribute("href", f"/leaderboard{place}")
    expect(page.locator(".stc-tile").filter(has_text="documents")).to_contain_text("216")


def test_the_index_leads_to_sections_and_stays_in_view(page: Page) -> None:
    page.goto("/?tab=collection")
    page.get_by_role("row", name="computed 198").wait_for()
    sections = page.get_by_role("navigation", name="Sections")
    for name in sections.get_by_role("link").all_inner_texts():
        sections.get_by_role("link", name=name).press("Enter")
        expect(page.get_by_role("heading", name=name, exact=True)).to_be_in_viewport()
        expect(sections).to_be_in_viewport()
    expect(page.get_by_role("tab", name="Collection")).to_have_attribute("aria-selected", "true")


def test_long_tables_are_folded() -> None:
    drawn = table(("run",), [("a",)], caption="Runs")
    assert folded(drawn, rows=11, what="runs") is drawn
    assert "<summary>Show 1,200 runs</summary>" in str(folded(drawn, rows=1200, what="Show {count:,} runs"))
    assert "%22%3E%26tab%3Dx" in str(linked("run", '">&tab=x'))


def test_the_years_are_drawn(page: Page, demo_conn: psycopg.Connection) -> None:
    page.get_by_role("tab", name="Collection").click()
    page.wait_for_function("() => (document.getElementById('collection-years')?.data?.[0]?.x?.length ?? 0) > 0")
    drawn = page.evaluate("() => { const d = document.getElementById('collection-years').data[0]; return [[...d.x], [...d.y]]; }")
    expected = demo_conn.execute(
        "SELECT year, count(*) FROM dblp_facts WHERE year IS NOT NULL GROUP BY year ORDER BY year"
    ).fetchall()
    assert list(zip(*drawn, strict=True)) == expected


def test_nothing_scrolls_sideways_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="Toggle navigation").click()
    page.get_by_role("tab", name="Collection").click()
    page.get_by_role("row", name="computed 198").wait_for()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_an_empty_collection_has_no_numbers_to_divide_by(conn: psycopg.Connection) -> None:
    found = corpus(conn)
    assert [(what, count, note) for what, count, note in counted(found) if note] == []
    assert found.files[1] == []
    assert judged(conn) == ([], [])
    assert indexes(conn).text["built"] is None


def test_shares_and_spans() -> None:
    rows = counted(Corpus({"documents": 8, "abstracts": 6}, [(1990, 1), (2001, 4)], ([], [])))
    assert rows == [("documents", 8, None), ("abstracts", 6, "75.0% of the documents"), ("with a year", 5, "1990 to 2001")]


def test_of_a_large_collection_only_what_is_quick_is_counted(
    demo_conn: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = corpus(demo_conn)
    large = CorpusSize(exact.counts["documents"], exact.counts["abstracts"], estimated=True)
    monkeypatch.setattr(ledger, "size", lambda _: large)
    found = corpus(demo_conn)
    assert (found.years, found.files) == (exact.years, exact.files)
    shown = counted(found)
    assert [what for what, _, _ in shown] == ["documents", "abstracts", "with a year"]
    assert str(shown[1][2]).endswith("% of the documents, estimated")
    assert indexes(demo_conn).readability == [("computed", 198, None)]


def test_the_state_of_an_edition_says_whether_it_is_hidden(conn: psycopg.Connection) -> None:
    conn.execute(
        "INSERT INTO qrels_editions (edition, hidden, sealed, fingerprint)"
        " VALUES ('a', false, NULL, NULL), ('b', true, NULL, NULL),"
        " ('c', false, '2026-01-02', repeat('0', 64)), ('d', true, '2026-01-02', repeat('0', 64))"
    )
    states = {one.edition: _edition(one)[-1] for one in editions(conn)}
    assert states == {"a": "open", "b": "hidden", "c": "sealed 2026-01-02", "d": "hidden, sealed 2026-01-02"}

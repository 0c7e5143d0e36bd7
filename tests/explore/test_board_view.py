"""The leaderboard in the browser: its URL, the live filter, the card of a run, two runs compared, and downloads of figures."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import Page, expect

from stcollection.analysis.drill import hard_queries, query_scores
from stcollection.analysis.run_card import run_card
from stcollection.analysis.systems import system_scores
from stcollection.db.members import add_member
from stcollection.errors import UnknownObject
from stcollection.evaluation.measures import AP, Judged, nDCG
from stcollection.evaluation.score import leaderboard

pytestmark = pytest.mark.slow


@pytest.fixture
def board(page: Page) -> Page:
    page.goto("/?tab=leaderboard")
    page.get_by_role("table", name="Leaderboard of edition test").wait_for()
    expect(page).to_have_url(re.compile("edition=test"))
    return page


def runs_shown(page: Page) -> list[str]:
    return page.locator(".stc-board tbody tr:not([hidden]) .stc-open").all_inner_texts()


def saved(page: Page, figure: str, kind: str) -> Path:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=f"Download {figure} as {kind}", exact=True).click()
    assert waiting.value.suggested_filename.endswith(f".{kind.lower()}")
    return Path(waiting.value.path())


def test_back_and_forward_restore_each_view(board: Page) -> None:
    board.locator("#leaderboard-edition").select_option("train")
    train = board.get_by_role("table", name="Leaderboard of edition train")
    train.wait_for()
    board.get_by_label("Rank by").select_option("AP")
    expect(board).to_have_url(re.compile("edition=train&by=AP$"))
    expect(train.get_by_role("columnheader", name="AP", exact=False).last).to_have_attribute("aria-sort", "descending")
    board.get_by_role("button", name="bm25", exact=True).click()
    card = board.get_by_role("dialog")
    card.get_by_role("heading", name="bm25").wait_for()
    expect(board).to_have_url(re.compile("run=bm25"))
    board.go_back()
    expect(card).to_be_hidden()
    board.go_back()
    expect(board.get_by_label("Rank by")).to_have_value("nDCG@10")
    board.go_back()
    board.get_by_role("table", name="Leaderboard of edition test").wait_for()
    for _ in range(3):
        board.go_forward()
    card.get_by_role("heading", name="bm25").wait_for()
    expect(board).to_have_url(re.compile("edition=train&by=AP&run=bm25"))
    train.wait_for()


def test_a_link_opens_the_same_view(page: Page) -> None:
    page.goto(
        "/?tab=leaderboard&edition=train&measures=AP,RBP(p=0.8)&by=RBP(p=0.8)&baseline=bm25&filter=dense&pair=boolean&against=hybrid"
    )
    table = page.get_by_role("table", name="Leaderboard of edition train")
    table.get_by_role("columnheader", name="RBP(p=0.8)").wait_for()
    expect(page.get_by_label("Rank by")).to_have_value("RBP(p=0.8)")
    expect(page.get_by_label("Baseline")).to_have_value("bm25")
    expect(page.get_by_role("status").filter(has_text="Runs shown: 2 of 5")).to_be_visible()
    page.get_by_role("table", name="boolean against hybrid").wait_for()
    hostile = "%3Cscript%3Ealert(1)%3C/script%3E'%22"
    page.goto(
        "/?tab=leaderboard&" + "&".join(f"{name}={hostile}" for name in ("edition", "by", "pair", "on", "filter", "below", "team"))
    )
    page.get_by_text("No run matches the filter").wait_for()
    page.goto(f"/?tab=leaderboard&run={hostile}")
    page.get_by_role("dialog").get_by_role("alert").get_by_text("There is no run").wait_for()


def test_ranks_intervals_and_groups(board: Page, demo_conn: psycopg.Connection) -> None:
    scores = system_scores(demo_conn, edition="test", measure=nDCG @ 10)
    assert board.locator(".stc-board td.stc-rank").all_inner_texts() == ["1", "2", "3", "4", "5"]
    told = board.locator(".stc-bar").evaluate_all("all => all.map(one => one.title)")
    assert told == [f"{one.mean:.4f}, {one.low:.4f} to {one.high:.4f}" for one in scores]
    rows = board.locator(".stc-board tbody tr")
    best = rows.first
    letters = dict(zip(runs_shown(board), board.locator(".stc-board td:last-child").all_inner_texts(), strict=True))
    beaten = best.locator("td", has=board.locator("sup")).first.locator("sup").inner_text()
    for run, group in zip(runs_shown(board), board.locator(".stc-board td.stc-group").all_inner_texts(), strict=True):
        assert (group == "A") == (letters[run] not in beaten), run
    expect(board.get_by_text("every run that it does not beat significantly in the tests above")).to_be_visible()


def test_the_filter_works_in_the_browser(board: Page) -> None:
    board.get_by_label("Filter runs").fill("DENSE title")
    expect(board.get_by_role("status").filter(has_text="Runs shown: 1 of 5")).to_be_visible()
    assert runs_shown(board) == ["dense-title"]
    expect(board).to_have_url(re.compile("filter=DENSE\\+title"))
    board.get_by_label("Filter runs").fill("")
    board.get_by_label("Family").select_option("dense")
    assert sorted(runs_shown(board)) == ["dense-abstract", "dense-title"]
    board.get_by_label("Rank by").select_option("AP")
    expect(board).to_have_url(re.compile("by=AP"))
    expect(board.locator(".stc-board tbody tr:not([hidden])")).to_have_count(2)


def test_the_order_of_rows_is_in_the_url(board: Page) -> None:
    ranked = runs_shown(board)
    head = board.locator(".stc-board thead .stc-run")
    head.get_by_role("button").click()
    expect(board).to_have_url(re.compile("sort=run&order=up"))
    assert runs_shown(board) == sorted(ranked)
    board.reload()
    board.get_by_role("table", name="Leaderboard of edition test").wait_for()
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert runs_shown(board) == sorted(ranked)
    board.get_by_label("Rank by").select_option("AP")
    expect(board.locator(".stc-board th").filter(has_text=re.compile("^AP$"))).to_have_attribute("aria-sort", "descending")
    expect(board).not_to_have_url(re.compile("sort="))


def test_the_card_of_a_run(board: Page, demo_conn: psycopg.Connection) -> None:
    opener = board.get_by_role("button", name="hybrid", exact=True)
    opener.focus()
    board.keyboard.press("Enter")
    card = board.get_by_role("dialog")
    card.get_by_role("heading", name="hybrid", exact=True).wait_for()
    expect(card).to_contain_text("depth=1000")
    for edition in ("test", "train"):
        [mean] = leaderboard(demo_conn, edition=edition, measures=[nDCG @ 10], runs=["hybrid"])
        [share] = leaderboard(demo_conn, edition=edition, measures=[Judged @ 10], runs=["hybrid"])
        row = card.get_by_role("row", name=re.compile(f"^{edition} "))
        expect(row).to_contain_text(f"{mean.values[0]:.4f}")
        expect(row).to_contain_text(f"{1 - share.values[0]:.0%}")
    best = query_scores(demo_conn, run="hybrid", against="hybrid", edition="test")
    first = max(best, key=lambda one: one.value or 0)
    link = card.get_by_role("table", name="Best queries").get_by_role("link").first
    assert link.inner_text() == first.text
    assert (link.get_attribute("href") or "").startswith("/search?q=")
    board.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(opener).to_be_focused()
    expect(board).not_to_have_url(re.compile("run="))
    opener.click()
    card.get_by_role("button", name="Compare hybrid with").click()
    expect(card).to_be_hidden()
    expect(board.get_by_label("Run", exact=True)).to_have_value("hybrid")


def test_a_click_on_a_bar_shows_both_rankings(board: Page, demo_conn: psycopg.Connection) -> None:
    board.get_by_label("Run", exact=True).select_option("bm25")
    board.get_by_label("Compare with", exact=True).select_option("boolean")
    rows = query_scores(demo_conn, run="bm25", against="boolean", edition="test")
    won, lost = (sum((one.difference or 0) * sign > 0 for one in rows) for sign in (1, -1))
    expect(board.locator(".stc-counts li")).to_have_text(
        [f"{won} wins of bm25", f"{len(rows) - won - lost} ties", f"{lost} losses to boolean"]
    )
    board.locator("#leaderboard-pair-moves .point path").first.click(force=True)
    board.get_by_role("heading", name=f"{rows[0].query}:").wait_for()
    expect(board.locator("ol.stc-ranked")).to_have_count(2)
    expect(board).to_have_url(re.compile(f"pair=bm25&against=boolean&on={rows[0].query}"))
    expect(board.get_by_role("button", name=rows[0].query, exact=True)).to_have_attribute("aria-pressed", "true")


def test_queries_on_which_all_runs_fail(board: Page, demo_conn: psycopg.Connection) -> None:
    board.get_by_text("at least one run has nDCG@10 of 0.1 or more").wait_for()
    found = hard_queries(demo_conn, edition="test", below=0.8)
    values = demo_conn.execute(
        "SELECT query, max(value) FROM stc.score_grid('{}', 'test', 'nDCG@10') GROUP BY query HAVING max(value) < .8"
    ).fetchall()
    assert {(one.query, one.best) for one in found} == set(values)
    assert found
    limit = board.get_by_label("Best score below")
    limit.fill("0.8")
    limit.press("Tab")
    table = board.get_by_role("table", name=f"{len(found)} of 8 queries: nDCG@10 of every run (5) is below 0.8")
    expect(table.get_by_role("row")).to_have_count(len(found) + 1)
    expect(board).to_have_url(re.compile("below=0.8"))


def test_each_figure_can_be_downloaded(board: Page, demo_conn: psycopg.Connection) -> None:
    scores = system_scores(demo_conn, edition="test", measure=nDCG @ 10)
    name = "Mean score of each run with its interval"
    with saved(board, name, "CSV").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["y"] for row in rows] == [one.run for one in scores]
    for row, one in zip(rows, scores, strict=True):
        assert [float(row[f"nDCG@10{end}"]) for end in ("", " low", " high")] == pytest.approx([one.mean, one.low, one.high])
    svg = saved(board, name, "SVG").read_text(encoding="utf-8")
    assert svg.startswith("<svg")
    assert "dense-abstract" in svg
    assert saved(board, name, "PNG").read_bytes().startswith(b"\x89PNG")


def test_csv_quotes_and_disarms(board: Page) -> None:
    """Names with quotes, commas, tags and formulas come back as they are, a formula with an apostrophe."""
    board.evaluate(
        """() => {
          const element = document.getElementById('leaderboard-overview-means');
          const figure = { data: [{ type: 'bar', x: ['a, "b"', '=1+1', '&lt;b&gt;'], y: [1, -2, 3] }], layout: {} };
          drawn.set(element, figure);
          return draw(element, figure);
        }"""
    )
    with saved(board, "Mean score of each run with its interval", "CSV").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["x", "y"], ['a, "b"', "1"], ["'=1+1", "-2"], ["<b>", "3"]]


def test_the_card_has_the_visible_editions_only(demo_conn: psycopg.Connection) -> None:
    found = run_card(demo_conn, "bm25", measures=[AP, Judged @ 10])
    assert [one.edition for one in found.scores] == ["test", "train"]
    assert found.receipts == []
    with demo_conn.transaction(force_rollback=True):
        add_member(demo_conn, "card_reader", kind="reader", password="x")  # noqa: S106
        demo_conn.execute("SET LOCAL ROLE card_reader")
        hidden = run_card(demo_conn, "bm25")
        assert [one.edition for one in hidden.scores] == ["train"]
        assert hidden.receipts is None
    with pytest.raises(UnknownObject, match="no run 'bm52'"):
        run_card(demo_conn, "bm52")

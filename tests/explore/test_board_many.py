"""The leaderboard with 300 runs: compared with a baseline, filtered in the browser, and figures with a few labels."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from stcollection.analysis.board import BoardRequest, board, ranking
from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.explore.board.figures import LABELLED, labelled, means
from tests.explore.conftest import serving, watched
from tests.qrels.pooled import judged, put_documents, put_queries

pytestmark = pytest.mark.slow

MANY = 300
# Run number n ranks documents by a hash, and relevant ones, whose number is even, the higher the smaller n is.
_RUNS = "INSERT INTO st1_runs (run, team, family) SELECT 'run' || lpad(n::text, 3, '0'), 'team' || n % 7, 'family' || n % 3 FROM {}"
_RANKINGS = """
INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score)
SELECT run, query, doc, rank, -rank
  FROM (SELECT r.id AS run, q.id AS query, d.id AS doc, row_number() OVER (PARTITION BY r.id, q.id ORDER BY
               (hashint8extended(d.id, r.id * 100 + q.id) & 1023)
               - CASE WHEN d.id %% 2 = 0 THEN 3 * (%s - substr(r.run, 4)::integer) ELSE 0 END, d.id) AS rank
          FROM st1_runs r, st1_queries q, dblp d) ranked
 WHERE rank <= 10
"""


@pytest.fixture(scope="module")
def own(empty: Settings) -> Settings:
    """A collection with 20 documents, 6 queries and MANY runs."""
    docs = [f"d{number}" for number in range(20)]
    queries = [f"q{number}" for number in range(6)]
    with open_session(conninfo(empty), autocommit=True) as conn:
        put_documents(conn, {doc: (f"Title of {doc}", None) for doc in docs})
        put_queries(conn, {query: f"text of {query}" for query in queries})
        even = {docno for (docno,) in conn.execute("SELECT docno FROM dblp WHERE id % 2 = 0")}
        judged(conn, "test", {(query, doc): int(doc in even) for query in queries for doc in docs})
        conn.execute("UPDATE qrels_editions SET split = 'test' WHERE edition = 'test'")
        conn.execute(_RUNS.format(f"generate_series(1, {MANY}) n").encode())
        conn.execute(_RANKINGS.encode(), [MANY])
        conn.execute("ANALYZE")
    return empty


@pytest.fixture(scope="module")
def address(own: Settings) -> Iterator[str]:
    yield from serving(own)


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with watched(browser, address, timeout=60_000) as page:
        page.goto("/?tab=leaderboard")
        page.get_by_role("table", name="Leaderboard of edition test").wait_for()
        yield page


def test_the_table_stays_usable(page: Page) -> None:
    rows = page.locator(".stc-board tbody tr")
    expect(rows).to_have_count(MANY)
    expect(page.get_by_text("they are compared with run001").or_(page.get_by_text("worse than run001")).first).to_be_visible()
    expect(page.locator(".stc-board thead")).not_to_contain_text("letter")
    page.locator(".stc-board").evaluate("one => { one.scrollTop = 3000; one.scrollLeft = 400; }")
    edges = page.locator(".stc-board").evaluate(
        """one => {
          const [region, head, name] = [one, one.querySelector('thead .stc-run'), one.querySelectorAll('tbody .stc-run')[200]]
            .map(part => part.getBoundingClientRect());
          return [head.top - region.top, name.left - region.left];
        }"""
    )
    assert edges[0] == pytest.approx(0, abs=1)
    assert 0 <= edges[1] < 100
    page.get_by_label("Filter runs").fill("run12 team3")
    expect(page.get_by_role("status").filter(has_text=re.compile(r"Runs shown: \d+ of 300"))).to_be_visible()
    page.get_by_label("Team").select_option("team3")
    names = page.locator(".stc-board tbody tr:not([hidden]) .stc-open").all_inner_texts()
    assert sorted(names) == [f"run{n}" for n in range(120, 130) if n % 7 == 3]
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("() => document.documentElement.scrollWidth <= 390")  # figures are resized a moment later


def test_figures_label_the_first_runs(page: Page) -> None:
    ticks = page.locator("#leaderboard-overview-means .ytick text")
    expect(ticks).to_have_count(LABELLED)
    page.get_by_text(f"Only the first {LABELLED} of {MANY} runs have labels").wait_for()


def test_the_numbers_of_many_runs(own: Settings) -> None:
    with open_session(conninfo(own), autocommit=True) as conn:
        done = board(conn, BoardRequest(edition="test", baseline="run001"))
        ranked = ranking(conn, done, done.asked.measures[1])
    assert len(ranked.runs) == len(ranked.scores) == len(ranked.ranks) == MANY
    values = [line.cells[1].value for line in ranked.runs]
    assert values == sorted(values, reverse=True)
    assert [ranked.ranks[line.run] for line in ranked.runs] == [
        1 + sum(other > value + 1e-12 for other in values) for value in values
    ]
    assert ranked.groups[ranked.runs[0].run] == "A"
    assert ranked.runs[-1].run not in ranked.groups
    drawn = means(ranked)
    assert len(drawn.data[0].x) == MANY
    assert drawn.layout.height < 2000
    assert labelled(ranked) is not None

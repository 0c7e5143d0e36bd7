"""The leaderboard with 300 runs: compared with a baseline, in pages, filtered over all of them."""

from __future__ import annotations

import re
from html import unescape

import httpx
import pytest

from stcollection.analysis.board import BoardRequest, board, ranking, standings
from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.explore.board.figures import means
from stcollection.explore.board.table import PAGE
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


def opened(address: str, place: str = "") -> str:
    answer = httpx.get(f"{address}leaderboard{place}", timeout=60)
    assert answer.status_code == 200, answer.text[:2000]
    return answer.text


def runs(html: str) -> list[str]:
    return [name.replace("<wbr>", "") for name in re.findall(r'scope="row" class="board-run"><a [^>]*>(.*?)</a>', html)]


def test_the_table_has_pages(address: str) -> None:
    html = opened(address)
    assert len(html) < 120_000
    assert len(runs(html)) == PAGE
    assert "1 to 50 of 300" in html
    assert "they are compared with run001" in html
    seen = runs(html)
    while (after := re.search(r'href="(/leaderboard[^"]*)" rel="next"', html)) is not None:
        html = httpx.get(address.rstrip("/") + unescape(after[1]), timeout=60).text
        seen += runs(html)
    assert len(seen) == len(set(seen)) == MANY
    assert 'rel="prev"' in html


def test_the_filter_reads_all_pages(address: str) -> None:
    html = opened(address, "?filter=run12+team3&team=team3")
    assert sorted(runs(html)) == [f"run{n}" for n in range(120, 130) if n % 7 == 3]
    assert "of 300" in html
    assert 'rel="next"' not in html


def test_other_pages_stay_small(address: str) -> None:
    assert "The first 50 of 300 runs" in opened(address, "/figures")
    pairs = opened(address, "/pairs")
    assert pairs.count("<tr>") == MANY, "each run against the baseline"
    assert "run001 against run002" not in opened(address, "/compare?pair=run001")
    for place in ("/figures", "/pairs", "/compare", "/hard", "/run?run=run007"):
        assert len(opened(address, place)) < 500_000, place


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
    with open_session(conninfo(own), autocommit=True) as conn:
        made = standings(conn, done.asked, done.asked.measures[1])
    assert made.groups == ranked.groups
    assert list(made.means) == [line.run for line in ranked.runs]
    assert made.ranks == ranked.ranks
    assert len(means(made, list(made.means)[:PAGE]).points) == PAGE

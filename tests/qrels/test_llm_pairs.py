"""A language model that compares pairs of documents: a test server prefers by rule, contradicts itself, refuses, or fails."""

from __future__ import annotations

import re

import psycopg
import pytest
from click.testing import CliRunner, Result

from stcollection.db.settings import Settings
from stcollection.qrels.llm.pairs import choose
from tests.groups import qrels
from tests.qrels.llm_server import Answer, Asked, endpoint
from tests.qrels.llm_worlds import QUERIES, rows, world

pytestmark = pytest.mark.slow

DOCUMENTS = 4


def by_number(asked: Asked) -> Answer:
    """Prefer the document with the smaller number; documents 3 and 4 are equal."""
    first, second = (min(3, int(re.findall(r"\d+", asked.slot(f"abstract_{at}"))[0])) for at in (1, 2))
    return Answer("0" if first == second else "1" if first < second else "2")


@pytest.fixture
def pool(conn: psycopg.Connection) -> str:
    world(conn, documents=DOCUMENTS)
    conn.execute("INSERT INTO st1_runs (run) VALUES ('r')")
    conn.execute(
        "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score) SELECT r.id, q.id, d.id, d.id, -d.id"
        " FROM st1_runs r, st1_queries q, dblp d WHERE d.id <= %s",
        [DOCUMENTS],
    )
    conn.execute("SELECT stc.make_pool('p', '{r}', depth => 10)")
    return "p"


def compare(settings: Settings, url: str, *options: str, code: int = 0) -> Result:
    arguments = ["llm", "judge", "--pairs", "--pool", "p", "--edition", "machine", "--model", "rule", "--endpoint", url, *options]
    done = CliRunner().invoke(qrels, arguments, obj=settings)
    assert done.exit_code == code, done.output
    return done


def levels(conn: psycopg.Connection) -> dict[str, dict[str, float]]:
    """Return the stored preference levels by query and docno."""
    table: dict[str, dict[str, float]] = {}
    for query, docno, level in rows(
        conn,
        "SELECT q.query, d.docno, p.rel FROM qrels_preferences p JOIN st1_queries q ON q.id = p.query JOIN dblp d ON d.id = p.doc"
        " WHERE p.edition = stc.edition_key('machine') AND p.annotator = 'rule'",
    ):
        table.setdefault(query, {})[docno] = level
    return table


@pytest.mark.usefixtures("pool")
def test_the_orders_become_preferences(conn: psycopg.Connection, settings: Settings) -> None:
    with endpoint(by_number) as server:
        shown = compare(settings, server.url, "--dry-run").output
        assert "<title_2>\nPaper" in shown
        assert f"{QUERIES} queries: at most" in shown
        assert server.asked == []
        done = compare(settings, server.url).output
        assert len({(asked.slot("query"), asked.slot("title_1"), asked.slot("title_2")) for asked in server.asked}) == len(
            server.asked
        )
        again = compare(settings, server.url)
        assert "0 comparisons" in again.output
    assert "undecided" in done
    for query in levels(conn).values():
        assert query["1"] > query["2"] > query["3"] == query["4"]
    assert len(levels(conn)) == QUERIES
    [(answers, choice)] = rows(conn, "SELECT answers, choice FROM stc_all.qrels_comparisons WHERE choice = 'equal' LIMIT 1")
    assert (answers["prompt"], answers["answers"], choice) == ("pairs", ["0", "0"], "equal")


@pytest.mark.usefixtures("pool")
def test_an_order_that_decides_and_answers_without_a_choice(conn: psycopg.Connection, settings: Settings) -> None:
    def behave(asked: Asked) -> Answer:
        if asked.slot("query").endswith("1"):
            return Answer("1")  # always the first
        return Answer("I cannot decide") if asked.slot("query").endswith("2") else by_number(asked)

    with endpoint(behave) as server:
        done = compare(settings, server.url).output
    equal, contradicting, undecided = map(int, re.findall(r"(\d+) equal \((\d+) because .*?(\d+) undecided", done)[0])
    assert equal > contradicting > 0
    assert undecided > 0
    stored = rows(
        conn,
        "SELECT DISTINCT q.query, c.choice, c.answers -> 'answers' FROM stc_all.qrels_comparisons c"
        " JOIN st1_queries q ON q.id = c.query WHERE q.query IN ('q1', 'q2') ORDER BY 1",
    )
    assert stored == [("q1", "equal", ["1", "1"]), ("q2", "undecided", ["I cannot decide"] * 2)]
    assert len(set(levels(conn)["q1"].values())) == 1
    assert "q2" not in levels(conn)


@pytest.mark.usefixtures("pool")
def test_interrupted_comparisons_continue(conn: psycopg.Connection, settings: Settings) -> None:
    with endpoint(by_number) as server:
        done = compare(settings, server.url, "--budget", "calls=10", "--concurrency", "1")
        assert "the budget of 10 requests is spent" in done.stderr
        [(stored,)] = rows(conn, "SELECT count(*) FROM stc_all.qrels_comparisons")
        assert stored == 5
        compare(settings, server.url)
        [(whole,)] = rows(conn, "SELECT count(*) FROM stc_all.qrels_comparisons")
        assert len(server.asked) == 2 * whole
    assert len(levels(conn)) == QUERIES


@pytest.mark.usefixtures("pool")
def test_a_failing_endpoint_stores_nothing(conn: psycopg.Connection, settings: Settings) -> None:
    with endpoint(lambda _: Answer(status=400, body=b"{}")) as server:
        done = CliRunner().invoke(
            qrels,
            [
                "llm",
                "judge",
                "--pairs",
                "--pool",
                "p",
                "--edition",
                "machine",
                "--model",
                "rule",
                "--endpoint",
                server.url,
                "--retries",
                "0",
            ],
            obj=settings,
        )
    assert done.exit_code != 0 or "failed" in done.stderr
    assert rows(conn, "SELECT count(*) FROM stc_all.qrels_comparisons") == [(0,)]
    assert rows(conn, "SELECT count(*) FROM qrels_preferences") == [(0,)]


@pytest.mark.usefixtures("pool")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--runs", "all"], "--pairs compares the documents of a pool"),
        (["--limit", "3"], "--pairs compares the documents of a pool"),
        (["--context", "article"], "--context is for grades"),
    ],
)
def test_options_that_pairs_do_not_take(settings: Settings, options: list[str], message: str) -> None:
    assert message in compare(settings, "http://127.0.0.1:9/v1", *options, code=2).output


@pytest.mark.parametrize(
    ("first", "second", "choice"),
    [(1, 2, "left"), (2, 1, "right"), (1, 1, "equal"), (2, 2, "equal"), (0, 1, "equal"), (0, 0, "equal"), (None, 1, "undecided")],
)
def test_choice_from_both_orders(first: int | None, second: int | None, choice: str) -> None:
    assert choose(first, second) == choice

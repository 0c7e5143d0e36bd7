"""The service for programs: queries, judgments, runs and scores equal to SQL; explanations; and a client generated from OpenAPI."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from stcollection.analysis.significance import PairedTest, compare
from stcollection.evaluation.measures import AP, nDCG
from stcollection.http import evaluation
from tests.http.generated import generated_client

pytestmark = pytest.mark.slow


@pytest.fixture
def http(explorer: str) -> httpx.Client:
    return httpx.Client(base_url=explorer, timeout=60)


def get(http: httpx.Client, address: str, **params: Any) -> Any:
    answer = http.get(address, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def columns(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def test_queries_and_their_judgments(http: httpx.Client, demo_conn: psycopg.Connection) -> None:
    ours = demo_conn.execute('SELECT query, topic, text, type, origin FROM queries ORDER BY query COLLATE "C"').fetchall()
    assert columns(get(http, "/api/queries"), "query", "topic", "text", "type", "origin") == ours != []
    some = get(http, "/api/queries", queries=f"topic:{ours[0][1]}")
    assert columns(some, "query") == [(row[0],) for row in ours if row[1] == ours[0][1]]
    [query] = demo_conn.execute("SELECT min(query) FROM judgments WHERE edition = 'test'").fetchone() or [None]
    judged = demo_conn.execute(
        "SELECT docno, rel, origin, annotator FROM judgments WHERE edition = 'test' AND query = %s"
        '  ORDER BY docno COLLATE "C", annotator COLLATE "C"',
        [query],
    ).fetchall()
    assert columns(get(http, "/api/judgments", edition="test", query=query), "docno", "rel", "origin", "annotator") == judged != []
    ranked = get(http, "/api/rankings", run="bm25", query=query, edition="test", k=5)
    ours = demo_conn.execute(
        "SELECT r.rank, r.docno, j.rel FROM rankings r LEFT JOIN st1_queries q ON q.query = r.query LEFT JOIN qrels j"
        "    ON j.edition = (SELECT id FROM qrels_editions WHERE edition = 'test') AND j.query = q.id AND j.doc = r.doc"
        " WHERE r.run = 'bm25' AND r.query = %s AND r.rank <= 5 ORDER BY r.rank",
        [query],
    ).fetchall()
    assert columns(ranked, "rank", "docno", "rel") == ours


def test_scores_are_those_of_sql(http: httpx.Client, demo_conn: psycopg.Connection) -> None:
    found = get(http, "/api/scores", run=["bm25", "hybrid"], edition="test", measure=["nDCG@10", "RR"])
    assert sorted(columns(found, "run", "query", "measure", "value")) == sorted(
        demo_conn.execute("SELECT run, query, measure, value FROM scores('{bm25,hybrid}', 'test', '{nDCG@10,RR}')").fetchall()
    )
    card = get(http, "/api/runs/hybrid")
    means = demo_conn.execute(
        "SELECT e.edition, m.value FROM qrels_editions e CROSS JOIN LATERAL mean_scores('{hybrid}', e.edition, '{nDCG@10}') m"
    ).fetchall()
    assert {one["edition"]: one["means"]["nDCG@10"] for one in card["scores"]} == pytest.approx(dict(means))
    assert card["params"] == demo_conn.execute("SELECT params FROM runs WHERE run = 'hybrid'").fetchall()[0][0]
    assert card["metadata"]


def test_a_comparison_is_that_of_sql(http: httpx.Client, demo_conn: psycopg.Connection) -> None:
    found = get(http, "/api/compare", run="hybrid", against="bm25", edition="test", measure="nDCG@10")
    names = ("mean", "mean_against", "difference", "p", "wins", "ties", "losses")
    [ours] = demo_conn.execute(f"SELECT {', '.join(names)} FROM compare_runs('test', 'nDCG@10', '{{hybrid}}', 'bm25')").fetchall()
    assert [found[name] for name in names] == pytest.approx(list(ours))
    assert found["low"] < found["difference"] < found["high"]
    gains = [one["difference"] for one in found["by_query"]]
    assert gains == sorted(gains, reverse=True)
    assert len(gains) == found["wins"] + found["ties"] + found["losses"] > 0


def test_comparisons_are_those_of_the_library(http: httpx.Client, demo_conn: psycopg.Connection) -> None:
    rows = get(http, "/api/comparisons", edition="test", measure=["nDCG@10", "AP"], baseline="bm25", correction="bh")
    ours = compare(demo_conn, edition="test", measures=[nDCG @ 10, AP], baseline="bm25", test=PairedTest(correction="bh"))
    assert rows == [row._asdict() for row in ours] != []
    refused = http.get("/api/comparisons", params={"edition": "test", "baseline": "bm52"})
    assert (refused.status_code, "'bm25'" in refused.text) == (404, True)


def test_a_comparison_reads_the_scores_of_two_runs_once(demo_conn: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[Any, ...]] = []
    execute = demo_conn.execute

    def recorded(*given: Any, **more: Any) -> Any:
        sent.append(given)
        return execute(*given, **more)

    monkeypatch.setattr(demo_conn, "execute", recorded)
    found = evaluation._compared(demo_conn, run="hybrid", against="bm25", edition="test")
    [(_, values)] = [one for one in sent if "score_grid" in str(one[0])]
    assert values[2] == ["hybrid", "bm25"]
    [theirs] = compare(demo_conn, edition="test", measures=[nDCG @ 10], runs=["hybrid"], baseline="bm25")
    for name, value in theirs._asdict().items():
        assert found[name] == (pytest.approx(value) if isinstance(value, float) else value), name
    assert found["mean"] == pytest.approx(sum(row.value for row in found["by_query"]) / len(found["by_query"]))


def test_why_and_facets_are_those_of_the_page(http: httpx.Client, demo_conn: psycopg.Connection) -> None:
    asked = {"q": "voice assistants", "system": "hybrid", "k": 5}
    [first, *_] = get(http, "/api/search", **asked)["documents"]
    told = get(http, "/api/why", **asked, docno=first["docno"])
    assert sum(one["added"] for one in told["parts"]) == pytest.approx(first["score"])
    assert {one["word"] for one in told["words"]} <= {"voice", "assistants", "assistant"}
    assert {one["field"] for one in told["cosines"]} >= {"title"}
    assert told["measures"]["year"] == first["year"]
    counted = get(http, "/api/facets", q="voice assistants", system="bm25")
    ours = demo_conn.execute("SELECT facet, value, documents FROM stc.search_facets('voice assistants', 'bm25')").fetchall()
    assert columns(counted, "facet", "value", "documents") == ours != []


@pytest.mark.parametrize(
    ("address", "status", "says"),
    [
        ("/api/queries?queries=no-such", 404, "no-such"),
        ("/api/judgments?edition=nope&query=a", 404, "nope"),
        ("/api/judgments?edition=test&query=nope", 404, "nope"),
        ("/api/judgments?edition=test", 400, "query"),
        ("/api/rankings?run=nope&query=a&edition=test", 404, "nope"),
        ("/api/rankings?run=bm25&query=a&edition=test&k=0", 400, "k:"),
        ("/api/runs/nope", 404, "nope"),
        ("/api/runs/a%00b", 400, "U+0000"),
        ("/api/scores?edition=test", 400, "run"),
        ("/api/scores?run=nope&edition=test", 404, "nope"),
        ("/api/scores?run=bm25&edition=test&measure=nope", 404, "nope"),
        ("/api/scores?run=bm25&edition=test&queries=@/etc/passwd", 404, "@"),
        ("/api/scores?" + "&".join(["run=bm25"] * 21) + "&edition=test", 400, "20"),
        ("/api/compare?run=bm25&against=bm25&edition=test", 400, "itself"),
        ("/api/compare?run=bm25&against=nope&edition=test", 404, "nope"),
        ("/api/compare?run=bm25&against=hybrid&edition=test&measure=P", 400, "9 measures"),
        ("/api/why?q=a&docno=nope", 404, "nope"),
        ("/api/why?q=a&system=bm52&docno=nope", 404, "bm52"),
    ],
)
def test_wrong_requests(http: httpx.Client, address: str, status: int, says: str) -> None:
    answer = http.get(address)
    error = answer.json()["error"]
    assert (answer.status_code, says in error["message"]) == (status, True), answer.text
    assert error["hint"]


def test_a_client_is_generated_from_the_description(
    explorer: str, http: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """openapi-python-client writes a package from the description without a warning, and its functions return our answers."""
    call, _ = generated_client(http.get("/openapi.json").text, tmp_path, monkeypatch, "client_that_reads", base_url=explorer)
    hits = call("search", tag="search", q="voice assistants", system="bm25", k=3)
    assert hits.to_dict() == get(http, "/api/search", q="voice assistants", system="bm25", k=3)
    assert call("document", hits.documents[0].docno, tag="documents").docno == hits.documents[0].docno
    assert [one.run for one in call("stored_runs", tag="evaluation")] == [one["run"] for one in get(http, "/api/runs")]
    board = call("leaderboard", tag="evaluation", edition="test", measure=["nDCG@10"])
    assert board.to_dict() == get(http, "/api/leaderboard", edition="test", measure="nDCG@10")
    told = call("compare", tag="evaluation", run="hybrid", against="bm25", edition="test")
    assert told.to_dict() == get(http, "/api/compare", run="hybrid", against="bm25", edition="test")
    assert "nope" in call("card", "nope", tag="evaluation").error.message

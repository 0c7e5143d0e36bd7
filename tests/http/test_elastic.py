"""ElasticSearch's Python client of version 7, and plain requests, search the collection by the addresses that scripts know."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import httpx
import psycopg
import pytest
from elasticsearch import ConflictError, Elasticsearch, NotFoundError, RequestError, TransportError, helpers
from elasticsearch.exceptions import ElasticsearchWarning
from starlette.testclient import TestClient

from stcollection.db.connection import conninfo
from stcollection.db.settings import Settings
from stcollection.site.app import make_app
from stcollection.web.desk import Desk

pytestmark = pytest.mark.slow


@pytest.fixture
def client(explorer: str) -> Any:
    with Elasticsearch([explorer], max_retries=0) as client:
        yield client


def test_the_client_knows_it(client: Any) -> None:
    assert client.ping()
    assert client.info()["version"]["number"].startswith("7.")


def test_a_script_reads_hits(client: Any, demo_conn: psycopg.Connection) -> None:
    answer = client.search(index="dblp1", q="voice assistants privacy", size=5)
    hits = answer["hits"]["hits"]
    ours = demo_conn.execute(
        "SELECT d.docno, s.score, t.title, t.abstract FROM bm25_search('voice assistants privacy', 5) s"
        "  JOIN dblp d ON d.id = s.doc JOIN dblp_text t ON t.id = s.doc ORDER BY s.rank"
    ).fetchall()
    assert [(hit["_id"], hit["_score"], hit["_source"]["title"], hit["_source"].get("abstract")) for hit in hits] == ours
    assert answer["hits"]["max_score"] == hits[0]["_score"]
    total = demo_conn.execute("SELECT count(*) FROM dblp_text WHERE tsv @@ 'voic | assist | privaci'::tsquery").fetchone()
    assert total == (answer["hits"]["total"]["value"],)
    assert answer["hits"]["total"]["relation"] == "eq"
    assert "indexed_abstract" not in hits[0]["_source"]


def test_a_body_asks_the_same(client: Any) -> None:
    by_string = client.search(index="dblp1", q="+abstract:privacy -games +year:>=2018")["hits"]
    must = [{"match": {"abstract": "privacy"}}, {"range": {"year": {"gte": 2018}}}]
    body = {"query": {"bool": {"must": must, "must_not": {"match": {"_all": "games"}}}}}
    assert [hit["_id"] for hit in client.search(query=body["query"])["hits"]["hits"]] == [hit["_id"] for hit in by_string["hits"]]
    for query in (
        {"query_string": {"query": "privacy", "default_field": "title"}},
        {"match": {"title": {"query": "privacy"}}},
        {"multi_match": {"query": "privacy", "fields": ["title"]}},
        {"term": {"title": "privacy"}},
    ):
        found = client.search(index="dblp1", query=query, _source=["title"])["hits"]["hits"]
        assert found
        assert all("rivacy" in hit["_source"]["title"] and list(hit["_source"]) == ["title"] for hit in found)


def test_pages_join_to_the_whole(client: Any) -> None:
    whole = client.search(q="data OR people", size=40)["hits"]["hits"]
    assert len(whole) == 40
    pages = [client.search(q="data OR people", size=8, from_=start)["hits"]["hits"] for start in range(0, 40, 8)]
    assert [hit for page in pages for hit in page] == whole
    none = client.search(q="data", size=0)["hits"]
    assert none["hits"] == []
    assert none["total"]["value"] == client.count(q="data")["count"] > 0


def test_all_documents_are_counted_to_a_bound(client: Any) -> None:
    assert client.count()["count"] == 216
    assert client.search(track_total_hits=100)["hits"]["total"] == {"value": 100, "relation": "gte"}
    assert "total" not in client.search(track_total_hits=False)["hits"]
    assert client.search(q="*:*", track_total_hits=True, rest_total_hits_as_int=True)["hits"]["total"] == 216


def test_a_document_by_its_name(client: Any) -> None:
    [hit] = client.search(q="voice", size=1)["hits"]["hits"]
    assert client.get(index="dblp1", id=hit["_id"])["_source"] == hit["_source"] == client.get_source(index="dblp1", id=hit["_id"])
    assert client.exists(index="dblp1", id=hit["_id"])
    assert not client.exists(index="dblp1", id="nobody")
    assert client.indices.exists(index="dblp1")
    assert client.search(query={"ids": {"values": [hit["_id"], "nobody"]}})["hits"]["total"]["value"] == 1
    with pytest.raises(NotFoundError):
        client.get(index="dblp1", id="nobody")


def test_nothing_is_written_and_there_is_no_scroll(client: Any) -> None:
    deeds: list[Callable[[], object]] = [
        lambda: client.index(index="dblp1", document={"title": "x"}),
        lambda: client.index(index="dblp1", id="1", document={"title": "x"}),
        lambda: client.delete(index="dblp1", id="1"),
        lambda: client.indices.delete(index="dblp1"),
        lambda: client.indices.create(index="x"),
        lambda: helpers.bulk(client, [{"_index": "dblp1", "title": "x"}]),
        lambda: client.delete_by_query(index="dblp1", body={"query": {"match_all": {}}}),
        lambda: client.scroll(scroll_id="x"),
    ]
    for deed in deeds:
        with pytest.raises(TransportError) as refused:
            deed()
        assert not isinstance(refused.value, ConflictError)
        assert refused.value.status_code == 405
        assert "read-only" in str(refused.value.info)
    with pytest.raises(RequestError, match="scroll is not supported"):
        list(helpers.scan(client, index="dblp1"))


@pytest.mark.parametrize(
    ("asked", "status", "reason"),
    [
        ({"q": "(privacy"}, 400, "Failed to parse query"),
        ({"size": "1001"}, 400, "1,001"),
        ({"size": "ten"}, 400, "size is 'ten'"),
        ({"from": "9995"}, 400, "Result window is too large"),
        ({"nope": "1"}, 400, "unrecognized parameter"),
        ({"q": "te?t"}, 400, "wildcard"),
        ({"sort": "year"}, 400, "sort"),
        ({"default_operator": "XOR"}, 400, "AND or OR"),
    ],
)
def test_an_error_has_the_form_that_is_known(explorer: str, asked: dict[str, str], status: int, reason: str) -> None:
    answer = httpx.get(f"{explorer}dblp1/_search", params=asked)
    assert answer.status_code == answer.json()["status"] == status
    assert reason in answer.json()["error"]["reason"]
    assert answer.json()["error"]["root_cause"][0]["type"] == answer.json()["error"]["type"]


def test_other_indexes_and_bodies_are_refused(explorer: str) -> None:
    assert httpx.get(f"{explorer}other/_search").json()["error"]["type"] == "index_not_found_exception"
    assert httpx.post(f"{explorer}dblp1/_search", content=b"{" * 10).status_code == 400
    long = httpx.post(f"{explorer}dblp1/_search", content=b" " * 200_000)
    assert "the body has more than" in long.json()["error"]["reason"]
    assert httpx.post(f"{explorer}dblp1/_search", json={"query": {"fuzzy": {}}}).json()["error"]["type"] == "parsing_exception"
    assert httpx.post(f"{explorer}dblp1/_search", json={"aggs": {}}).status_code == 400


def test_what_is_taken_otherwise_is_told(client: Any) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        client.search(q="nope:privacy roam~ listen?")
    sentences = [str(one.message) for one in told if one.category is ElasticsearchWarning]
    assert len(sentences) == 3
    assert any("no field 'nope'" in one for one in sentences)


def test_the_page_stays_where_it_is(explorer: str) -> None:
    assert "<html" in httpx.get(explorer).text
    assert "<html" in httpx.get(explorer, headers={"Accept": "text/html,application/xhtml+xml"}).text
    assert httpx.get(explorer, headers={"Accept": "application/json"}).json()["tagline"] == "You Know, for Search"


def test_a_token_is_wanted_and_shown_in_a_header(demo: Settings) -> None:
    shown = "secret"
    with TestClient(make_app(Desk(conninfo(demo)), title="demo", token=shown), base_url="http://localhost") as client:
        assert client.get("/dblp1/_search?q=privacy").status_code == 401
        assert client.get("/dblp1/_search?q=privacy", headers={"Authorization": f"Bearer {shown}"}).json()["hits"]["hits"]


def test_what_takes_too_long_is_left(demo: Settings) -> None:
    with (
        TestClient(make_app(Desk(conninfo(demo), seconds=1.0), title="demo"), base_url="http://localhost") as client,
        psycopg.connect(conninfo(demo)) as other,
    ):
        other.execute("LOCK TABLE dblp_text")
        answer = client.get("/dblp1/_search?q=privacy")
        service = client.get("/api/search?q=privacy&system=bm25")
        other.rollback()
        assert answer.status_code == service.status_code == 503
        assert "longer than 1 s" in answer.json()["error"]["reason"]
        assert "longer than 1 s" in service.json()["error"]["message"]
        assert client.get("/dblp1/_search?q=privacy").status_code == 200

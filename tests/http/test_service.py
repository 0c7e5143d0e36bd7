"""The search service: answers equal to the functions' own, described by OpenAPI, with errors that say what to do."""

from __future__ import annotations

import httpx
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.retrieval import SYSTEMS
from tests.examples import examples

pytestmark = pytest.mark.slow


@pytest.fixture
def http(explorer: str) -> httpx.Client:
    return httpx.Client(base_url=explorer, timeout=60)


def test_a_search_is_that_of_the_function(http: httpx.Client, demo_conn: psycopg.Connection) -> None:
    narrowed = "year=2015..&venue=%25&credibility=references%3D1.."
    answer = http.get(f"/api/search?q=voice+assistants&system=boolean&k=3&offset=2&{narrowed}").json()
    assert answer["filter"] == {"year": [2015, None], "venue": ["%"], "references": [1, None]}
    ours = demo_conn.execute(
        "SELECT s.rank, s.score, s.docno, s.title FROM stc.search_page('voice assistants', 'boolean', 5,"
        """ filter => '{"year": [2015, null], "venue": ["%"], "references": [1, null]}') s WHERE s.rank > 2 ORDER BY 1"""
    ).fetchall()
    assert [(one["rank"], one["score"], one["docno"], one["title"]) for one in answer["documents"]] == ours != []


@pytest.mark.long
def test_each_system_answers_or_says_what_it_lacks(http: httpx.Client) -> None:
    assert http.get("/api/systems").json() == list(SYSTEMS)
    for system in ("boolean", "bm25", "rm3", "dense-title", "dense-abstract", "rocchio-title", "hybrid"):
        assert http.get("/api/search", params={"q": "fake news", "system": system, "k": 2}).json()["documents"]
    lacking = http.get("/api/search", params={"q": "fake news", "system": "dense-passage"})
    assert (lacking.status_code, lacking.json()["error"]["sqlstate"]) == (409, "IR405")


def test_a_document_and_its_neighbours(http: httpx.Client, demo_conn: psycopg.Connection) -> None:
    [hit] = http.get("/api/search", params={"q": "voice assistants", "k": 1}).json()["documents"]
    document = http.get(f"/api/documents/{hit['docno']}").json()
    assert document["document"]["title"] == hit["title"]
    near = http.get(f"/api/documents/{hit['docno']}/neighbours", params={"k": 4}).json()["documents"]
    ours = demo_conn.execute(
        "SELECT o.docno FROM dblp d, dblp_knn_title(qdblp_v_title(d.id), 5, 1) WITH ORDINALITY n (near, place)"
        " JOIN dblp o ON o.id = near WHERE d.docno = %s ORDER BY n.place OFFSET 1",
        [hit["docno"]],
    ).fetchall()
    assert [one["docno"] for one in near] == [docno for (docno,) in ours]
    assert [one["rank"] for one in near] == [1, 2, 3, 4]


def test_runs_editions_and_a_leaderboard(http: httpx.Client, demo_conn: psycopg.Connection) -> None:
    assert {one["run"] for one in http.get("/api/runs").json()} == {"bm25", "boolean", "dense-abstract", "dense-title", "hybrid"}
    assert {one["edition"]: one["judgments"] for one in http.get("/api/editions").json()} == {"test": 149, "train": 307}
    board = http.get("/api/leaderboard", params={"edition": "test", "measure": ["nDCG@10", "P_10"]}).json()
    ours = demo_conn.execute("SELECT run, ndcg_cut_10, p_10 FROM leaderboard('test')").fetchall()
    assert [one["run"] for one in board["runs"]] == [run for run, _, _ in ours]
    assert [list(one["values"].values()) for one in board["runs"]] == [pytest.approx(values) for _, *values in ours]
    assert len(http.get("/api/leaderboard", params={"edition": "test"}).json()["measures"]) == 9


@pytest.mark.parametrize("corpus", ["title", "abstract"])
def test_the_known_address_of_vectors(http: httpx.Client, demo_conn: psycopg.Connection, corpus: str) -> None:
    phrase = "how voice assistants listen"
    answer = http.get("/stvir_test", params={"corpus": corpus, "phrase": phrase, "length": 7}).json()
    found = http.get("/api/search", params={"q": phrase, "system": f"dense-{corpus}", "k": 7}).json()["documents"]
    assert [(one["id"], one["score"]) for one in answer] == [(one["docno"], one["score"]) for one in found]
    assert [one["distance"] for one in answer] == sorted(-one["score"] for one in answer)
    assert len(http.get("/stvir_test", params={"corpus": corpus, "phrase": "privacy"}).json()) == 10


@pytest.mark.parametrize(
    ("address", "status", "says"),
    [
        ("/api/search", 400, "q:"),
        ("/api/search?q=a&k=0", 400, "k:"),
        ("/api/search?q=a&k=1001", 400, "k:"),
        ("/api/search?q=a&k=1000&offset=9500", 400, "10,500"),
        ("/api/search?q=a%00b&system=bm25", 400, "U+0000"),
        ("/api/search?q=a&system=bm52", 404, "bm52"),
        ("/api/search?q=a&year=soon", 400, "soon"),
        ("/api/search?q=a&filter=[1]", 400, "not a JSON object"),
        ("/api/search?q=a&filter={%22yaer%22:1}", 400, "yaer"),
        ("/api/search?q=a&judged=nope&system=bm25", 404, "nope"),
        ("/api/search?q=%20&system=dense-title", 400, "blank"),
        ("/api/search?q=a&system=dense-title&model=nope", 404, "nope"),
        ("/api/search?q=a&systm=bm25", 400, "no parameter 'systm'"),
        ("/api/leaderboard?edition=test&measures=P@10", 400, "no parameter 'measures'"),
        ("/api/systems?k=3", 400, "no parameter 'k'"),
        ("/api/documents/nope", 404, "nope"),
        ("/api/documents/%00", 400, "U+0000"),
        ("/api/documents/nope/neighbours", 404, "nope"),
        ("/api/leaderboard?edition=nope", 404, "nope"),
        ("/api/leaderboard?edition=test&measure=nope", 404, "nope"),
        ("/api/nope", 404, "/api/nope"),
        ("/stvir_test?corpus=body&phrase=a", 400, "body"),
        ("/stvir_test?corpus=title&phrase=%20", 400, "blank"),
        ("/stvir_test?corpus=title&phrase=a&length=1001", 400, "1,001"),
        ("/stvir_test?corpus=title&phrase=a&length=many", 400, "many"),
    ],
)
def test_what_cannot_be_answered_says_why(http: httpx.Client, address: str, status: int, says: str) -> None:
    answer = http.get(address)
    error = answer.json()["error"]
    assert (answer.status_code, set(error)) == (status, {"message", "hint", "sqlstate"}), answer.text
    assert says in error["message"]
    assert error["hint"]


def test_hints_name_routes_and_parameters(http: httpx.Client) -> None:
    def hint(address: str) -> str:
        return str(http.get(address).json()["error"]["hint"])

    assert hint("/api/leaderboard?edition=tset") == "Did you mean 'test'? /api/editions lists all editions."
    assert hint("/api/scores?edition=test&run=bm52") == "Did you mean 'bm25'? /api/runs lists all runs."
    assert hint("/api/leaderboard?edition=test&measures=P@10").startswith("Did you mean measure? The parameters are edition, ")
    assert http.get("/stvir_test?corpus=title&phrase=voice&from=2020").status_code == 200


@examples(60)
@given(st.text(max_size=30), st.sampled_from(["boolean", "bm25"]))
def test_no_query_breaks_anything(http: httpx.Client, text: str, system: str) -> None:
    answer = http.get("/api/search", params={"q": text.encode("utf-8", "replace").decode(), "system": system})
    assert answer.status_code in (200, 400)


def test_it_is_described(http: httpx.Client) -> None:
    description = http.get("/openapi.json").json()
    assert set(description["paths"]) >= {"/api/search", "/api/documents/{docno}", "/api/leaderboard", "/stvir_test"}
    asked = description["paths"]["/api/search"]["get"]
    assert asked["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].endswith("/Hits")
    page = http.get("/api")
    assert page.headers["content-type"].startswith("text/html")
    assert all(path in page.text for path in description["paths"])
    assert "<script" not in page.text


def test_another_page_may_not_ask(http: httpx.Client) -> None:
    for address in ("/api/search?q=a", "/dblp1/_search?q=a", "/stvir_test?corpus=title&phrase=a"):
        assert http.get(address, headers={"Origin": "http://elsewhere.example"}).status_code == 403
        assert "access-control-allow-origin" not in http.get(address).headers

"""Judging over HTTP: without scripts, sizes of answers, decisions sent twice or too late, and what an invited assessor may send."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import httpx
import psycopg
import pytest

from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.explore.judging.request import former, read_state
from stcollection.qrels.assess import AssessorSheet
from stcollection.qrels.pools import PoolRules, make_pool
from stcollection.web.desk import Guest
from tests.explore.judged import grades
from tests.qrels.pooled import put_documents, put_queries, put_run

pytestmark = pytest.mark.slow

DOCS = [f"d{number}" for number in range(30)]
FIELD = re.compile(r'<input type="hidden" name="([a-z]+)" value="([^"]*)">')


@pytest.fixture(scope="module")
def own(empty: Settings) -> Settings:
    with open_session(conninfo(empty), autocommit=True) as conn:
        put_documents(conn, {doc: (f"Title {doc}", f"Words of {doc} about homes. " * 40) for doc in DOCS})
        put_queries(conn, {"q1": "title", "q2": "words"})
        put_run(conn, "r", {"q1": DOCS[:20], "q2": DOCS[20:]})
    return empty


@pytest.fixture
def pool(store: psycopg.Connection, request: pytest.FixtureRequest) -> str:
    name = str(request.node.name).removeprefix("test_")
    make_pool(store, name, rules=PoolRules(depth=20))
    return name


@pytest.fixture
def client(address: str, pool: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address, params={"pool": pool, "annotator": "anna"}, timeout=60) as client:
        yield client


def fields(page: str) -> dict[str, str]:
    return {name: html.unescape(value) for name, value in FIELD.findall(page)}


def following(client: httpx.Client, answer: httpx.Response) -> str:
    """Return the page that an answer leads to."""
    return httpx.get(client.base_url.join(answer.headers["location"]), timeout=60).text


def test_judging_without_scripts(client: httpx.Client, store: psycopg.Connection, pool: str) -> None:
    given: dict[str, int] = {}
    page = client.get("/judging").text
    for grade in (2, 0):
        shown = fields(page)
        given[shown["token"]] = grade
        answer = client.post("/judging/press", data={**shown, "note": "a note", "key": str(grade)})
        assert answer.status_code == 303
        page = following(client, answer)
    assert grades(store, pool, "anna") == given
    first, second = given
    back = client.post("/judging/press", data={**fields(page), "key": "back"})
    page = following(client, back)
    assert fields(page)["token"] == second
    assert fields(page)["before"] == "a note"
    kept = client.post("/judging/press", data={**fields(page), "note": "a note", "key": "skip"})  # keeps it
    assert grades(store, pool, "anna") == given
    page = following(client, kept)
    answer = client.post("/judging/press", data={**fields(page), "key": "1"})
    last = fields(following(client, answer))
    undone = client.post("/judging/press", data={**last, "key": "undo"})
    assert fields(following(client, undone))["token"] == fields(page)["token"]
    assert grades(store, pool, "anna") == given == {first: 2, second: 0}
    refused = client.post("/judging/press", data={**last, "key": "9"})
    assert (refused.status_code, "9 is not a grade of pool" in refused.text) == (400, True)


def test_an_answer_is_small_and_a_decision_is_stored_once(client: httpx.Client, store: psycopg.Connection, pool: str) -> None:
    shown = fields(client.get("/judging").text)
    reply = client.post("/judging/kept", json={**shown, "window": "w", "queue": []}).json()
    have = [one["token"] for one in reply["ahead"]]
    assert len(have) == 10
    assert shown["token"] not in have
    sent = {**shown, "key": "1", "id": "a" * 10, "window": "w", "scripted": "1", "have": ",".join(have)}
    with client.stream("POST", "/judging/press", data=sent) as answer:
        assert sum(map(len, answer.iter_raw())) < 5_000
    first = grades(store, pool, "anna")
    assert first == {shown["token"]: 1}
    again = client.post("/judging/press", data=sent).json()
    assert again["ids"] == ["a" * 10]
    late = client.post("/judging/press", data={**sent, "key": "0", "id": "b" * 10}).json()
    assert "Not stored: this document was judged in another tab or terminal." in late["told"]
    assert fields(late["html"])["token"] == shown["token"]
    assert grades(store, pool, "anna") == first
    malformed = client.post("/judging/press", data={**sent, "key": "1; DROP TABLE", "id": "c" * 10})
    assert (malformed.status_code, "is not a grade" in html.unescape(malformed.json()["error"])) == (400, True)
    other = client.post("/judging/press", data={**sent, "token": "k" * 16, "id": "d" * 10})
    assert "is not on the sheet of anna" in html.unescape(other.json()["error"])
    assert other.json()["ids"] == ["d" * 10]  # it can never be stored
    assert grades(store, pool, "anna") == first


def test_kept_decisions_that_make_no_sense_are_left_out(client: httpx.Client, store: psycopg.Connection, pool: str) -> None:
    shown = fields(client.get("/judging").text)
    good = {
        "id": "e" * 10,
        "key": "2",
        "pool": pool,
        "annotator": "anna",
        "token": shown["token"],
        "query": shown["query"],
        "seen": "",
    }
    queue = [7, None, {}, {**good, "id": "x"}, {**good, "id": "f" * 10, "seen": "yesterday"}, good]
    reply = client.post("/judging/kept", json={"window": "w", "queue": queue}).json()
    assert reply["ids"] == ["e" * 10]
    assert "1 decision that the browser kept is stored." in reply["told"]
    assert grades(store, pool, "anna") == {shown["token"]: 2}
    for body in ("[]", "{", '"x"'):
        assert client.post("/judging/kept", content=body, headers={"content-type": "application/json"}).status_code == 400
    assert client.post("/judging/kept", content="{}", headers={"content-type": "text/plain"}).status_code == 415
    elsewhere = {"origin": "http://elsewhere.example"}
    assert client.post("/judging/kept", json={"queue": [good]}, headers=elsewhere).status_code == 403


def test_the_records_of_the_panels(client: httpx.Client, store: psycopg.Connection, pool: str) -> None:
    [token] = store.execute("SELECT token FROM stc.pool_sheet(%s, 'anna') LIMIT 1", [pool]).fetchone() or [""]
    AssessorSheet(store, pool, "anna").decide(token, 1)
    AssessorSheet(store, pool, "ben").decide(token, 0)
    sheet = client.get("/judging.json").json()["sheet"]
    assert sheet["counts"] == {"documents": 30, "judged": 1, "skipped": 0, "undecided": 0, "timed": 0, "seconds": None}
    assert sheet["paper"]["state"] == "open"
    assert [one["rel"] for one in client.get("/judging/disagreements.json").json()["grades"]] == [1, 0]
    assert [one["annotator"] for one in client.get("/judging/progress.json").json()["assessors"]] == ["anna", "ben"]
    assert client.get("/judging/pairs.json").json()["progress"][0]["compared"] == 0
    for path, code in (("/judging", 404), ("/judging.json", 404), ("/judging/pairs", 404), ("/judging/progress", 404)):
        assert client.get(path, params={"pool": "nope"}).status_code == code, path
    assert "The name is empty" in client.get("/judging", params={"annotator": " "}).text


def test_former_addresses_and_guests() -> None:
    given = httpx.QueryParams("tab=judging&panel=pairs&pool=p%26q&of=q1&x=1")
    assert former(given) == "/judging/pairs?pool=p%26q&of=q1"  # type: ignore[arg-type]
    assert former(httpx.QueryParams("tab=judging&panel=//evil")) == "/judging"  # type: ignore[arg-type]
    state = read_state(httpx.QueryParams("pool=other&annotator=ben&of=q1"), Guest(pool="p", annotator="anna"))  # type: ignore[arg-type]
    assert (state.pool, state.annotator, state.of) == ("p", "anna", "q1")

"""Programs judge and store files with the rights of their login or invitation; walls hold, and repeated requests change nothing."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import psycopg
import pytest

from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.qrels.invitations import Invitations
from stcollection.qrels.pools import make_pool
from tests.acceptance.conftest import runner
from tests.evaluation.ndeval import store_subtopics
from tests.explore.conftest import serving
from tests.explore.walled import password
from tests.http.generated import generated_client
from tests.qrels.llm_server import endpoint
from tests.studies.synth.test_subtopics import generate, recorded

pytestmark = pytest.mark.slow

BYTES = {"content-type": "application/octet-stream"}


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("audit") / "audit.jsonl"


@pytest.fixture(scope="module")
def address(walled: Settings, audit: Path) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STC_HOME", str(walled.home))  # the secret of invitations is there
        yield from serving(walled, "--sign-in", "--upload-limit", "1", "--audit", str(audit))


@pytest.fixture
def pool(walled: Settings, request: pytest.FixtureRequest) -> str:
    """A pool for one test, made by the organiser."""
    name = f"a/b {request.node.name[-40:]}"
    with open_session(conninfo(walled), autocommit=True) as conn:
        make_pool(conn, name)
    return name


@pytest.fixture(scope="module")
def lines(walled: Settings) -> list[str]:
    """The lines of the stored run bm25."""
    return runner(walled)("runs", "export", "bm25").stdout.splitlines()


def sign_in(address: str, name: str) -> httpx.Client:
    client = httpx.Client(base_url=address, timeout=60)
    assert client.post("/sign-in", data={"name": name, "password": password(name)}).status_code == 303
    return client


def invited(address: str, token: str) -> httpx.Client:
    client = httpx.Client(base_url=address, timeout=60)
    client.post("/invited", data={"invitation": token})
    return client


def post(client: httpx.Client, path: str, status: int = 200, **body: Any) -> Any:
    answer = client.post(path, json=body)
    assert answer.status_code == status, answer.text
    return answer.json() if status == 200 else answer.json()["error"]["message"]


def send(client: httpx.Client, path: str, content: bytes, status: int = 200, **params: Any) -> Any:
    answer = client.post(path, params=params, content=content, headers=BYTES)
    assert answer.status_code == status, answer.text
    return answer.json() if status == 200 else answer.json()["error"]["message"]


def grades(conn: psycopg.Connection, pool: str) -> list[tuple[Any, ...]]:
    return conn.execute(
        "SELECT a.annotator, d.docno, a.rel, a.undecided, a.note FROM stc_all.qrels_assessments a JOIN dblp d ON d.id = a.doc"
        " WHERE a.pool = stc.pool_key(%s) ORDER BY a.changed",
        [pool],
    ).fetchall()


def claim(client: httpx.Client, pool: str, annotator: str, **more: Any) -> Any:
    return post(client, "/api/sheet/claim", pool=pool, annotator=annotator, **more)["document"]


def decision(document: Any, pool: str, annotator: str, **more: Any) -> dict[str, Any]:
    return {
        "id": uuid4().hex,
        "pool": pool,
        "annotator": annotator,
        "token": document["token"],
        "seen": document["changed"],
        **more,
    }


def comparison(pair: Any, pool: str, annotator: str, choice: str) -> dict[str, Any]:
    return {
        "id": uuid4().hex,
        "pool": pool,
        "annotator": annotator,
        "query": pair["query"],
        "choice": choice,
        "left": pair["left"]["token"],
        "right": pair["right"]["token"],
    }


def test_a_sheet_is_judged_as_on_the_page(address: str, boss: psycopg.Connection, pool: str, audit: Path) -> None:
    olga = sign_in(address, "olga")
    assert pool in {one["pool"] for one in olga.get("/api/pools").json()}
    before = audit.read_text().count("\n")
    begun = post(olga, "/api/sheet/claim", pool=pool, annotator="anna")
    assert list(begun["grades"]) == ["0", "1", "2"]
    first = begun["document"]
    assert (first["state"], first["number"], first["changed"]) == ("open", 1, None)
    one = decision(first, pool, "anna", rel=2, note="good\u202e one", seconds=3.5)
    stored = post(olga, "/api/sheet/decisions", **one)
    assert (stored["rel"], stored["note"], stored["state"]) == (2, "good one", "draft")
    assert post(olga, "/api/sheet/decisions", **one) == stored, "a repeated decision is the same one"
    second = claim(olga, pool, "anna")
    assert second["token"] != first["token"]
    post(olga, "/api/sheet/decisions", **decision(second, pool, "anna", undecided=True))
    assert grades(boss, pool) == [
        ("anna", first["docno"], 2, False, "good one"),
        ("anna", second["docno"], None, True, None),
    ]
    stale = post(olga, "/api/sheet/decisions", 409, **decision(first, pool, "anna", rel=0))
    assert "that decision is kept" in stale
    counted = [row for row in olga.get("/api/sheet", params={"pool": pool, "annotator": "anna"}).json() if row["judged"]]
    assert [(row["query"], row["judged"], row["undecided"]) for row in counted] == [(first["query"], 1, 1)]
    for _ in range(2):
        undone = post(olga, "/api/sheet/undo", pool=pool, annotator="anna", id=one["id"])
        assert (undone["state"], undone["rel"], undone["changed"]) == ("open", None, None)
    assert len(grades(boss, pool)) == 1
    assert "was undone" in post(olga, "/api/sheet/decisions", 409, **one), "a late repetition does not store it again"
    assert "has not stored it" in post(olga, "/api/sheet/undo", 409, pool=pool, annotator="anna", id=uuid4().hex)
    written = [json.loads(line) for line in audit.read_text().splitlines()[before:] if '"judgment"' in line]
    assert [(line["role"], line["document"], line["old"], line["new"]) for line in written] == [
        ("olga", first["docno"], None, 2),
        ("olga", second["docno"], None, None),
        ("olga", first["docno"], 2, None),
    ], "one line for each change"


def test_an_undo_keeps_a_newer_decision(address: str, boss: psycopg.Connection, pool: str) -> None:
    olga = sign_in(address, "olga")
    one = decision(claim(olga, pool, "anna"), pool, "anna", rel=1)
    stored = post(olga, "/api/sheet/decisions", **one)
    post(olga, "/api/sheet/decisions", **decision(stored, pool, "anna", rel=2))
    assert "changed or submitted" in post(olga, "/api/sheet/undo", 409, pool=pool, annotator="anna", id=one["id"])
    assert [row[2] for row in grades(boss, pool)] == [2]


def test_a_decision_is_undone_after_a_restart_by_who_stored_it(
    walled: Settings, boss: psycopg.Connection, pool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two programs of olga, and an invited assessor who judges the same sheet."""
    monkeypatch.setenv("STC_HOME", str(walled.home))
    undo: dict[str, Any] = {"pool": pool, "annotator": "anna"}
    invitation = Invitations(walled.home, walled.db).make(pool, "anna", days=1)
    for address in serving(walled, "--sign-in"):
        one, two, guest = sign_in(address, "olga"), sign_in(address, "olga"), invited(address, invitation)
        first, second = claim(one, pool, "anna", program="one"), claim(two, pool, "anna", program="two")
        stored = post(one, "/api/sheet/decisions", **(a := decision(first, pool, "anna", rel=1, note="first")))
        post(two, "/api/sheet/decisions", **(b := decision(stored, pool, "anna", rel=2, note="second")))
        post(two, "/api/sheet/decisions", **(c := decision(second, pool, "anna", undecided=True)))
        post(guest, "/api/sheet/decisions", **(d := decision(claim(guest, pool, "anna", program="g"), pool, "anna", rel=0)))
        assert "about another document" in post(one, "/api/sheet/decisions", 400, **{**c, "id": a["id"]})
    by = boss.execute("SELECT DISTINCT role, invited FROM stc_all.qrels_decisions WHERE pool = stc.pool_key(%s) ORDER BY 2", [pool])
    assert by.fetchall() == [("olga", False), ("olga", True)]
    for address in serving(walled, "--sign-in"):
        one, two, guest = sign_in(address, "olga"), sign_in(address, "olga"), invited(address, invitation)
        assert "changed or submitted" in post(two, "/api/sheet/undo", 409, **undo, id=a["id"])
        for client in (one, guest):
            theirs = (d,) if client is one else (a, b, c)
            for other in theirs:
                assert "has not stored it" in post(client, "/api/sheet/undo", 409, **undo, id=other["id"])
        assert "has not stored it" in post(one, "/api/sheet/undo", 409, pool=pool, annotator="bert", id=b["id"])
        for client in (one, two, one):  # a repeated request gets the same answer
            undone = post(client, "/api/sheet/undo", **undo, id=b["id"])
            assert (undone["rel"], undone["note"], undone["state"]) == (1, "first", "draft")
            assert undone["changed"] == stored["changed"]
        assert "was undone" in post(two, "/api/sheet/decisions", 409, **b)
        for client in (one, two):
            assert post(client, "/api/sheet/undo", **undo, id=a["id"])["state"] == "open"
        for late in (a, b):
            assert "was undone" in post(one, "/api/sheet/decisions", 409, **late)
        with ThreadPoolExecutor() as pool_of_threads:
            sent = [pool_of_threads.submit(one.post, "/api/sheet/undo", json=undo | {"id": c["id"]}) for _ in range(6)]
            sent += [pool_of_threads.submit(two.post, "/api/sheet/decisions", json=c) for _ in range(6)]
        assert {answer.result().status_code for answer in sent[:6]} == {200}
        assert {answer.result().status_code for answer in sent[6:]} <= {200, 409}
        assert [row[2] for row in grades(boss, pool)] == [0], "the guest's decision only"
        assert post(guest, "/api/sheet/undo", **undo, id=d["id"])["state"] == "open"
    assert grades(boss, pool) == []
    kept = boss.execute("SELECT count(*), count(undone) FROM stc_all.qrels_decisions WHERE pool = stc.pool_key(%s)", [pool])
    assert kept.fetchone() == (4, 4)


def test_programs_claim_different_documents(address: str, pool: str) -> None:
    olga = sign_in(address, "olga")
    claimed = [claim(olga, pool, "anna", program=f"p{number}")["token"] for number in range(5)]
    assert len(set(claimed)) == 5
    assert claim(olga, pool, "anna", program="p0")["token"] == claimed[0], "a program that starts again gets its document"
    assert claim(olga, pool, "bert", program="p0")["token"] not in claimed, "tokens are of an annotator"


def test_disagreements_get_final_grades(address: str, boss: psycopg.Connection, pool: str) -> None:
    olga = sign_in(address, "olga")
    [query, first] = [claim(olga, pool, "anna")[name] for name in ("query", "docno")]
    for annotator, rel in (("anna", 0), ("bert", 2)):
        while (document := claim(olga, pool, annotator, query=query))["docno"] != first:
            post(olga, "/api/sheet/decisions", **decision(document, pool, annotator, rel=1))
        post(olga, "/api/sheet/decisions", **decision(document, pool, annotator, rel=rel))
    found = olga.get("/api/disagreements", params={"pool": pool}).json()
    assert [(one["docno"], one["annotator"], one["rel"], one["apart"]) for one in found if one["docno"] == first] == [
        (first, "anna", 0, 2),
        (first, "bert", 2, 2),
    ]
    assert olga.get("/api/disagreements", params={"pool": pool, "annotator": "carl"}).json() == []
    final = {"pool": pool, "adjudicator": "chief", "query": query, "docno": first, "note": "see title"}
    for rel in (1, 1):
        assert post(olga, "/api/final-grades", **final, rel=rel)["rel"] == 1
    [settled] = {
        (one["final"], one["final_by"])
        for one in olga.get("/api/disagreements", params={"pool": pool}).json()
        if one["docno"] == first
    }
    assert settled == (1, "chief")
    assert "'anna'" in post(olga, "/api/final-grades", 400, **{**final, "adjudicator": "anna"}, rel=1)
    people = olga.get("/api/assessors", params={"pool": pool}).json()
    assert [one["annotator"] for one in people] == ["anna", "bert"]


def test_pairs_are_compared(address: str, boss: psycopg.Connection, pool: str) -> None:
    olga = sign_in(address, "olga")
    pair = post(olga, "/api/pairs/claim", pool=pool, annotator="anna")
    one = comparison(pair, pool, "anna", "left")
    for _ in range(2):
        post(olga, "/api/pairs/comparisons", **one)
    count = "SELECT count(*) FROM stc_all.qrels_comparisons WHERE pool = stc.pool_key(%s)"
    assert boss.execute(count, [pool]).fetchone() == (1,)
    assert "not the next pair" in post(olga, "/api/pairs/comparisons", 409, **{**one, "id": uuid4().hex, "choice": "right"})
    following = post(olga, "/api/pairs/claim", pool=pool, annotator="anna", query=pair["query"])
    later = {**one, "id": uuid4().hex, "left": following["left"]["token"], "right": following["right"]["token"]}
    post(olga, "/api/pairs/comparisons", **later)
    undo: dict[str, Any] = {"pool": pool, "annotator": "anna"}
    assert post(olga, "/api/pairs/undo", **undo, id=one["id"]) == {"query": None}, "it is not the last one"
    assert post(olga, "/api/pairs/undo", **undo, id=uuid4().hex) == {"query": None}
    for query in (pair["query"], None):  # a repeated request undoes nothing more
        assert post(olga, "/api/pairs/undo", **undo, id=later["id"]) == {"query": query}
        assert boss.execute(count, [pool]).fetchone() == (1,)
    assert post(olga, "/api/pairs/undo", **undo, id=one["id"]) == {"query": pair["query"]}
    assert boss.execute(count, [pool]).fetchone() == (0,)


def test_an_invitation_judges_its_own_sheet_only(address: str, walled: Settings, boss: psycopg.Connection, pool: str) -> None:
    invitations = Invitations(walled.home, walled.db)
    anna = invited(address, invitations.make(pool, "anna", days=1))
    document = claim(anna, pool, "anna")
    one = decision(document, pool, "anna", rel=1)
    post(anna, "/api/sheet/decisions", **one)
    assert [one["pool"] for one in anna.get("/api/pools").json()] == [pool]
    pair = post(anna, "/api/pairs/claim", pool=pool, annotator="anna")
    compared = comparison(pair, pool, "anna", "equal")
    post(anna, "/api/pairs/comparisons", **compared)
    bert = claim(sign_in(address, "olga"), pool, "bert")
    for path, body in (
        ("/api/sheet/claim", {"pool": pool, "annotator": "bert"}),
        ("/api/sheet/claim", {"pool": "demo", "annotator": "anna"}),
        ("/api/sheet/decisions", decision(bert, pool, "bert", rel=2)),
        ("/api/sheet/undo", {"pool": pool, "annotator": "bert", "id": one["id"]}),
        ("/api/pairs/claim", {"pool": pool, "annotator": "bert"}),
        ("/api/pairs/comparisons", {**compared, "id": uuid4().hex, "annotator": "bert"}),
        ("/api/pairs/undo", {"pool": pool, "annotator": "bert", "id": compared["id"]}),
    ):
        assert "this invitation is for judging" in post(anna, path, 403, **body), path
    for path in ("/api/final-grades", "/api/proposals/publish", "/api/uploads/run"):
        assert anna.post(path, json={}).status_code in (404, 405), path
    for path in ("/api/search?q=a", "/api/editions", "/api/disagreements?pool=a", "/api/assessors?pool=a", "/openapi.json"):
        assert anna.get(path).status_code == 404, path
    assert {row[0] for row in grades(boss, pool)} == {"anna"}
    invitations.revoke()
    assert anna.post("/api/sheet/claim", json={"pool": pool, "annotator": "anna"}).status_code == 401
    late = invitations.make(pool, "anna", days=1e-5)
    time.sleep(1.5)
    for token in (late, "x.y"):
        stranger = invited(address, token)
        assert stranger.post("/api/sheet/decisions", json=one).status_code == 401


@pytest.mark.parametrize("name", ["petra", "rita"])
def test_participants_and_readers_cannot_judge(address: str, boss: psycopg.Connection, pool: str, name: str) -> None:
    document = claim(sign_in(address, "olga"), pool, "anna")
    client = sign_in(address, name)
    for path, body in (
        ("/api/sheet/claim", {"pool": pool, "annotator": "anna"}),
        ("/api/sheet/decisions", decision(document, pool, "anna", rel=2)),
        ("/api/final-grades", {"pool": pool, "adjudicator": "x", "query": document["query"], "docno": document["docno"], "rel": 1}),
        ("/api/pairs/undo", {"pool": pool, "annotator": "anna", "id": uuid4().hex}),
        ("/api/proposals/publish", {}),
        ("/api/proposals/1/review", {"verdict": "accepted", "reviewer": name}),
    ):
        assert client.post(path, json=body).status_code in (403, 404), (path, client.post(path, json=body).text)
    for path, more in (("/api/sheet", {"annotator": "anna"}), ("/api/assessors", {}), ("/api/disagreements", {})):
        answer = client.get(path, params={"pool": pool, **more})
        assert answer.status_code in (403, 404) or answer.json() == [], (path, answer.text)
    assert grades(boss, pool) == []


def test_proposed_queries_are_reviewed_and_published(address: str, boss: psycopg.Connection) -> None:
    with endpoint(recorded) as server:
        boss.execute("INSERT INTO st1_topics (topic, text, title, article) VALUES ('P01', 'Speakers', 'Speakers', 'They listen.')")
        generate(boss, server)
    olga, petra = sign_in(address, "olga"), sign_in(address, "petra")
    assert post(olga, "/api/proposals/publish", 409) == "no subtopic is accepted"
    first, second, *_ = [one for one in olga.get("/api/proposals").json() if one["topic"] == "P01"]
    assert (first["state"], first["query"], first["reviewer"]) == ("waiting", None, None)
    path = f"/api/proposals/{first['id']}/review"
    for counts in ({"decided": 1, "changed": 0, "unchanged": 0}, {"decided": 0, "changed": 0, "unchanged": 1}):
        assert post(olga, path, verdict="accepted", reviewer="rosa", reworded="speakers that listen", note="short") == counts
    assert post(olga, f"/api/proposals/{second['id']}/review", verdict="off-topic", reviewer="rosa")["decided"] == 1
    for wrong in ({"verdict": "fine"}, {"verdict": "accepted", "reviewer": ""}, {"verdict": "accepted", "reviewer": "x" * 201}):
        assert olga.post(path, json={"reviewer": "rosa", **wrong}).status_code == 400
    assert olga.post("/api/proposals/99999999/review", json={"verdict": "accepted", "reviewer": "rosa"}).status_code == 400
    assert petra.post("/api/proposals/publish", json={}).status_code == 403
    published = post(olga, "/api/proposals/publish")
    assert [(one["query"], one["text"], one["reviewer"]) for one in published] == [("P01.C1", "speakers that listen", "rosa")]
    assert boss.execute("SELECT text FROM st1_queries WHERE query = 'P01.C1'").fetchone() == ("speakers that listen",)


def test_a_run_is_checked_and_stored_under_its_team(address: str, boss: psycopg.Connection, lines: list[str]) -> None:
    petra, rita = sign_in(address, "petra"), sign_in(address, "rita")
    good = "".join(f"{line}\n" for line in lines[:-20]).encode()
    _, _, docno, *_ = lines[0].split()
    query = lines[0].split()[0]
    for edition in ("train", "test"):
        store_subtopics(boss, [(query, "1", docno, 1), (query, "2", docno, 1), (query, "3", docno, 0)], edition)
    checked = send(petra, "/api/uploads/check", good, file="mine.run")
    assert (checked["kind"], checked["team"], checked["why_not"], checked["run"]["faults"]) == ("runs", "red", "", 0)
    assert [one["edition"] for one in checked["run"]["scores"]] == ["train", "train"], "no score on the hidden edition"
    by_subtopic = checked["run"]["scores"][1]
    assert (by_subtopic["queries"], by_subtopic["answered"]) == (1, 1)
    assert checked["run"]["stored"] is None
    assert "may not store runs" in send(rita, "/api/uploads/check", good)["why_not"]
    assert "may not store runs" in send(rita, "/api/uploads/run", good, 403, name="mine", team="red")
    for team in ("blue", "RED"):
        assert "stores runs of the team 'red'" in send(petra, "/api/uploads/run", good, 403, name="mine", team=team)
    assert "bm25 already exists" in send(petra, "/api/uploads/run", good, 400, name="bm25", team="red")
    for already in (False, True):
        done = send(petra, "/api/uploads/run", good, name="mine", team="red", file="mine.run")
        assert (done["run"], done["team"], done["already"]) == ("mine", "red", already)
    assert "already stored as run mine" in send(petra, "/api/uploads/run", good, 409, name="other", team="red")
    assert boss.execute("SELECT run, source FROM st1_runs WHERE team = 'red'").fetchall() == [("mine", "mine.run")]
    value = boss.execute("SELECT value FROM mean_scores('{mine}', 'train', '{nDCG@10}')").fetchone()
    assert value == (pytest.approx(checked["run"]["scores"][0]["means"]["nDCG@10"]),)
    names = list(by_subtopic["means"])
    assert names == ["alpha_nDCG@10", "ERR_IA@10", "StRecall@10", "P_IA@10", "AP_IA"]
    found: dict[str, float] = dict(
        boss.execute("SELECT measure, value FROM mean_scores('{mine}', 'train', %s)", [names]).fetchall()
    )
    assert by_subtopic["means"] == {name: pytest.approx(value) for name, value in found.items()}
    assert found["StRecall@10"] == 1
    theirs = "".join(f"{line}\n" for line in lines[:-50]).encode()
    send(sign_in(address, "olga"), "/api/uploads/run", theirs, name="theirs", team="blue")
    for content in (theirs, good + f"{lines[-20]}\n".encode()):  # also with the content of the other team
        taken = send(petra, "/api/uploads/run", content, 400, name="theirs", team="red")
        assert "theirs" in taken
        assert "blue" not in taken
    assert boss.execute("SELECT count(*) FROM st1_runs WHERE team = 'red'").fetchone() == (1,)
    bad = good + b"D01.1 Q0 nobody 1 3 x\n"
    faults = send(petra, "/api/uploads/check", bad)["run"]
    [told] = [one for one in faults["messages"] if not one["note"]]
    assert faults["faults"] == 1
    assert "nobody" in told["what"]
    assert "nobody" in send(petra, "/api/uploads/run", bad, 400, name="bad", team="red")


def test_topics_and_judgments_are_stored_by_organisers(address: str, boss: psycopg.Connection) -> None:
    olga, petra = sign_in(address, "olga"), sign_in(address, "petra")
    topics = b"w1\tquery of a program\nw2\tanother query of it\n"
    assert send(olga, "/api/uploads/check", topics, kind="topics")["data"]["counts"] == {"queries": 2}
    assert "may not store" in send(petra, "/api/uploads/topics", topics, 403)
    for added in (2, 0):
        assert send(olga, "/api/uploads/topics", topics)["counts"]["added"] == added
    [docno] = boss.execute("SELECT min(docno) FROM dblp WHERE NOT stub").fetchone() or [None]
    qrels = f"w1 0 {docno} 2\n".encode()
    assert "may not store" in send(petra, "/api/uploads/judgments", qrels, 403, edition="sent")
    for added in (1, 0):
        done = send(olga, "/api/uploads/judgments", qrels, edition="sent", split="train")
        assert (done["edition"], done["counts"]["added"]) == ("sent", added)
    assert "is hidden" in send(olga, "/api/uploads/judgments", qrels, 409, edition="test")
    assert "a number" not in send(olga, "/api/uploads/judgments", b"w1 0 a b\n", 400, edition="sent")
    assert boss.execute("SELECT docno, rel FROM judgments WHERE edition = 'sent'").fetchall() == [(docno, 2)]
    document = b'{"docno": "from-a-program", "title": "A title", "abstract": "And its abstract."}\n'
    assert "may not store" in send(petra, "/api/uploads/documents", document, 403)
    assert send(olga, "/api/uploads/documents", document)["counts"]["documents"] == 1
    assert olga.get("/api/documents/from-a-program").json()["document"]["title"] == "A title"


def test_bodies_of_the_wrong_type_or_size(address: str, pool: str, lines: list[str]) -> None:
    olga = sign_in(address, "olga")
    body = json.dumps({"pool": pool, "annotator": "anna"}).encode()
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        headers = {"content-type": kind} if kind else {}
        assert olga.post("/api/sheet/claim", content=body, headers=headers).status_code == 415, kind
        assert olga.post("/api/uploads/check", content=body, headers=headers).status_code == 415, kind
    for path, headers in (("/api/sheet/claim", {"content-type": "application/json"}), ("/api/uploads/check", BYTES)):
        for size in (1_100_000, 10_000_000):
            try:
                answer = olga.post(path, content=b" " * size, headers=headers)
            except httpx.TransportError:  # the server closed the connection while we were sending
                assert size > 2_000_000
            else:
                assert answer.status_code == 413
    for given, says in (
        (b"[" * 5000, "depth"),
        (b"{", "not JSON"),
        (b"[1]", "object"),
        (b"\xff", "UTF-8"),
        (b'{"pool": "a"}', "annotator"),
        (body[:-1] + b', "extra": 1}', "extra"),
        (b'{"pool": "a\\u0000", "annotator": "b"}', "U+0000"),
    ):
        answer = olga.post("/api/sheet/claim", content=given, headers={"content-type": "application/json"})
        assert (answer.status_code, says in answer.json()["error"]["message"]) == (400, True), answer.text
    document = claim(olga, pool, "anna")
    for wrong in (
        {"rel": 3},
        {"rel": 10},
        {"rel": -1},
        {"rel": "x"},
        {"id": "short"},
        {"note": "x" * 1001},
        {"seconds": -1},
        {"seen": "soon"},
        {"seen": "2026-01-01T00:00:00"},
        {"rel": 1, "undecided": True},
    ):
        answer = olga.post("/api/sheet/decisions", json=decision(document, pool, "anna") | wrong)
        assert answer.status_code == 400, (wrong, answer.text)
    assert olga.post("/api/sheet/decisions", json=decision(document, pool, "anna") | {"token": "nope"}).status_code == 404
    assert olga.post("/api/sheet/claim", json={"pool": "nope", "annotator": "anna"}).status_code == 404


def test_other_pages_cannot_write(address: str, boss: psycopg.Connection, pool: str) -> None:
    olga = sign_in(address, "olga")
    one = decision(claim(olga, pool, "anna"), pool, "anna", rel=2)
    for headers in (
        {"origin": "http://elsewhere.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ):
        assert olga.post("/api/sheet/decisions", json=one, headers=headers).status_code == 403
        asked = olga.options("/api/sheet/decisions", headers={**headers, "access-control-request-method": "POST"})
        assert asked.status_code == 403
        assert "access-control-allow-origin" not in asked.headers
        assert olga.post("/api/uploads/check", content=b"x", headers={**headers, **BYTES}).status_code == 403
    assert olga.post("/api/sheet/decisions", json=one, headers={"host": "evil.example"}).status_code == 421
    assert httpx.post(f"{address}api/sheet/decisions", json=one).status_code == 401, "without a session"
    assert grades(boss, pool) == []


def test_a_generated_client_judges_and_submits(
    address: str, boss: psycopg.Connection, pool: str, lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    olga = sign_in(address, "olga")
    call, model = generated_client(
        olga.get("/openapi.json").text, tmp_path, monkeypatch, "client_that_writes", base_url=address, cookies=dict(olga.cookies)
    )
    claimed = call("claim_document", tag="judging", body=model("SheetClaim")(pool=pool, annotator="anna")).document
    one = model("NewDecision")(
        id=uuid4().hex, pool=pool, annotator="anna", token=claimed.token, seen=claimed.changed, rel=1, note="by a program"
    )
    assert call("decide", tag="judging", body=one).rel == 1
    assert grades(boss, pool) == [("anna", claimed.docno, 1, False, "by a program")]
    undone = call("undo_decision", tag="judging", body=model("UndoneDecision")(id=one.id, pool=pool, annotator="anna"))
    assert undone.state == "open"
    from_pairs = call("claim_pair", tag="judging", body=model("SheetClaim")(pool=pool, annotator="anna"))
    assert from_pairs.left.query == from_pairs.query
    assert "nope" in call("claim_document", tag="judging", body=model("SheetClaim")(pool="nope", annotator="a")).error.message
    content = "".join(f"{line}\n" for line in lines[:-35]).encode()

    def file() -> Any:
        return importlib.import_module("client_that_writes.types").File(payload=BytesIO(content))

    checked = call("check_file", tag="uploads", body=file(), file="generated.run")
    assert (checked.kind, checked.run.faults, checked.team) == ("runs", 0, None)
    done = call("store_run", tag="uploads", body=file(), name="generated", team="green")
    assert (done.run, done.team, done.already) == ("generated", "green", False)
    assert boss.execute("SELECT team FROM st1_runs WHERE run = 'generated'").fetchone() == ("green",)

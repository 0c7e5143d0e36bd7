"""The log of the page: each act enters it, no secret does, pages and filters, and only organisers read it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import psycopg
import pytest

from stcollection.db.settings import Settings
from stcollection.explore.access.audit import _DEEDS, Audit
from stcollection.explore.log.view import kinds
from stcollection.qrels.invitations import Invitations
from tests.explore.conftest import serving
from tests.explore.walled import password
from tests.http.test_writing import invited, send, sign_in

RUN = b"D01.1 Q0 2704667702 1 9 red_own\nD01.1 Q0 2859510518 2 8 red_own\n"


@pytest.fixture
def log(tmp_path: Path) -> Audit:
    """A log of 1,000 entries by two people, some longer than a block, with damaged lines."""
    log = Audit(tmp_path / "log")
    for number in range(1000):
        log.event(("anna", "ben")[number % 2], "sql", statement=f"SELECT {number} -- " + "x" * (number % 7 * 500))
        if number % 100 == 0:
            with (tmp_path / "log").open("a") as file:
                file.write('not JSON\n{"time": 1}\n[]\n\n"text"\n')
    return log


def numbers(log: Audit, *, most: int = 7, **given: str) -> list[int]:
    """The numbers of all entries, read page by page."""
    found: list[int] = []
    before = None
    while True:
        page = log.read(before=before, most=most, **given)
        found += [int(entry.details["statement"].split()[1]) for entry in page.entries]
        before = page.before
        if before is None:
            return found


def test_pages_go_from_the_latest_entry_to_the_first(log: Audit) -> None:
    assert numbers(log) == list(range(999, -1, -1))
    assert numbers(log, most=1000) == numbers(log, most=333)
    assert numbers(log, person="anna") == list(range(998, -1, -2))
    assert numbers(log, person="nna") == []
    assert numbers(log, kind="sql", person="ben")[0] == 999
    assert numbers(log, kind="download") == []
    assert log.read(before=10**12).entries[0] == log.read().entries[0]
    middle = log.read(before=(log.read(most=3).before or 0) - 5, most=2).entries  # in the middle of a line
    assert [int(entry.details["statement"].split()[1]) for entry in middle] == [995, 994]


def test_an_empty_log_and_lines_of_earlier_versions(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = Audit(path)
    assert log.read() == ([], None)
    old = {"time": "2026-01-02T03:04:05+00:00", "role": "olga"}
    path.write_text(json.dumps({**old, "annotator": "anna", "pool": "p"}) + "\n" + json.dumps({**old, "edition": "e"}) + "\n")
    assert [(entry.kind, entry.annotator) for entry in log.read().entries] == [("correction", ""), ("judgment", "anna")]


def test_each_kind_of_entry_has_a_text() -> None:
    assert {kind for kind, _ in _DEEDS.values()} <= kinds().keys()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "log.jsonl"


@pytest.fixture(scope="module")
def address(walled: Settings, file: Path) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STC_HOME", str(walled.home))
        yield from serving(walled, "--sign-in", "--audit", str(file))


def entries(client: httpx.Client, **given: str) -> list[tuple[str, str, str, dict[str, object]]]:
    """The entries that a client reads, the first one first."""
    answer = client.get("/log.json", params=given)
    assert answer.status_code == 200, answer.text
    return [(one["kind"], one["role"], one["annotator"], one["details"]) for one in reversed(answer.json()["entries"])]


@pytest.mark.slow
def test_what_people_do_enters_the_log_and_nothing_secret(
    address: str, walled: Settings, boss: psycopg.Connection, file: Path
) -> None:
    olga, petra = sign_in(address, "olga"), sign_in(address, "petra")
    assert httpx.post(f"{address}sign-in", data={"name": "my password", "password": "wrong"}).status_code == 403
    for fields in (
        {"do": "make", "name": "logged", "depth": "2"},
        {"do": "share", "annotators": "anna\nben"},
        {"do": "metadata", "year": "1"},
        {"do": "invite", "annotator": "anna"},
    ):
        assert olga.post("/judging/pools", params={"pool": "logged"}, data=fields).status_code == 200
    assert olga.post("/judging/pools", params={"pool": "logged"}, data={"do": "make", "name": "logged"}).status_code == 400
    token = Invitations(walled.home, walled.db).make("logged", "anna", days=1)
    anna = invited(address, token)
    paper = anna.post("/api/sheet/claim", json={"pool": "logged", "annotator": "anna"}).json()["document"]
    sent = {"token": paper["token"], "query": paper["query"], "key": "2", "scripted": "1", "id": "a" * 10}
    assert anna.post("/judging/press", data=sent).status_code == 200
    marked = {"query": paper["query"], "docno": paper["docno"], "adjudicator": "chair", "review": "in-review"}
    assert olga.post("/judging/disagreements", params={"pool": "logged"}, data=marked).status_code == 303
    assert olga.get("/tables/sql", params={"sql": "SELECT 1 AS one"}).status_code == 200
    assert olga.get("/tables/sql.csv", params={"sql": "ALTER ROLE olga PASSWORD 'hidden word'"}).status_code != 200
    assert petra.get("/tables/documents.csv").status_code == 200
    send(petra, "/api/uploads/run", RUN, name="red_own", team="red", file="mine.run")
    assert petra.post("/sign-out").status_code == 303

    document = {"pool": "logged", "query": paper["query"], "document": paper["docno"]}
    assert entries(olga) == [
        ("signed-in", "olga", "", {}),
        ("signed-in", "petra", "", {}),
        ("sign-in-refused", "", "", {"why": "refused"}),
        ("pool-made", "olga", "", {"pool": "logged"}),
        ("pool-divided", "olga", "", {"pool": "logged", "assessors": ["anna", "ben"]}),
        ("pool-fields", "olga", "", {"pool": "logged", "fields": ["year"]}),
        ("assessor-invited", "olga", "anna", {"pool": "logged"}),
        ("invitation-used", "olga", "anna", {"pool": "logged"}),
        ("judgment", "olga", "anna", {**document, "old": None, "new": 2}),
        ("review", "olga", "chair", {**document, "new": "in-review"}),
        ("sql", "olga", "", {"statement": "SELECT 1 AS one"}),
        ("download", "petra", "", {"path": "/tables/documents.csv"}),
        ("run-stored", "petra", "", {"run": "red_own", "team": "red"}),
        ("signed-out", "petra", "", {}),
    ]
    text = file.read_text()
    for secret in (token, password("olga"), "my password", "hidden word", "127.0.0.1", *olga.cookies.values()):
        assert secret not in text
    assert [kind for kind, *_ in entries(olga, person="petra")] == ["signed-in", "download", "run-stored", "signed-out"]
    assert [annotator for _, _, annotator, _ in entries(olga, person="chair")] == ["chair"]
    assert [details["pool"] for *_, details in entries(olga, kind="pool-made")] == ["logged"]
    page = olga.get("/log", params={"person": "petra", "kind": "run-stored"}).text
    assert "run: red_own; team: red" in page
    assert 'href="/log"' in page
    assert "pool: logged; assessors: anna, ben" in olga.get("/log").text
    rows = list(csv.DictReader(io.StringIO(olga.get("/log.csv", params={"person": "petra"}).text)))
    assert [row["kind"] for row in rows] == ["signed-out", "run-stored", "download", "signed-in"]
    assert json.loads(rows[1]["details"]) == {"run": "red_own", "team": "red"}
    for given in ({"kind": "x"}, {"before": "x"}, {"before": "-1"}):
        assert olga.get("/log", params=given).status_code == 400
        assert olga.get("/log.json", params=given).status_code == 400


@pytest.mark.slow
def test_only_organisers_read_the_log(address: str, walled: Settings, boss: psycopg.Connection) -> None:
    guest = invited(address, Invitations(walled.home, walled.db).make("demo", "anna", days=1))
    for client in (sign_in(address, "petra"), sign_in(address, "rita"), guest):
        assert 'href="/log"' not in client.get("/judging").text
        for path in ("/log", "/log.json", "/log.csv"):
            refused = client.get(path)
            assert refused.status_code in (403, 404)
            assert "signed-in" not in refused.text
    assert httpx.get(f"{address}log.json").status_code == 401


@pytest.mark.slow
def test_a_page_without_a_log_says_how_to_keep_one(explorer: str) -> None:
    page = httpx.get(f"{explorer}log", timeout=60)
    assert page.status_code == 200
    assert "stc serve page --audit FILE" in page.text
    assert 'href="/log"' not in page.text
    assert httpx.get(f"{explorer}log.json", timeout=60).json() == {"entries": [], "before": None}

"""Uploads of topics, judgments and documents: previews, loading in the background with rejects, and who may load."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import Browser, Page, expect
from psycopg.conninfo import make_conninfo

from stcollection.db.connection import conninfo
from stcollection.db.members import add_member, drop_member
from stcollection.db.settings import Settings
from tests.acceptance.conftest import runner
from tests.explore.conftest import Opens, serving
from tests.explore.test_upload import choose, put, upload
from tests.homes import demo_collection

pytestmark = pytest.mark.slow

Open = Callable[[], Page]
PASSWORD = "a long password"  # noqa: S105


@pytest.fixture(scope="module")
def own(server: Settings, made_demo: Callable[[], Path]) -> Iterator[Settings]:
    with demo_collection(server, made_demo, "stc_explore_upload_data") as settings:
        yield settings


@pytest.fixture(scope="module")
def place(own: Settings) -> Iterator[str]:
    yield from serving(own, "--upload-limit", "4")


@pytest.fixture
def tab(opens: Opens, place: str) -> Open:
    return lambda: to_tab(opens(place))


def to_tab(page: Page) -> Page:
    page.set_default_timeout(20_000)
    page.goto("/upload")
    page.locator(".stc-drop").wait_for()
    return page


def corpus(folder: Path, name: str, first: int, count: int, *faulty: str) -> Path:
    records = [
        json.dumps({"_id": f"new{number}", "title": f"Title {number}", "text": "Some text " * 20})
        for number in range(first, first + count)
    ]
    return put(folder, name, [*records, *faulty])


def count(store: psycopg.Connection, pattern: str) -> int:
    [(found,)] = store.execute("SELECT count(*) FROM dblp WHERE docno LIKE %s", [pattern]).fetchall()
    return int(found)


def test_documents_with_rejects(tab: Open, store: psycopg.Connection, tmp_path: Path) -> None:
    page = tab()
    upload(page, corpus(tmp_path, "more.jsonl", 0, 30, '{"title": "no id"}', '{"_id": "new1", "title": "other", "text": "x y"}'))
    page.get_by_text("Read as jsonl: 30 documents, 1 repeated documents, 2 rejects.").wait_for()
    page.get_by_role("row", name="new0 Title 0").wait_for()
    page.get_by_role("row", name="an earlier document has this id").wait_for()
    assert count(store, "new%") == 0
    page.get_by_role("button", name="Load documents").click()
    result = page.locator("#upload-result")
    expect(result).to_contain_text("30 documents loaded; duplicates: 1; rejects: 2.")
    expect(result.get_by_role("row")).to_have_count(3)
    assert count(store, "new%") == 30
    [(path,)] = store.execute("SELECT path FROM stc.corpus_files ORDER BY id DESC LIMIT 1").fetchall()
    assert path == "more.jsonl"


def test_a_load_of_documents_is_cancelled(tab: Open, store: psycopg.Connection, tmp_path: Path) -> None:
    page = tab()
    upload(page, corpus(tmp_path, "long.jsonl", 100_000, 12_000))
    page.get_by_role("button", name="Load documents").wait_for()
    with store.transaction():
        store.execute("LOCK TABLE dblp IN EXCLUSIVE MODE")  # the load waits
        page.get_by_role("button", name="Load documents").click()
        page.get_by_role("button", name="Cancel", exact=True).click()
        expect(page.get_by_label("Progress of the load")).to_be_visible()
    expect(page.locator("#upload-result")).to_contain_text("which stay stored")
    assert 0 < count(store, "new1_____") < 12_000


def test_topics_and_a_conflict(tab: Open, store: psycopg.Connection, tmp_path: Path) -> None:
    page = tab()
    upload(page, put(tmp_path, "queries.tsv", ["N1\tvoice assistants at home", "N2\tgames for learning to program"]))
    page.get_by_text("Read as tsv: 2 queries.").wait_for()
    page.get_by_text("In the collection: 0 of its 2 queries.").wait_for()
    page.get_by_role("button", name="Load topics").click()
    page.get_by_text("2 queries: 2 added.").wait_for()
    upload(page, put(tmp_path, "queries-2.tsv", ["N1\tanother text of the query", "N3\ta third query of this test"]))
    page.get_by_role("alert").filter(has_text="N1").wait_for()
    page.get_by_label("Replace stored queries that differ").check()
    page.get_by_role("button", name="Load topics").click()
    page.get_by_text("2 queries: 1 added, 1 changed.").wait_for()
    assert store.execute("SELECT text FROM st1_queries WHERE query = 'N1'").fetchall() == [("another text of the query",)]
    assert store.execute("SELECT path FROM stc.topic_files ORDER BY path DESC LIMIT 2").fetchall() == [
        ("queries.tsv",),
        ("queries-2.tsv",),
    ]


def test_judgments_of_this_and_of_another_collection(tab: Open, store: psycopg.Connection, tmp_path: Path) -> None:
    page = tab()
    upload(page, put(tmp_path, "foreign.qrels", [f"301 0 FBIS3-{number} {number % 2}" for number in range(40)]))
    page.get_by_text("In the collection: 0 of its 40 documents.").wait_for()
    page.get_by_role("alert").filter(has_text="foreign.qrels: none of its queries is in the topics").wait_for()
    expect(page.get_by_role("button", name="Load judgments")).to_have_count(0)
    docs = [docno for (docno,) in store.execute("SELECT docno FROM dblp WHERE NOT stub ORDER BY id LIMIT 5")]
    upload(page, put(tmp_path, "ours.qrels", [f"D01.1 0 {docno} 1" for docno in docs]))
    page.get_by_text("In the collection: 5 of its 5 documents.").wait_for()
    expect(page.get_by_label("Edition", exact=True)).to_have_value("ours")
    page.get_by_label("Split of a new edition").select_option("test")
    page.get_by_role("button", name="Load judgments").click()
    page.get_by_text("5 judgments on 1 query: 5 added to the edition ours").wait_for()
    assert store.execute("SELECT hidden FROM qrels_editions WHERE edition = 'ours'").fetchall() == [(True,)]
    assert store.execute("SELECT count(*) FROM qrels_editions").fetchall() == [(3,)]  # nothing remains of the previews


def test_an_import_is_cancelled(tab: Open, store: psycopg.Connection, tmp_path: Path) -> None:
    page = tab()
    upload(page, put(tmp_path, "topics-waiting.tsv", ["W1\ta query that waits for a lock", "W2\tanother query that waits"]))
    page.get_by_role("button", name="Load topics").wait_for()
    with store.transaction():
        store.execute("LOCK TABLE st1_queries IN EXCLUSIVE MODE")
        page.get_by_role("button", name="Load topics").click()
        page.get_by_role("button", name="Cancel", exact=True).click()
        page.get_by_text("Cancelled. Nothing was stored.").wait_for()
    assert store.execute("SELECT FROM st1_queries WHERE query LIKE 'W_'").fetchall() == []


def test_two_uploads_at_once(tab: Open, own: Settings, store: psycopg.Connection, tmp_path: Path) -> None:
    lines = runner(own)("runs", "export", "bm25").stdout.splitlines()
    pages = [tab(), tab()]
    for number, page in enumerate(pages):
        upload(page, put(tmp_path, f"both{number}.run", lines[: -50 - number]))
    for number, page in enumerate(pages):
        page.get_by_text(f"✓ both{number}.run").wait_for()
        page.get_by_role("textbox", name="Team").fill("two")
    for page in pages:
        page.get_by_role("button", name="Store run").click()
    for number, page in enumerate(pages):
        page.get_by_text(f"Run both{number} of team two is stored.").wait_for()


def test_an_upload_is_cancelled_and_a_large_file_is_not_sent(tab: Open, tmp_path: Path) -> None:
    page = tab()
    sent: list[str] = []
    page.route("**/upload", lambda route: sent.append(route.request.url))  # never answered
    choose(page, put(tmp_path, "large.run", ["x" * 1000] * 5000))
    page.get_by_role("alert").filter(has_text="large.run has 4.8 MB; at most 4 MB are allowed.").wait_for()
    assert sent == []
    choose(page, put(tmp_path, "small.run", ["x"]))
    page.get_by_role("button", name="Cancel upload").click()
    page.get_by_text("Upload cancelled.").wait_for()


def test_a_file_is_dropped(tab: Open) -> None:
    page = tab()
    data = page.evaluate_handle(
        "() => { const data = new DataTransfer();"
        " data.items.add(new File(['N9\\tsome dropped query of four words\\n'], 'queries-d.tsv')); return data; }"
    )
    page.dispatch_event(".stc-drop", "drop", {"dataTransfer": data})
    page.get_by_role("heading", name="queries-d.tsv: topics").wait_for()


def test_the_kind_is_in_the_address(tab: Open, tmp_path: Path) -> None:
    page = tab()
    page.get_by_label("Kind of file").select_option("judgments")
    page.wait_for_url("**/upload?kind=qrels")
    page.go_back()
    expect(page.get_by_label("Kind of file")).to_have_value("")
    upload(page, put(tmp_path, "list.txt", ["1. the first query", "2. the second query"]))
    page.get_by_role("alert").filter(has_text="list.txt").wait_for()
    page.goto("/?tab=upload&upload=qrels")  # a link of version 0.2
    expect(page.get_by_label("Kind of file")).to_have_value("qrels")
    page.goto("/upload?file=unknown")
    page.get_by_role("alert").filter(has_text="The uploaded file is no longer here.").wait_for()


@pytest.fixture
def member(own: Settings, store: psycopg.Connection, request: pytest.FixtureRequest) -> Iterator[Callable[..., str]]:
    """Serves the page to a new member of the collection; returns its address."""
    served: list[tuple[str, Iterator[str]]] = []

    def serve(kind: str, team: str | None = None) -> str:
        name = f"upload_{kind}"
        add_member(store, name, kind=kind, team=team, password=PASSWORD)  # type: ignore[arg-type]
        dsn = make_conninfo(conninfo(own), user=name, password=PASSWORD)
        address = serving(replace(own, dsn=dsn))
        served.append((name, address))
        return next(address)

    yield serve
    for name, address in served:
        next(address, None)
        drop_member(store, name)


def test_what_members_may_store(member: Callable[..., str], browser: Browser, own: Settings, tmp_path: Path) -> None:
    lines = runner(own)("runs", "export", "bm25").stdout.splitlines()
    run, topics = put(tmp_path, "member.run", lines[:-60]), put(tmp_path, "topics-t.tsv", ["M1\ta query by a member of a team"])
    page = to_tab(browser.new_page(base_url=member("reader")))
    upload(page, run)
    page.get_by_role("row", name="train 16 of 16").wait_for()
    page.get_by_text("Not stored: the role upload_reader of this page may not store runs.").wait_for()
    page = to_tab(browser.new_page(base_url=member("participant", "cyan")))
    upload(page, topics)
    page.get_by_text("may not store documents, topics or judgments").wait_for()
    upload(page, run)
    page.get_by_text("cyan", exact=True).wait_for()
    page.get_by_role("button", name="Store run").click()
    page.get_by_text("Run member of team cyan is stored.").wait_for()

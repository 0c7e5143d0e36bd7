"""Corrections of an edition on the page, with the rights of each role, over the websocket and in a real browser."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import psycopg
import pytest
from playwright.sync_api import Browser, expect

from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.qrels.diff import changes
from stcollection.qrels.editions import editions, seal, verify
from tests.explore.conftest import serving, watched
from tests.explore.walled import password

pytestmark = pytest.mark.slow

WHY = "<img src=x onerror='window.owned=1'> answers it"


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("audit") / "audit.jsonl"


@pytest.fixture(scope="module")
def address(walled: Settings, audit: Path) -> Iterator[str]:
    yield from serving(walled, "--sign-in", "--audit", str(audit))


@pytest.fixture
def olga(walled: Settings) -> Iterator[psycopg.Connection]:
    with open_session(conninfo(walled), autocommit=True) as conn:
        yield conn


def judged(conn: psycopg.Connection, edition: str) -> tuple[str, str]:
    """A query and a document that the edition judges not relevant and some run ranks first."""
    [found] = conn.execute(
        "SELECT j.query, j.docno FROM judgments j JOIN rankings r ON r.query = j.query AND r.doc = j.doc"
        " WHERE j.edition = %s AND j.rel = 0 ORDER BY r.rank, 1, 2 LIMIT 1",
        [edition],
    ).fetchall()
    return found[0], found[1]


def cookie(address: str, name: str) -> str:
    answer = httpx.post(address + "sign-in", data={"name": name, "password": password(name)})
    return answer.headers["set-cookie"].partition(";")[0]


def sent(address: str, name: str, form: dict[str, str]) -> str:
    """Send the form of a correction, also if the page shows none. Return the page."""
    answer = httpx.post(f"{address}judging/corrections", data=form, headers={"Cookie": cookie(address, name)}, timeout=60)
    assert answer.status_code in (200, 400, 403, 404, 409)
    return answer.text


def test_the_server_checks_the_role_and_the_correction(address: str, olga: psycopg.Connection) -> None:
    query, doc = judged(olga, "test")
    before = {one.edition for one in editions(olga)}
    right = {"edition": "test", "query": query, "doc": doc, "rel": "2", "why": WHY}
    for name in ("petra", "rita"):
        answer = sent(address, name, {**right, "keep": "1"})
        assert "Only organisers can correct judgments." in answer
        assert "Right grade" not in answer, "there is no form"
        assert ">Corrections</a>" not in answer
    faults = {
        "There is no query &#x27;Q9&#x27;": {"query": "Q9"},
        "There is no document &#x27;no such&#x27;": {"doc": "no such"},
        "has the grade 0 already": {"rel": "0"},
        "&#x27;1.5&#x27; is not a grade": {"rel": "1.5"},
        "The correction is incomplete.": {"why": " \n"},
        "There is no edition &#x27;tets&#x27;": {"edition": "tets"},
        "not judged in edition &#x27;test&#x27;": {"query": judged(olga, "train")[0]},
    }
    for fault, wrong in faults.items():
        answer = html.unescape(sent(address, "olga", {**right, **wrong}))
        assert html.unescape(fault) in answer, answer
        assert 'role="alert"' in answer
    answer = sent(address, "olga", right)
    assert "&lt;img src=x" in answer
    assert "Create test-v2" in answer
    assert ">Corrections</a>" in answer
    assert {one.edition for one in editions(olga)} == before, "a preview stores nothing"


def test_an_organiser_corrects_a_sealed_and_hidden_edition(
    browser: Browser, address: str, olga: psycopg.Connection, audit: Path
) -> None:
    query, doc = judged(olga, "test")
    sealed = seal(olga, "test")
    with watched(browser, address) as page:
        page.goto("/?tab=judging&panel=corrections")  # a former address
        page.get_by_label("Name").fill("olga")
        page.get_by_label("Password").fill(password("olga"))
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("link", name="Corrections")).to_have_attribute("aria-current", "page")
        panel = page.locator(".stc-judging")
        panel.locator("[name=edition]").first.select_option("test")
        panel.get_by_label("Query", exact=True).fill(query)
        panel.get_by_label("Document", exact=True).fill(doc)
        panel.get_by_label("Right grade").fill("2")
        panel.get_by_role("button", name="Show changes").click()
        expect(panel.get_by_role("alert")).to_contain_text("The correction is incomplete.")
        panel.get_by_label("Reason").fill(WHY)
        panel.get_by_role("button", name="Show changes").click()
        row = panel.get_by_role("table", name="Judgments that change").get_by_role("row").last
        expect(row.get_by_role("cell")).to_have_text([doc, "0", "2", WHY])
        scores = panel.get_by_role("table", name="Scores and ranks that change")
        expect(scores.get_by_role("row").last).to_be_visible()
        assert page.evaluate("window.owned") is None
        panel.get_by_label("Right grade").fill("1")
        panel.get_by_role("button", name="Show changes").click()
        panel.get_by_role("button", name="Create test-v2").click()
        expect(panel.get_by_role("status")).to_contain_text("test-v2 is stored: test with this correction.")
        expect(panel.locator("pre")).to_have_text("stc publish seal test-v2")
    [change] = changes(olga, "test", "test-v2")
    assert change[:5] == (query, doc, "changed", 0, 1)
    assert change.why == WHY
    [line] = [line for line in map(json.loads, audit.read_text().splitlines()) if line.pop("kind") == "correction"]
    assert line.pop("time")
    assert line == {"role": "olga", "edition": "test-v2", "query": query, "document": doc, "old": 0, "new": 1}
    [verified] = verify(olga, "test")
    assert (verified.intact, verified.fingerprint) == (True, sealed.fingerprint)
    for name, may in (("olga", True), ("petra", False), ("rita", False)):
        names = {one["edition"] for one in httpx.get(address + "api/editions", headers={"Cookie": cookie(address, name)}).json()}
        assert ("test-v2" in names) is may

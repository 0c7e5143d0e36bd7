"""A measure and a system that are added while the page runs: routes, their description, the form and the leaderboard."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import psycopg
import pytest
from playwright.sync_api import Browser, expect

from stcollection.db.connection import conninfo
from stcollection.db.settings import Settings
from stcollection.retrieval import SYSTEMS
from stcollection.retrieval.search import search
from stcollection.vectors.model import FOLDERS
from tests.crossencoders import predicted, save
from tests.explore.conftest import serving, watched
from tests.explore.test_memory import children, loaded
from tests.homes import demo_collection

pytestmark = pytest.mark.slow

SYSTEM = """
CREATE SCHEMA mine;
CREATE FUNCTION mine.shortest(query text, k integer, filter jsonb DEFAULT NULL) RETURNS TABLE (doc bigint, score float)
LANGUAGE sql STABLE AS $$
    SELECT t.id, -length(t.title)::float FROM dblp_text t
     WHERE t.title ILIKE '%' || query || '%' AND (filter IS NULL OR t.id = ANY (filter_docs(filter)))
     ORDER BY 2 DESC LIMIT k
$$
"""


@pytest.fixture(scope="module")
def own(server: Settings, made_demo: Callable[[], Path]) -> Iterator[Settings]:
    """A demo collection of this file."""
    with demo_collection(server, made_demo, "stc_explore_own") as settings:
        yield settings


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a cross-encoder, which the page may load."""
    folder = save(tmp_path_factory.mktemp("models") / "random", ("about", "fake", "news", "of", "on", "social", "the", "twitter"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDERS, str(folder.parent))
        yield folder


@pytest.fixture(scope="module")
def address(own: Settings, model: Path) -> Iterator[str]:
    """The page, then the measure Hits and the systems shortest, staged and read."""
    for place in (started.rstrip("/") for started in serving(own)):
        assert httpx.get(f"{place}/api/systems").json() == list(SYSTEMS)
        assert "shortest" not in httpx.get(f"{place}/openapi.json").text
        failed = httpx.get(f"{place}/api/leaderboard", params={"edition": "train", "measure": "Hits@5"})
        assert (failed.status_code, failed.json()["error"]["sqlstate"]) == (404, "IR108")
        with psycopg.connect(conninfo(own), autocommit=True) as conn:
            conn.execute(SYSTEM)
            conn.execute("SELECT add_system('shortest', 'mine.shortest(text, integer, jsonb)', 'shortest title')")
            conn.execute("SELECT add_system('staged', 'bm25 50 >> dense 5')")
            conn.execute("SELECT add_system('read', %s)", [f"bm25 50 >> cross-encoder:{model} 5"])
            conn.execute("SELECT add_measure('Hits', '{hits}', takes => 'cutoff', range => '[0,]')")
        time.sleep(1.1)  # an unknown name makes the page read the measures, but only once in a second
        yield place


@pytest.fixture
def get(address: str) -> Callable[..., Any]:
    """Request an address, and return its answer."""

    def answer(path: str, **asked: Any) -> Any:
        response = httpx.get(f"{address}{path}", params=asked, timeout=60)
        assert response.status_code == 200, response.text
        return response.json()

    return answer


def test_the_description_lists_the_system(get: Callable[..., Any], address: str) -> None:
    listed = {}
    for path, methods in get("/openapi.json")["paths"].items():
        for parameter in methods.get("get", {}).get("parameters", ()):
            if parameter["schema"].get("x-listed-by") == "/api/systems":
                listed[path] = parameter["description"].partition("One of ")[2].rstrip(".").split(", ")
    assert listed.keys() >= {"/api/search", "/api/facets", "/api/why", "/api/search/systems", "/api/articles/{topic}/documents"}
    assert all(names == [*SYSTEMS, "read", "shortest", "staged"] for names in listed.values())
    assert "hybrid, read, shortest, staged" in httpx.get(f"{address}/api").text


def test_routes_search_by_the_system(get: Callable[..., Any], own: Settings) -> None:
    assert get("/api/systems") == [*SYSTEMS, "read", "shortest", "staged"]
    found = get("/api/search", q="fake news", system="shortest", k=3, year="2015..")["documents"]
    with psycopg.connect(conninfo(own)) as conn:
        ours = conn.execute("SELECT docno FROM stc.search_page('fake news', 'shortest', 3, filter => '{\"year\": [2015, null]}')")
        assert [document["docno"] for document in found] == [docno for (docno,) in ours] != []
    beside = get("/api/search/systems", q="news", system=["shortest", "bm25"], k=2)
    assert [document["system"] for document in beside] == ["shortest", "shortest", "bm25", "bm25"]
    assert get("/search/compare.json", q="news", system="shortest", beside="bm25")["systems"] == ["shortest", "bm25"]
    assert get("/api/facets", q="fake news", system="shortest")
    staged = get("/api/search", q="fake news", system="staged", k=8)["documents"]
    with psycopg.connect(conninfo(own)) as conn:
        expected = [document.docno for document in search(conn, "fake news", system="staged", k=8)]
    assert [document["docno"] for document in staged] == expected != []
    assert get("/api/facets", q="fake news", system="staged")
    assert get("/api/why", q="fake news", system="staged", docno=staged[0]["docno"])["stages"] == "bm25 50 >> dense 5"
    assert get("/api/why", q="fake news", system="shortest", docno=found[0]["docno"])["docno"] == found[0]["docno"]


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="reads /proc")
def test_a_cross_encoder_runs_beside_the_page(get: Callable[..., Any], address: str, own: Settings, model: Path) -> None:
    """Routes and the page have the scores of CrossEncoder.predict. If its process is killed, the page starts another one."""
    with psycopg.connect(conninfo(own), autocommit=True) as conn:
        first = [document.doc for document in search(conn, "fake news", system="bm25", k=5)]
        texts: dict[int, str] = dict(conn.execute("SELECT id, concat_ws('. ', title, abstract) FROM dblp_text").fetchall())
        scores = dict(zip(first, predicted(model, "fake news", [texts[doc] for doc in first]), strict=True))
        conn.execute("INSERT INTO st1_topics (topic, article) VALUES ('A1', 'Fake news on Twitter.')")

    def found() -> dict[int, float]:
        return {int(each["docno"]): each["score"] for each in get("/api/search", q="fake news", system="read", k=5)["documents"]}

    assert len({*scores.values()}) > 2
    assert found() == pytest.approx(scores, abs=1e-5)
    shown = httpx.get(f"{address}/search", params={"q": "fake news", "system": "read"}, timeout=60)
    assert shown.status_code == 200
    assert [int(doc) for doc in re.findall(r'id="result-(\d+)"', shown.text)][:5] == [*found()]
    assert len(get("/api/articles/A1/documents", system="read", k=3)["documents"]) == 3
    port = int(address.rpartition(":")[2])
    [page] = [one.pid for one in psutil.Process().children() if port in {each.laddr.port for each in one.net_connections()}]
    apart = [child for child in children(page) if loaded(child)]
    assert (loaded(page), apart != []) == (set(), True)
    for child in apart:
        os.kill(child, signal.SIGKILL)
    failed = httpx.get(f"{address}/api/search", params={"q": "fake news", "system": "read"}, timeout=60)
    assert "ended (code -9)" in failed.json()["error"]["message"]
    assert found() == pytest.approx(scores, abs=1e-5)


def test_routes_score_by_the_measure(get: Callable[..., Any], own: Settings) -> None:
    board = get("/api/leaderboard", edition="train", measure=["Hits@5", "AP"])
    with psycopg.connect(conninfo(own)) as conn:
        ours: dict[str, float] = dict(conn.execute("SELECT run, value FROM mean_scores('{}', 'train', '{Hits@5}')").fetchall())
    assert {run["run"]: run["values"]["Hits@5"] for run in board["runs"]} == pytest.approx(ours)
    pair = {"edition": "train", "run": "bm25", "against": "hybrid", "measure": "Hits@5"}
    assert get("/api/compare", **pair)["by_query"]
    assert {each["measure"] for each in get("/api/comparisons", edition="train", measure="Hits@5")} == {"Hits@5"}
    assert get("/api/significance", edition="train", measure="Hits@5")["runs"]
    assert {each["measure"] for each in get("/api/scores", edition="train", run="bm25", measure="Hits@5")} == {"Hits@5"}


def test_the_page_offers_the_system_and_shows_the_measure(browser: Browser, address: str) -> None:
    with watched(browser, address) as page:
        page.goto("/search?q=fake+news&system=bm25")
        system = page.locator("select[name=system]")
        while not system.locator("option[value=shortest]").count():  # the choices of the form may be ten seconds old
            page.wait_for_timeout(500)
            page.reload()
        system.select_option("shortest")
        page.get_by_role("button", name="Search", exact=True).click()
        page.wait_for_url("**system=shortest**")
        expect(page.get_by_role("main")).to_contain_text("Fake News")
        page.goto("/search?q=fake+news&system=shortest&beside=bm25")
        expect(page.get_by_role("main")).to_contain_text("of 2 systems")
        page.goto("/leaderboard?edition=train&measures=Hits@5")
        expect(page.get_by_role("columnheader", name="Hits@5")).to_be_visible()

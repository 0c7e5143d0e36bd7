"""The views of 'stc serve page' on ACM-CR: first load of each, work and memory of the server, and thirty readers who search.

Each reader searches for new titles from the collection. An interaction is timed from its request to the results.
Three kinds of sessions: people who read (after each search two abstracts, an explanation and a facet), with 1 to 3 seconds between
interactions; searches alone with the same pauses; and searches without pauses. With hybrid, the page's default, and with BM25.
Goals: a p95 of the interactions of people who read under 200 ms, and a first paint under a second. ``STC_BENCH_COLLECTION`` can
name a collection that is already loaded.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import httpx
import psutil  # type: ignore[import-untyped, unused-ignore]
import psycopg
from playwright.sync_api import sync_playwright

from benchmarks.common import collection, data, dsn, server, tell
from stcollection.corpus.load import load
from stcollection.db.settings import Settings, read_settings
from stcollection.explore.views import views
from stcollection.text.index import index as index_text
from stcollection.vectors.index import index as index_vectors
from stcollection.vectors.npy import load_npy

USERS = 30
NEW = 6000  # titles for each session: 100 searches a second
SECONDS = 60.0  # in 20 s, the first searches of all readers, which begin together, are a tenth of the interactions
# Of a large collection a sample of about 200,000 rows, so that the indexes stay in memory.
TITLES = """
SELECT title
  FROM dblp_text TABLESAMPLE SYSTEM ((
       SELECT least(100, 2e7 / greatest(1, c.reltuples)) FROM pg_class c WHERE c.oid = 'dblp_text'::regclass))
 WHERE length(title) BETWEEN 30 AND 90 ORDER BY md5(id::text || %s) LIMIT %s
"""
RESULT = re.compile(r'id="panel-(\d+)"')
PACE = (1.0, 3.0)
SESSIONS = (("search and read", PACE, True), ("searches alone", PACE, False), ("searches without pause", (0.0, 0.0), False))


def main() -> None:
    name = os.environ.get("STC_BENCH_COLLECTION")
    if name:
        measure(replace(read_settings(), db=name))
        return
    folder = data() / "acm-cr"
    with server() as at, collection(at, "bench_explore") as settings:
        load(dsn(settings), [str(folder / "acmcr.dblp-v12.json.zst")])
        with psycopg.connect(dsn(settings), autocommit=True) as conn:
            index_text(conn)
            load_npy(conn, vectors=folder / "abstract_v.f16.npy", ids=folder / "abstract_ids.npy", field="abstract")
            index_vectors(conn, fields=["abstract"])
            conn.execute("VACUUM (ANALYZE) dblp, dblp_v, dblp_text")
        measure(settings)


def measure(settings: Settings, *, users: int = USERS, goal: str = "p95 < 200 ms") -> None:
    """Time searches by readers of a collection's page. :param goal: of the interactions of people who read."""
    with psycopg.connect(dsn(settings), autocommit=True) as conn:
        titles = [title for (title,) in conn.execute(TITLES, [str(time.time()), len(SESSIONS) * 2 * NEW])]
    with running(settings) as address:
        asyncio.run(readers(address, titles[-users:], "hybrid", users=users, seconds=4, pause=(0, 0)))  # warm
        weight(address)
        work(address, titles[:100])
        plain_http(address)
        first_paint(address)
        for system in ("hybrid", "bm25"):
            for how, pause, reading in SESSIONS:
                new, titles = titles[:NEW], titles[NEW:]
                took, failed = asyncio.run(
                    readers(address, new, system, users=users, seconds=SECONDS, pause=pause, reading=reading)
                )
                took.sort()
                rate = f"{len(took) / SECONDS:.1f} per second" + (f", {failed} failed" if failed else "")
                p50, p95 = (1000 * took[min(len(took) - 1, int(share * len(took)))] for share in (0.5, 0.95))
                wanted = goal if reading else ""
                tell(f"{users} readers, {system}, {how}", f"p95 {p95:.0f} ms", f"p50 {p50:.0f} ms; {rate}", None, wanted)
    tell("load of the machine, 1 minute", f"{os.getloadavg()[0]:.1f}", f"{os.cpu_count()} cores")


def plain_http(address: str) -> None:
    """Time requests of the page itself, one after another."""
    took = []
    with httpx.Client() as client:
        for _ in range(50):
            started = time.perf_counter()
            client.get(address).raise_for_status()
            took.append(1000 * (time.perf_counter() - started))
    tell("the page by HTTP", f"{statistics.median(took):.1f} ms", f"slowest {max(took):.1f} ms")


def first_paint(address: str) -> None:
    """Time the first paint of the search tab in a browser, from the start of the navigation. Each time in a new, empty profile."""
    took = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for _ in range(9):
            page = browser.new_page()
            page.goto(f"{address}search")
            page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
            took.append(page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            page.close()
        browser.close()
    tell("first paint, nothing cached", f"{statistics.median(took):.0f} ms", f"slowest {max(took):.0f} ms", None, "< 1 s")


def weight(address: str) -> None:
    """Report requests, size and time of what a browser loads first, with nothing cached."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for what, place in (
            *((view.name, view.name) for view in views()),
            ("a shared link", "search?q=voice+assistants&system=bm25"),
        ):
            page = browser.new_page()
            network = page.context.new_cdp_session(page)
            network.send("Network.enable")
            sizes: list[float] = []
            network.on("Network.loadingFinished", lambda event, sizes=sizes: sizes.append(event["encodedDataLength"]))
            started = time.perf_counter()
            page.goto(f"{address}{place}", wait_until="load")
            took = time.perf_counter() - started
            page.close()
            tell(f"first load of {what}", f"{sum(sizes) / 1000:.0f} KB", f"{len(sizes)} requests", None, "150 KB, 10 requests")
            tell(f"time of the first load of {what}", f"{took:.2f} s", wanted="1 s")
        browser.close()


def work(address: str, titles: Sequence[str]) -> None:
    """Report the processor time of the page's process for a search, and its memory."""
    process = listening(int(address.rstrip("/").rpartition(":")[2]))
    with httpx.Client(base_url=address, timeout=60) as client:
        for system in ("bm25", "hybrid"):
            client.get("/search", params={"q": titles[0], "system": system}).raise_for_status()
            before = process.cpu_times()
            for title in titles:
                client.get("/search", params={"q": title, "system": system}).raise_for_status()
            after = process.cpu_times()
            spent = after.user + after.system - before.user - before.system
            tell(f"processor time of the page for a search, {system}", f"{1000 * spent / len(titles):.1f} ms", wanted="20 ms")
    tell("memory of the page", f"{process.memory_full_info().uss / 2**20:.0f} MB", wanted="120 MB")


def listening(port: int) -> psutil.Process:
    """Return the process of this user that listens on a port."""
    for connection in psutil.net_connections("tcp"):
        if connection.laddr.port == port and connection.status == psutil.CONN_LISTEN and connection.pid:
            return psutil.Process(connection.pid)
    raise LookupError(f"no process of this user listens on port {port}")


async def readers(
    address: str,
    titles: Sequence[str],
    system: str,
    *,
    users: int,
    seconds: float,
    pause: tuple[float, float],
    reading: bool = False,
) -> tuple[list[float], int]:
    """Return the seconds of each interaction of all readers, and the number of those without a result."""
    ready = asyncio.Barrier(users)
    each = [
        reader(address, titles[number::users], system, ready=ready, seconds=seconds, pause=pause, reading=reading)
        for number in range(users)
    ]
    answers = await asyncio.gather(*each)
    return [interaction for took, _ in answers for interaction in took], sum(failed for _, failed in answers)


async def reader(
    address: str,
    titles: Sequence[str],
    system: str,
    *,
    ready: asyncio.Barrier,
    seconds: float,
    pause: tuple[float, float],
    reading: bool,
) -> tuple[list[float], int]:
    took: list[float] = []
    failed = 0
    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        await client.get("/search")
        await ready.wait()  # all pages are open
        until = time.monotonic() + seconds
        await asyncio.sleep(random.uniform(*pause))
        for title in titles:
            docs: list[str] = []
            for place, params, expected in interactions(title, system, docs, reading=reading):
                if time.monotonic() > until:
                    return took, failed
                started = time.perf_counter()
                shown = await results(client, place, params)
                took.append(time.perf_counter() - started)
                failed += expected not in shown or 'class="alert' in shown
                docs[:] = RESULT.findall(shown) or docs
                await asyncio.sleep(random.uniform(*pause))
    return took, failed


async def results(client: httpx.AsyncClient, place: str, params: dict[str, str]) -> str:
    """Return an answer up to its results; facets come after them and nobody waits for them."""
    shown = ""
    async with client.stream("GET", place, params=params, headers={"hx-request": str(place != "/search").lower()}) as answer:
        async for part in answer.aiter_text():
            shown += part
            if "stc-results" in shown and "stc-side" in shown:
                break
    return shown


def interactions(title: str, system: str, docs: list[str], *, reading: bool) -> Iterator[tuple[str, dict[str, str], str]]:
    """Yield the requests of a search and of what a person does with its results, with a part of each answer.

    :param docs: the documents shown; the caller fills it after the search.
    """
    search = {"q": title, "system": system}
    yield "/search", search, "stc-result"
    for what, place, expected in (("abstract", 0, "<p"), ("why", 0, "<h4"), ("abstract", 2, "<p")) if reading else ():
        if place < len(docs):
            yield f"/search/{what}", {**search, "doc": docs[place]}, expected
    if reading:
        yield "/search", {**search, "types": "Journal"}, "stc-found"


@contextmanager
def running(settings: Settings) -> Iterator[str]:
    """Run an explorer on a collection in a separate process, and yield its address."""
    command = [sys.executable, "-m", "stcollection", "--db", settings.db, "serve", "page", "--port", "0"]
    environment = {**os.environ, "STC_HOME": str(settings.home)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        try:
            address = said.split(" at ")[1].split(";")[0]
            httpx.Client(transport=httpx.HTTPTransport(retries=8)).get(address).raise_for_status()  # retry until it is up
            yield address
        finally:
            process.terminate()


if __name__ == "__main__":
    main()

"""Thirty concurrent readers of 'stc explore' on ACM-CR, with sessions like a browser's (Shiny's protocol over a websocket).

Each reader searches for new titles from the collection. An interaction is timed from its message to the message that answers it.
Three kinds of sessions: people who read (after each search two abstracts, an explanation and a facet), with 1 to 3 seconds between
interactions; searches alone with the same pauses; and searches without pauses. With hybrid, the page's default, and with BM25.
Goals: a p95 of the interactions of people who read under 200 ms, and a first paint under a second. ``STC_BENCH_COLLECTION`` can
name a collection that is already loaded.
"""

from __future__ import annotations

import asyncio
import json
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
from itertools import count
from typing import Any

import httpx
import psycopg
from playwright.sync_api import sync_playwright
from websockets.asyncio.client import ClientConnection

from benchmarks.common import collection, data, dsn, server, tell
from benchmarks.page import page_socket, update
from stcollection.corpus.load import load
from stcollection.db.settings import Settings, read_settings
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
SHOWN = ("search-told", "search-shown", "search-counts", "search-active")
RESULT = re.compile(r'id="stc-panel-(\d+)"')
PACE = (1.0, 3.0)
SESSIONS = (("search and read", PACE, True), ("searches alone", PACE, False), ("searches without pause", (0.0, 0.0), False))
NUMBERS = ("first", "last", "grade", "cited")


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
            page.goto(f"{address}?tab=search")
            page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
            took.append(page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            page.close()
        browser.close()
    tell("first paint, nothing cached", f"{statistics.median(took):.0f} ms", f"slowest {max(took):.0f} ms", None, "< 1 s")


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
    done = await asyncio.gather(*each)
    return [one for took, _ in done for one in took], sum(failed for _, failed in done)


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
    async with page_socket(address, opening(system), shown=SHOWN) as socket:
        await receive(socket, idle=True)
        await ready.wait()  # all pages are open
        until = time.monotonic() + seconds
        await asyncio.sleep(random.uniform(*pause))
        for pressed, title in zip(count(1), titles):
            docs: list[str] = []
            for name, wanted in interactions(pressed, title, docs, reading=reading):
                if time.monotonic() > until:
                    return took, failed
                started = time.perf_counter()
                await update(socket, wanted)
                shown = await (receive(socket, idle=False) if name == "search" else filled(socket))
                took.append(time.perf_counter() - started)
                failed += 'class="alert' in shown or (name == "search" and "stc-result" not in shown)
                docs[:] = RESULT.findall(shown) or docs
                await asyncio.sleep(random.uniform(*pause))
    return took, failed


def interactions(pressed: int, title: str, docs: list[str], *, reading: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the inputs of a search and of what a person does with its results.

    :param docs: the documents shown; the caller fills it after the search.
    """
    yield "search", {"search-q": title, "search-go:bslib.taskbutton": {"value": pressed, "autoReset": True}}
    for what, place in (("abstract", 0), ("why", 0), ("abstract", 2)) if reading else ():
        if place < len(docs):
            yield what, {"search-open": {"what": what, "doc": docs[place]}}
    if reading:
        yield "search", {"search-facet": {"facet": "type", "value": "Journal"}}


async def filled(socket: ClientConnection) -> str:
    """Read messages until the panel of a result is filled."""
    while True:
        message = json.loads(await asyncio.wait_for(socket.recv(), 60))
        if "stc-fill" in message.get("custom", {}):
            return str(message["custom"]["stc-fill"]["html"])


def opening(system: str) -> dict[str, Any]:
    """Return the inputs that the page sends when it opens."""
    return {
        "tab": "search", "search-q": "", "search-system": system, "search-k": "20", "search-model": "", "search-venue": "",
        "search-beside": [], "search-stored": "", "search-go:bslib.taskbutton": {"value": 0, "autoReset": True},
        **{f"search-{name}:shiny.number": None for name in NUMBERS},
    }  # fmt: skip


async def receive(socket: ClientConnection, *, idle: bool) -> str:
    """Read messages until results arrive or, if ``idle``, until the page is initialised."""
    while True:
        message = json.loads(await asyncio.wait_for(socket.recv(), 60))
        shown = message.get("values", {}).get("search-shown")
        if not idle and shown:
            return str(shown["html"])
        if "search-shown" in message.get("errors", {}):
            return str(message["errors"])
        if idle and "stc-stored" in json.dumps(message.get("custom", {})):
            return ""


@contextmanager
def running(settings: Settings) -> Iterator[str]:
    """Run an explorer on a collection in a separate process, and yield its address."""
    command = [sys.executable, "-m", "stcollection", "--db", settings.db, "explore", "--port", "0"]
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

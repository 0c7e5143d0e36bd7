"""The explorer on the demo collection, and a real browser that looks at it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import psycopg
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright
from psycopg import sql

from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.qrels.pools import make_pool
from tests.acceptance.conftest import environment
from tests.explore.walled import as_login, walled_demo
from tests.homes import demo_collection

DEMO = "stc_explore_demo"
REFUSED = re.compile("responded with a status of 4(00|04|09)")  # a page that shows an error has its status
Opens = Callable[..., Page]
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def demo(server: Settings, made_demo: Callable[[], Path]) -> Iterator[Settings]:
    """The demo collection, for tests that do not change it."""
    with demo_collection(server, made_demo, DEMO) as settings:
        yield settings


@pytest.fixture
def demo_conn(demo: Settings) -> Iterator[psycopg.Connection]:
    with open_session(conninfo(demo), autocommit=True) as conn:
        yield conn


@pytest.fixture(scope="module")
def empty(server: Settings, admin: psycopg.Connection, template: str, request: pytest.FixtureRequest) -> Iterator[Settings]:
    """A collection without rows, for the tests of one file. The file's fixture ``own`` fills it."""
    name = f"stc_explore_{request.path.stem.removeprefix('test_')}"
    admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
    admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template)))
    yield replace(server, db=name)
    admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def store(own: Settings) -> Iterator[psycopg.Connection]:
    """A connection to the collection of the file."""
    with open_session(conninfo(own), autocommit=True) as conn:
        yield conn


@pytest.fixture
def pool(store: psycopg.Connection, request: pytest.FixtureRequest) -> str:
    """A pool of the collection of the file, for one test."""
    name = str(request.node.name).removeprefix("test_")
    make_pool(store, name)
    return name


def started(settings: Settings, *options: str) -> tuple[subprocess.Popen[str], str]:
    """Start ``stc serve page`` in a separate process, which listens before it prints its address. Return both."""
    process = subprocess.Popen(
        [sys.executable, "-m", "stcollection", "serve", "page", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment(settings),
        text=True,
    )
    assert process.stdout is not None
    said = process.stdout.readline()
    assert "http://" in said, said + process.stdout.read()
    return process, said.split(" at ")[1].split(";")[0]


def serving(settings: Settings, *options: str) -> Iterator[str]:
    """The address of ``stc serve page`` on a collection."""
    process, address = started(settings, "--port", "0", *options)
    yield address
    process.terminate()
    assert process.wait(timeout=90) == 0  # it may be loading a model


@contextmanager
def served(settings: Settings, port: int) -> Iterator[subprocess.Popen[str]]:
    """``stc serve page`` on a chosen port, so that it can be stopped and started again."""
    process, _ = started(settings, "--port", str(port))
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="session")
def explorer(demo: Settings) -> Iterator[str]:
    """The address of ``stc serve page`` on the demo."""
    yield from serving(demo)


@pytest.fixture(scope="module")
def address(own: Settings) -> Iterator[str]:
    """The address of ``stc serve page`` on the collection of the file."""
    yield from serving(own)


@pytest.fixture
def client(explorer: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=explorer, timeout=120) as client:
        yield client


def computed(client: httpx.Client, path: str) -> str:
    """The page of what is computed in the background. The first one of a process waits for scikit-learn to be imported."""
    for _ in range(200):
        html = client.get(path).text
        if "stc-waiting" not in html:
            return html
        time.sleep(0.3)
    raise AssertionError(html)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's chromium. Not for the whole session: Playwright keeps a loop running, beside which no other can run."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        if os.environ.get("CI"):
            pytest.fail("there is no chromium; CI must have one: 'make test' installs Debian's where it may")
        pytest.skip("chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        browser.close()


def _listen(page: Page, complaints: list[str], *, console: bool = True) -> None:
    """Collect the errors of a page. :param console: also those that are only in the console."""
    page.on("pageerror", lambda error: complaints.append(str(error)))

    def complain(message: ConsoleMessage) -> None:
        if message.type == "error" and not REFUSED.search(message.text):
            complaints.append(message.text)

    if console:
        page.on("console", complain)


@contextmanager
def watched(browser: Browser, address: str, *, timeout: float = 20_000) -> Iterator[Page]:
    """Open a page; an error in the browser fails the test when it is closed. :param timeout: milliseconds."""
    page = browser.new_page(viewport={"width": 1200, "height": 900}, base_url=address)
    page.set_default_timeout(timeout)
    complaints: list[str] = []
    _listen(page, complaints)
    yield page
    page.close()
    assert complaints == []


@pytest.fixture
def opens(browser: Browser) -> Iterator[Opens]:
    """Opens pages, each in a separate browser context; an error in one of them fails the test."""
    complaints: list[str] = []
    contexts = []

    def opened(
        address: str, width: int = 1200, height: int = 900, *, locale: str = "en-US", timeout: float = 20_000, console: bool = True
    ) -> Page:
        context = browser.new_context(base_url=address, viewport={"width": width, "height": height}, locale=locale)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(timeout)
        _listen(page, complaints, console=console)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def page(browser: Browser, explorer: str) -> Iterator[Page]:
    """A new page of the explorer at the collection; an error in the browser fails the test."""
    with watched(browser, explorer) as page:
        page.goto("/collection")
        yield page


@pytest.fixture(scope="module")
def walled(made_demo: Callable[[], Path]) -> Iterator[Settings]:
    """The demo on a server that requires passwords, with the edition test hidden."""
    with walled_demo(made_demo) as settings:
        with open_session(conninfo(as_login(settings, "boss"))) as conn:
            conn.execute("SELECT stc.hide_edition('test')")
        yield settings


@pytest.fixture(scope="module")
def signed(walled: Settings) -> Iterator[str]:
    """The address of ``stc serve page`` with sign-in, which takes invitations made with the same home folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STC_HOME", str(walled.home))
        yield from serving(walled, "--sign-in")


@pytest.fixture
def boss(walled: Settings) -> Iterator[psycopg.Connection]:
    """A connection of the superuser to the walled demo."""
    with open_session(conninfo(as_login(walled, "boss")), autocommit=True) as conn:
        yield conn

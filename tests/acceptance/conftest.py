"""The command as a user runs it, on the session's server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

import psycopg
import pytest

from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from tests.at_once import background
from tests.homes import demo_collection
from tests.in_process import in_new_words, run_in_process, runs_in_process

DEMO = "stc_demo"


class Stc(Protocol):
    def __call__(
        self, *arguments: str | Path, stdin: bytes | None = None, db: str | None = None
    ) -> subprocess.CompletedProcess[str]: ...


def environment(settings: Settings) -> dict[str, str]:
    env = {**os.environ, "STC_DB": settings.db, "PYTHONUNBUFFERED": "1"}
    if settings.dsn is None:
        env["STC_HOME"] = str(settings.home)
    else:
        env["STC_DSN"] = settings.dsn
    return env


def runner(settings: Settings, *, timeout: float = 300, env: Mapping[str, str] | None = None) -> Stc:
    """``stc`` on a collection: in the process of the tests, where the command can run there.

    :param env: further environment variables.
    """
    variables = {**environment(settings), **(env or {})}

    def stc(*arguments: str | Path, stdin: bytes | None = None, db: str | None = None) -> subprocess.CompletedProcess[str]:
        words = in_new_words([*(["--db", db] if db else []), *map(str, arguments)])
        if runs_in_process(*words):
            return run_in_process(*words, environment=variables, stdin=stdin)
        done = subprocess.run(
            [sys.executable, "-m", "stcollection", *words],
            input=stdin,
            capture_output=True,
            env=variables,
            timeout=timeout,
            check=False,
        )
        return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())

    return stc


@pytest.fixture
def stc(settings: Settings) -> Stc:
    """``stc`` on an empty collection of the test's own."""
    return runner(settings)


@pytest.fixture(scope="session")
def demo(server: Settings, made_demo: Callable[[], Path]) -> Iterator[Settings]:
    """A demo collection, made by ``stc demo``."""
    with demo_collection(server, made_demo, DEMO) as settings:
        yield settings


@pytest.fixture(scope="session")
def on_demo(demo: Settings) -> Stc:
    """``stc`` on the demo, for tests that do not change it."""
    return runner(demo)


@pytest.fixture
def demo_conn(demo: Settings) -> Iterator[psycopg.Connection]:
    with open_session(conninfo(demo), autocommit=True) as conn:
        yield conn


def interrupt(settings: Settings, *arguments: str | Path, after: float) -> subprocess.CompletedProcess[str]:
    """Run ``stc`` and press ctrl-C after some seconds, as a terminal does: to every process of its group."""
    process = background(*map(str, arguments), env=environment(settings))
    time.sleep(after)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)

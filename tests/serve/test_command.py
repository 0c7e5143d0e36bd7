"""stc serve as a user runs it: two terminals, one with the service, one with SQL."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import httpx
import psycopg
import pytest

from stcollection.db.settings import Settings
from stcollection.web.sockets import listen
from tests.acceptance.conftest import environment, runner
from tests.text.documents import build, put

pytestmark = [pytest.mark.slow, pytest.mark.long]


@contextmanager
def serve(settings: Settings, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """A running ``stc serve embeddings`` on a free port, and what it has printed until it was ready."""
    command = [sys.executable, "-m", "stcollection", "serve", "embeddings", "--port", "0", *arguments]
    with subprocess.Popen(
        command, env=environment(settings), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as process:
        try:
            assert process.stdout is not None
            lines = []
            for line in process.stdout:
                lines.append(line)
                if line.startswith("ready"):
                    break
            else:
                pytest.fail("".join(lines))
            yield process, lines
        finally:
            process.kill()


def base(lines: list[str]) -> str:
    found = re.search(r"listening on (http://\S+)/v1/embeddings", "".join(lines))
    assert found
    return found[1]


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_two_terminals(settings: Settings, conn: psycopg.Connection, end: signal.Signals) -> None:
    if conn.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'http'").fetchone() is None:
        pytest.skip("this server has no pgsql-http")
    put(conn, {1: ("Gene editing and its ethics", None), 2: ("Voice assistants", None)})
    build(conn, "portable")
    assert runner(settings)("vectors", "embed").returncode == 0
    with serve(settings) as (process, lines):
        url = base(lines)
        assert url.startswith("http://127.0.0.1:")
        assert f"registered with the collection '{settings.db}' at {url}\n" in lines
        assert conn.execute("SELECT doc FROM hybrid_search('genome modification morals', 1)").fetchall() == [(1,)]
        assert httpx.get(f"{url}/health").json() == {"status": "ok", "models": ["minilm"]}
        process.send_signal(end)
        rest, _ = process.communicate(timeout=60)
        assert (process.returncode, rest) == (0, "stopped\n")
    with pytest.raises(psycopg.Error, match="does not answer") as error:
        conn.execute("SELECT embed_query('a query of nobody')")
    assert error.value.sqlstate == "IR406"
    assert "stc serve embeddings" in str(error.value.diag.message_hint)


def test_without_a_collection(settings: Settings) -> None:
    with serve(replace(settings, db="no_such_collection"), "--no-register", "--host", "0.0.0.0", "--max-chars", "5") as (_, lines):  # noqa: S104
        assert "warning: other machines can reach 0.0.0.0" in "".join(lines)
        url = base(lines)
        answer = httpx.post(f"{url}/v1/embeddings", json={"model": "all-MiniLM-L6-v2", "input": "voice"})
        assert answer.json()["error"]["code"] == "model_not_found"
        long = httpx.post(f"{url}/v1/embeddings", json={"model": "minilm", "input": "voices"})
        assert long.json()["error"]["code"] == "text_too_long"
        right = httpx.post(f"{url}/v1/embeddings", json={"model": "sentence-transformers/all-MiniLM-L6-v2", "input": "voice"})
        assert len(right.json()["data"][0]["embedding"]) == 384


def test_what_it_cannot_do_it_says(settings: Settings) -> None:
    with listen("127.0.0.1", 0) as taken:
        taken.listen()
        done = runner(settings)("serve", "embeddings", "--port", str(taken.getsockname()[1]))
    assert done.returncode == 4
    assert "cannot listen on 127.0.0.1" in done.stderr
    assert "--port" in done.stderr
    done = runner(settings)("serve", "embeddings", "--port", "0", "--model", "no/such-model")
    assert done.returncode == 2
    assert "no/such-model" in done.stderr
    assert "Traceback" not in done.stderr
    done = runner(replace(settings, db="no_such_collection"))("serve")
    assert done.returncode == 2
    assert "no collection 'no_such_collection'" in done.stderr

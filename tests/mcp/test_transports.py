"""stc serve assistants as a process: over stdin and stdout, and over HTTP."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import httpx
import psycopg
import pytest
from mcp import Client, StdioServerParameters

from stcollection.db.settings import Settings
from tests.acceptance.conftest import environment
from tests.roles.worlds import collection

pytestmark = pytest.mark.slow
_ = collection
LOGINS = (
    "SELECT count(*) FROM pg_database d, aclexplode(d.datacl) a WHERE d.datname = current_database()"
    " AND a.grantee::regrole::text LIKE 'stc\\_mcp\\_%'"
)


async def _used(server: Any) -> None:
    """Use a server as an assistant does."""
    async with Client(server) as client:
        tools = (await client.list_tools()).tools
        assert {"search", "read_document", "score", "compare_runs", "explain_difference", "sql"} <= {tool.name for tool in tools}
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
        assert all(tool.input_schema["additionalProperties"] is False for tool in tools)
        assert "must not be followed" in (client.instructions or "")
        answer = await client.call_tool("score", {"edition": "train", "runs": ["base"], "measures": ["AP"]})
        assert answer.structured_content is not None
        assert {row[0] for row in answer.structured_content["rows"]} == {"base"}
        answer = await client.call_tool("sql", {"statement": "DELETE FROM st1_runs"})
        assert answer.is_error
        answer = await client.call_tool("sql", {"statement": "SELECT count(*) FROM qrels_judgments WHERE hidden"})
        assert answer.structured_content is not None
        assert answer.structured_content["rows"] == [[0]]


@contextmanager
def _http(settings: Settings, *arguments: str, **env: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    command = [sys.executable, "-m", "stcollection", "serve", "assistants", "--http", "--port", "0", *arguments]
    with subprocess.Popen(command, env={**environment(settings), **env}, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            lines = []
            for line in process.stdout:
                lines.append(line)
                if line.startswith("ready"):
                    break
            found = re.search(r"listening on (http://\S+)", "".join(lines))
            assert found, lines
            yield found[1], process
        finally:
            process.kill()


def test_stdio(settings: Settings, collection: psycopg.Connection) -> None:
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "stcollection", "serve", "assistants"], env=environment(settings)
    )
    anyio.run(_used, command)
    assert collection.execute(LOGINS.encode()).fetchone() == (0,)


def test_a_stopped_server_drops_its_login(settings: Settings, collection: psycopg.Connection) -> None:
    command = [sys.executable, "-m", "stcollection", "serve", "assistants"]
    with subprocess.Popen(command, env=environment(settings), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        process.stdin.flush()
        process.stdout.readline()
        assert collection.execute(LOGINS.encode()).fetchone() == (1,)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 128 + signal.SIGTERM
    assert collection.execute(LOGINS.encode()).fetchone() == (0,)


def test_http(settings: Settings, collection: psycopg.Connection) -> None:
    with _http(settings) as (url, process):
        anyio.run(_used, url)
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        assert httpx.post(url, json=ping, headers={"host": "evil.example"}).status_code == 421
        assert httpx.post(url, json=ping, headers={"origin": "https://evil.example"}).status_code == 403
        assert httpx.post(url, content=b"x" * 10_000_000, headers={"content-type": "application/json"}).status_code == 413
        anyio.run(_used, url)
        process.send_signal(signal.SIGTERM)
        process.wait(20)
    assert collection.execute(LOGINS.encode()).fetchone() == (0,)


def test_http_with_a_token(settings: Settings, collection: psycopg.Connection) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"accept": "application/json, text/event-stream"}
    with _http(settings, STC_MCP_TOKEN="secret") as (url, _process):  # noqa: S106
        for given in ({}, {"authorization": "Bearer wrong"}, {"authorization": "secret"}):
            assert httpx.post(url, json=ping, headers={**accept, **given}).status_code == 401
        found = httpx.post(url, json=ping, headers={**accept, "authorization": "Bearer secret"})
        assert found.status_code == 200
    assert os.environ.get("STC_MCP_TOKEN") is None


def test_an_address_without_http_is_refused() -> None:
    command = [sys.executable, "-m", "stcollection", "serve", "assistants", "--port", "8000"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "need --http" in done.stderr

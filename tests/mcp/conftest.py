"""Assistants of a collection with an open edition (train) and a hidden one (test)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import anyio
import psycopg
import pytest
from mcp import Client

from stcollection.db.settings import Settings
from stcollection.mcp import AnswerLimits
from stcollection.mcp.answers import LimitedReader
from stcollection.mcp.login import reader_login
from stcollection.mcp.tools import CollectionServer, make_server
from tests.roles.worlds import login  # noqa: F401

Call = Callable[..., tuple[bool, str, dict[str, Any]]]


@pytest.fixture
def reader(settings: Settings, collection: psycopg.Connection) -> Iterator[LimitedReader]:
    """Queries with the rights of a reader, limited to a second and 100 rows."""
    limits = AnswerLimits(rows=100, size=50_000, seconds=1)
    with reader_login(settings, limits) as where:
        yield LimitedReader(where, limits)


@pytest.fixture
def call(reader: LimitedReader) -> Call:
    """Call a tool through the package's client. Returns whether it is an error, its text, and its structured answer."""
    return answers(make_server(reader, title="t"))


def answers(server: CollectionServer) -> Call:
    """Return a function that calls a tool of a server, as the fixture ``call``."""

    def call(tool: str, **arguments: Any) -> tuple[bool, str, dict[str, Any]]:
        async def one() -> Any:
            async with Client(server) as client:
                return await client.call_tool(tool, arguments)

        answer = anyio.run(one)
        return bool(answer.is_error), answer.content[0].text, answer.structured_content or {}

    return call

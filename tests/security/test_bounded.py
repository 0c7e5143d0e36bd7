"""Every function, route and tool ends within its time with a result or an error that names the fault, whatever it is given.

``make long`` tries all values, CI a quarter of them in each run.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import anyio
import psycopg
import pytest
from mcp import Client
from psycopg.pq import TransactionStatus

from stcollection.db.connection import conninfo
from stcollection.mcp import AnswerLimits
from stcollection.mcp.answers import LimitedReader
from stcollection.mcp.login import reader_login
from stcollection.mcp.tools import make_server
from stcollection.site.app import make_app
from stcollection.web.desk import Desk
from tests.examples import draw
from tests.security.model.arguments import Call, hostile_calls, huge_calls, make_huge
from tests.security.model.routes import HUGE, NAMES, Sent, described, running
from tests.security.model.walls import Walls

pytestmark = pytest.mark.long

# Errors that name a fault: ours; data, keys, rights and syntax, resources, limits; features, transactions, schemas, states.
CLEAN = ("IR", "22", "23", "42", "53", "54", "0A", "3F", "55")
TIMEOUT = "57014"
_SECONDS = 2
_MILLISECONDS = 500
_SHOWN = 15
Property = Callable[[str, object], None]


@pytest.fixture(scope="module")
def database(walls: Walls) -> str:
    return walls.copy()


def outcome(conn: psycopg.Connection, call: Call) -> str:
    """The SQLSTATE of a call, or 00000. Its transaction is rolled back."""
    try:
        conn.execute("BEGIN")
        if call.routine.kind == "f":
            conn.execute(f"DECLARE rows CURSOR FOR {call.statement}".encode())
            conn.execute("FETCH 1000 FROM rows")  # not read here: psycopg has its own limits
        else:
            conn.execute(call.statement.encode())
        return "00000"
    except psycopg.Error as error:
        return error.sqlstate or f"no SQLSTATE: {error}"
    finally:
        while not conn.closed and conn.info.transaction_status != TransactionStatus.IDLE:
            with suppress(psycopg.errors.QueryCanceled):  # the time ended as the statement did
                conn.execute("ROLLBACK")


def test_every_function_ends_with_a_result_or_a_clean_error(walls: Walls, database: str, record_property: Property) -> None:
    calls = draw(call for one in walls.catalogue.callable for call in (*hostile_calls(one), *huge_calls(one)))
    with walls.connect(database) as conn:
        started = conn.execute("SELECT pg_postmaster_start_time()").fetchone()

    def attack(role: str, part: int) -> tuple[Counter[str], list[str]]:
        states: Counter[str] = Counter()
        routes: list[str] = []
        with walls.connect(database, role) as conn:
            make_huge(conn, walls.catalogue)
            conn.execute(f"SET statement_timeout = {_MILLISECONDS}".encode())
            for call in calls[part::2]:
                state = outcome(conn, call)
                states[state] += 1
                if conn.closed:
                    return states, [*routes, f"{role}: {call.mood}: {call.statement[:300]}\n    ends the session: {state}"]
                if state not in ("00000", TIMEOUT) and not state.startswith(CLEAN):
                    routes.append(f"{role}: {call.mood}: {call.statement[:300]}\n    {state}")
        return states, routes

    with ThreadPoolExecutor(2) as threads:
        done = list(threads.map(attack, ["participant", "organiser"], [0, 1]))
    states = done[0][0] + done[1][0]
    size = f"{len(walls.catalogue.callable)} functions, {len(calls)} calls: {dict(states.most_common(12))}"
    record_property("functions", size)
    print(f"\n{size}")
    report(route for _, routes in done for route in routes)
    with walls.connect(database) as conn:
        assert conn.execute("SELECT pg_postmaster_start_time()").fetchone() == started, "the server crashed"


def report(found: Iterator[str]) -> None:
    routes = sorted(set(found), key=len)
    assert not routes, f"{len(routes)} faults, among them\n" + "\n".join(routes[:_SHOWN])


def requests_of(openapi: dict[str, Any]) -> list[Sent]:
    return draw(described(openapi))


@pytest.mark.parametrize("role", ["participant", "organiser"])
def test_every_route_ends_without_a_fault_of_ours(walls: Walls, database: str, role: str, record_property: Property) -> None:
    settings = walls.settings(database, role)
    app = make_app(Desk(conninfo(settings), role=walls.logins[role], seconds=_SECONDS), title="model")

    async def attack() -> tuple[int, int, Counter[int], list[str]]:
        statuses: Counter[int] = Counter()
        routes = []
        async with running(app) as client:
            openapi = (await client.get("/openapi.json")).json()
            sent = requests_of(openapi)
            for one in sent:
                headers = {"content-type": one.kind} if one.body is not None else {}
                answer = await client.request(one.method, one.path, params=one.query, content=one.body, headers=headers)
                statuses[answer.status_code] += 1
                if answer.status_code == 500 or answer.status_code < 100:
                    routes.append(f"{role}: {one.name}\n    {answer.status_code} {answer.text[:300]}")
        return len(openapi["paths"]), len(sent), statuses, routes

    paths, sent, statuses, routes = asyncio.run(attack())
    size = f"{paths} routes, {sent} requests: {dict(statuses.most_common(8))}"
    record_property(role, size)
    print(f"\n{role}: {size}")
    report(iter(routes))


def test_every_tool_ends_with_an_answer_or_an_error(walls: Walls, database: str, record_property: Property) -> None:
    limits = AnswerLimits(rows=100, size=50_000, seconds=_SECONDS)
    with reader_login(walls.settings(database), limits) as where:
        server = make_server(LimitedReader(where, limits), title="model")

        async def attack() -> tuple[int, int, list[str]]:
            routes, calls = [], 0
            async with Client(server) as client:
                tools = (await client.list_tools()).tools
                for tool in tools:
                    for name, arguments in draw(tool_arguments(tool.input_schema)):
                        calls += 1
                        answer = await client.call_tool(tool.name, arguments)
                        text = str(getattr(answer.content[0], "text", "")) if answer.content else ""
                        if len(text) > 2 * limits.size or "Traceback" in text or "Internal" in text:
                            routes.append(f"{tool.name}: {name}\n    {text[:300]}")
            return len(tools), calls, routes

        tools, calls, routes = anyio.run(attack)
    size = f"{tools} tools, {calls} calls"
    record_property("tools", size)
    print(f"\n{size}")
    report(iter(routes))


def tool_arguments(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Typical arguments of a tool, and each huge value of each of them."""
    fields = schema.get("properties", {})
    required = {name: NAMES.get(name, "x") for name in schema.get("required", [])}
    yield "typical", required
    for name, field in fields.items():
        kinds = [one.get("type") for one in field.get("anyOf", [field])]
        for kind in kinds:
            for number, value in enumerate(HUGE.get(kind or "string", ())):
                yield f"huge {name} {number}", {**required, name: value}

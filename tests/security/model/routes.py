"""Requests to the explorer and calls of the assistants' tools, made from their own descriptions."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
from starlette.types import ASGIApp, Message

# A value by name of the parameter, of what is hidden and of another team.
NAMES: Mapping[str, Any] = {
    "edition": "test", "run": "blue1", "against": "base", "query": "b1", "doc": "d431", "docno": "d431", "pool": "x", "set": "set2",
    "q": "paper", "measure": "nDCG@10", "statement": "SELECT count(*) FROM qrels_judgments", "text": "paper", "system": "boolean",
    "annotator": "x", "index": "stvir_test", "statements": "SELECT 1",
}  # fmt: skip
NESTED = '{"a":' * 10_000 + "1" + "}" * 10_000
HUGE: Mapping[str, Sequence[Any]] = {
    "integer": (10**9, -(10**9), 2**63, 0),
    "number": (1e308, -1.0, 1e-308),
    "string": ("x" * 10_000_000, "", "(" * 10_000, "NaN", "\u202e\x1b[2J"),
    "boolean": ("maybe",),
    "array": (["x"] * 100_000, []),
    "object": ({"a": {"b": ["x"] * 100_000}}, {}),
}


class Sent(NamedTuple):
    """A request. :param name: short, for reports."""

    name: str
    method: str
    path: str
    query: dict[str, str]
    body: bytes | None
    kind: str = "application/json"


def _resolved(schema: Any, whole: Mapping[str, Any]) -> Any:
    while isinstance(schema, dict) and "$ref" in schema:
        target: Any = whole
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        schema = target
    return schema


def _kind(schema: Any, whole: Mapping[str, Any]) -> str:
    schema = _resolved(schema, whole)
    for one in schema.get("anyOf", [schema]):
        kind = _resolved(one, whole).get("type")
        if kind and kind != "null":
            return str(kind)
    return "string"


def typical(name: str, schema: Any, whole: Mapping[str, Any]) -> Any:
    """A value for a parameter or a field of a body."""
    schema = _resolved(schema, whole)
    if schema.get("enum"):
        return schema["enum"][0]
    kind = _kind(schema, whole)
    if kind == "array":
        return [NAMES.get(name.removesuffix("s"), "x")]
    if kind == "object":
        return {
            key: typical(key, one, whole) for key, one in schema.get("properties", {}).items() if key in schema.get("required", [])
        }
    return NAMES.get(name, {"integer": 5, "number": 0.5, "boolean": True}.get(kind, "x"))


def described(openapi: Mapping[str, Any]) -> Iterator[Sent]:
    """A typical request for each operation, and one for each huge value of each parameter and field."""
    for path, operations in openapi["paths"].items():
        for method, operation in operations.items():
            parameters = [_resolved(one, openapi) for one in operation.get("parameters", [])]
            given = {one["name"]: typical(one["name"], one["schema"], openapi) for one in parameters if one.get("required")}
            content = _resolved(operation.get("requestBody", {}), openapi).get("content", {})
            schema = _resolved(content.get("application/json", {}).get("schema", {}), openapi)
            body = typical("body", schema, openapi) if content else None
            yield _sent("typical", method, path, parameters, given, body)
            for one in parameters:
                for number, value in enumerate(HUGE[_kind(one["schema"], openapi)]):
                    yield _sent(f"huge {one['name']} {number}", method, path, parameters, {**given, one["name"]: value}, body)
            if content:
                for field, one in schema.get("properties", {}).items():
                    for number, value in enumerate(HUGE[_kind(one, openapi)]):
                        yield _sent(f"huge {field} {number}", method, path, parameters, given, {**(body or {}), field: value})
                for name, raw in (
                    ("nested", NESTED.encode()),
                    ("no JSON", b"{"),
                    ("NaN", b'{"a": NaN}'),
                    ("bytes", b"\xff\xfe\x00"),
                ):
                    yield _sent(name, method, path, parameters, given, raw)


def _sent(name: str, method: str, path: str, parameters: Sequence[Mapping[str, Any]], given: Mapping[str, Any], body: Any) -> Sent:
    query = {}
    for one in parameters:
        value = given.get(one["name"])
        if value is None:
            continue
        text = value if isinstance(value, str) else json.dumps(value)
        if one["in"] == "path":
            path = path.replace("{" + one["name"] + "}", quote(text[:5_000], safe=""))
        elif one["in"] == "query":
            query[one["name"]] = text[:10_000]
    raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    return Sent(f"{method.upper()} {path[:120]}: {name}", method.upper(), path, query, raw)


@contextlib.asynccontextmanager
async def running(app: ASGIApp) -> AsyncIterator[httpx.AsyncClient]:
    """Start an application in this process and yield a client of it."""
    told: asyncio.Queue[Message] = asyncio.Queue()
    heard: asyncio.Queue[Message] = asyncio.Queue()

    async def live() -> None:
        await app({"type": "lifespan", "asgi": {"version": "3.0"}}, told.get, heard.put)

    task = asyncio.create_task(live())
    await told.put({"type": "lifespan.startup"})
    assert (await heard.get())["type"] == "lifespan.startup.complete"
    try:
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=60) as client:
            yield client
    finally:
        await told.put({"type": "lifespan.shutdown"})
        await task

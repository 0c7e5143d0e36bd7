"""Routes that change something: limits on the body of a request, and its type."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import orjson
from fastapi import HTTPException, Request, Response
from fastapi.routing import APIRoute
from starlette.requests import ClientDisconnect
from starlette.types import Message

from stcollection.http.limits import BODY, unreadable
from stcollection.web.guard import media_type
from stcollection.web.uploads.endpoint import drain
from stcollection.web.uploads.files import UploadRefused

_SECONDS = 10.0  # for a body of JSON
_JSON = "application/json"


class JsonRoute(APIRoute):
    """A route whose body is a JSON object of limited size.

    It requires the header ``Content-Type: application/json``, which a form of another web page cannot send.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def limited(request: Request) -> Response:
            try:
                body = await _read(request) if request.method == "POST" else b""
            except UploadRefused:
                await drain(request)
                raise

            async def replayed() -> Message:
                return {"type": "http.request", "body": body, "more_body": False}

            try:
                return await handler(Request(request.scope, replayed))
            except HTTPException as error:  # FastAPI's, for a body that it cannot parse
                raise unreadable(f"the body cannot be read: {error.detail}", "See /api for its fields.") from error

        return limited


async def _read(request: Request) -> bytes:
    """Return the body. :raises StcError: it is not JSON, too long, or too slow."""
    kind = media_type(request.headers)
    if kind != _JSON:
        raise UploadRefused(415, f"the body has the type {kind[:80] or 'none'!r}", f"Send it as {_JSON}.")
    read = bytearray()
    try:
        async with asyncio.timeout(_SECONDS):
            async for part in request.stream():
                read += part
                if len(read) > BODY:
                    raise UploadRefused(413, f"the body has more than {BODY:,} bytes", "Shorten it.")
    except TimeoutError:
        raise UploadRefused(408, f"the body took longer than {_SECONDS:.0f} seconds", "Send it at once.") from None
    except ClientDisconnect:
        raise UploadRefused(400, "the body is incomplete", "Send it again.") from None
    try:
        found = orjson.loads(read)
    except orjson.JSONDecodeError as error:
        raise unreadable(f"the body is not JSON: {error}", "See /api for its fields.") from error
    if not isinstance(found, dict):
        raise unreadable("the body is not a JSON object", "See /api for its fields.")
    return bytes(read)

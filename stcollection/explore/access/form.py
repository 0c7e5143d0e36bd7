"""Read a small HTML form from a request, within limits of size and time."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.types import Receive, Scope

from stcollection.counts import counted
from stcollection.web.guard import media_type

_LONGEST = 8192  # bytes
_LONGEST_JSON = 2**20
_SECONDS = 10.0
_FIELDS = 8
_TYPE = "application/x-www-form-urlencoded"
_JSON = "application/json"


class FormError(Exception):
    """A form that cannot be read. :ivar status: of the answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


async def read_form(scope: Scope, receive: Receive, *, fields: int = _FIELDS, longest: int = _LONGEST) -> dict[str, str]:
    """Return the fields of a form. :param fields: most of them. :param longest: bytes of the form.

    :raises FormError: it is no form, too long, too slow, or has a field twice.
    """
    if media_type(Headers(scope=scope)) != _TYPE:
        raise FormError(415, f"send a form as {_TYPE}")
    body = await _body(receive, longest)
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, strict_parsing=bool(body), errors="strict", max_num_fields=fields
        )
    except ValueError:
        raise FormError(400, "the form is malformed") from None
    read = dict(pairs)
    if len(read) != len(pairs):
        raise FormError(400, "the form has a field twice")
    return read


async def read_json(scope: Scope, receive: Receive, *, longest: int = _LONGEST_JSON) -> dict[str, Any]:
    """Return an object of JSON. :param longest: bytes of it.

    :raises FormError: the body is not an object, too long, or too slow.
    """
    if media_type(Headers(scope=scope)) != _JSON:
        raise FormError(415, f"send an object as {_JSON}")
    try:
        read = json.loads(await _body(receive, longest))
    except (ValueError, RecursionError):
        raise FormError(400, "the object is malformed") from None
    if not isinstance(read, dict):
        raise FormError(400, "the body is not an object of JSON")
    return read


async def _body(receive: Receive, longest: int) -> bytes:
    try:
        async with asyncio.timeout(_SECONDS):
            return await _received(receive, longest)
    except TimeoutError:
        raise FormError(408, f"the form took longer than {_SECONDS:.0f} seconds") from None


async def _received(receive: Receive, longest: int) -> bytes:
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise FormError(400, "the form is incomplete")
        part: bytes = message.get("body", b"")
        body += part
        if len(body) > longest:
            raise FormError(413, f"the form is longer than {counted(longest, 'byte')}")
        if not message.get("more_body", False):
            return body

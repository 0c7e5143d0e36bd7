"""Read a small HTML form from a request, within limits of size and time."""

from __future__ import annotations

import asyncio
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.types import Receive, Scope

from stcollection.web.guard import media_type

_LONGEST = 8192  # bytes
_SECONDS = 10.0
_FIELDS = 8
_TYPE = "application/x-www-form-urlencoded"


class FormError(Exception):
    """A form that cannot be read. :ivar status: of the answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


async def read_form(scope: Scope, receive: Receive) -> dict[str, str]:
    """Return the fields of a form.

    :raises FormError: it is no form, too long, too slow, or has a field twice.
    """
    if media_type(Headers(scope=scope)) != _TYPE:
        raise FormError(415, f"send a form as {_TYPE}")
    try:
        async with asyncio.timeout(_SECONDS):
            body = await _body(receive)
    except TimeoutError:
        raise FormError(408, f"the form took longer than {_SECONDS:.0f} seconds") from None
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, strict_parsing=bool(body), errors="strict", max_num_fields=_FIELDS
        )
    except ValueError:
        raise FormError(400, "the form is malformed") from None
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise FormError(400, "the form has a field twice")
    return fields


async def _body(receive: Receive) -> bytes:
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise FormError(400, "the form is incomplete")
        part: bytes = message.get("body", b"")
        body += part
        if len(body) > _LONGEST:
            raise FormError(413, f"the form is longer than {_LONGEST} bytes")
        if not message.get("more_body", False):
            return body

"""Checks of the messages that browsers send over the page's websocket."""

from __future__ import annotations

import json
from typing import Any

from shiny.input_handler import input_handlers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stcollection.explore.guard import LONGEST_MESSAGE

# Close codes of RFC 6455, 7.4.1, and the reasons that a browser's console shows with them.
_BINARY, _NOT_JSON, _NOT_OURS, _LONG = 1003, 1007, 1008, 1009
_REASONS = {_BINARY: "binary message", _NOT_JSON: "not JSON", _NOT_OURS: "not a message of the page", _LONG: "message too long"}


class Frames:
    """ASGI middleware that closes a websocket on the first message that the page does not send.

    The page sends JSON in text frames: ``init`` once, then ``update``. It uses none of Shiny's other messages, such as file
    uploads. A message that Shiny cannot read would put a traceback into the log.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        begun = closed = False

        async def checked() -> Message:
            nonlocal begun, closed
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            code = fault(message, begun=begun)
            if code is None:
                begun = True
                return message
            closed = True
            await send({"type": "websocket.close", "code": code, "reason": _REASONS[code]})
            return {"type": "websocket.disconnect", "code": code}

        async def sent(message: Message) -> None:
            if not closed:
                await send(message)

        await self._app(scope, checked, sent)


def fault(message: Message, *, begun: bool) -> int | None:
    """Return the close code for a message, or None if the page may send it. :param begun: ``init`` was received before."""
    text = message.get("text")
    if text is None:
        return _BINARY
    if len(text) > LONGEST_MESSAGE:
        return _LONG
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return _NOT_JSON
    return None if _is_ours(parsed, "update" if begun else "init") else _NOT_OURS


def _is_ours(parsed: Any, method: str) -> bool:
    if not isinstance(parsed, dict) or parsed.get("method") != method or not isinstance(parsed.get("data"), dict):
        return False
    return all(_is_input(name) for name in parsed["data"])


def _is_input(name: str) -> bool:
    """Return True if a name has the form ``input`` or ``input:type`` with a type that Shiny knows."""
    _, colon, kind = name.partition(":")
    return not colon or kind in input_handlers

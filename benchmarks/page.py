"""A page of 'stc serve page' without a browser: Shiny's protocol over a websocket."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

_URL = {"search": "", "protocol": "http:", "hostname": "127.0.0.1", "port": "", "pathname": "/", "hash": ""}


@asynccontextmanager
async def page_socket(
    address: str, inputs: Mapping[str, Any], *, shown: Iterable[str], headers: Mapping[str, str] | None = None
) -> AsyncIterator[ClientConnection]:
    """Open a page and yield its websocket.

    :param inputs: what the browser sends when the page opens. :param shown: ids of the outputs on the open tab.
    :param headers: of the request, such as a cookie.
    """
    where = address.replace("http", "ws", 1) + "websocket/"
    data = {
        **inputs,
        **{f".clientdata_output_{name}_hidden": False for name in shown},
        **{f".clientdata_url_{part}": value for part, value in _URL.items()},
        ".clientdata_pixelratio": 1,
        ".clientdata_singletons": "",
    }
    more = {"origin": address.rstrip("/"), "additional_headers": headers}
    async with connect(where, max_size=None, max_queue=None, **more) as socket:  # type: ignore[arg-type]
        await socket.send(json.dumps({"method": "init", "data": data}))
        yield socket


async def update(socket: ClientConnection, inputs: Mapping[str, Any]) -> None:
    """Change inputs of the page."""
    await socket.send(json.dumps({"method": "update", "data": dict(inputs)}))

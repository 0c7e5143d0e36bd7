"""Save processor time of the page's server: unused tracing, garbage collection of loaded models, many small messages."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, cast

from uvicorn.protocols.websockets.auto import AutoWebSocketsProtocol

_SDK = "opentelemetry.sdk"
_TRACED = ("shiny.reactive._reactives", "shiny.reactive._extended_task", "shiny.session._session")


def switch_off_tracing() -> None:
    """Keep Shiny from preparing traces, unless OpenTelemetry's SDK is installed and could receive them.

    Shiny reads the source file of each reactive function in each new session, which was 40 % of the time to open one. For each
    step it also tries to import the SDK, and Python searches all folders for it.
    """
    if find_spec(_SDK) is not None:
        return
    sys.modules[_SDK] = None  # type: ignore[assignment]  # an import then fails at once
    for module in filter(None, map(sys.modules.get, _TRACED)):
        if hasattr(module, "extract_source_ref"):
            setattr(module, "extract_source_ref", _untraced)  # noqa: B010  # mypy knows no such attribute


def _untraced(_: Callable[..., object]) -> dict[str, object]:
    return {}


def keep_loaded() -> None:
    """Exclude what is loaded from garbage collection, which stops all readers while it searches; ``gc.unfreeze`` ends it."""
    gc.collect()
    gc.freeze()


class GatheredWrites:
    """A transport that sends what is written in one step of the event loop at once.

    Shiny sends some thirty messages for a search, most of them short and ten in a step: each would be a system call, and would wake
    up the reader's browser.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._gathered: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if not self._gathered:
            asyncio.get_running_loop().call_soon(self._send)
        self._gathered.append(data)

    def close(self) -> None:
        self._send()
        self._transport.close()

    def _send(self) -> None:
        gathered, self._gathered = self._gathered, []
        if gathered:
            self._transport.write(b"".join(gathered))


def gathering() -> type[asyncio.Protocol]:
    """Return the websocket protocol that uvicorn would choose, with gathered writes."""
    chosen: Any = AutoWebSocketsProtocol

    class Gathering(chosen):  # type: ignore[misc]  # uvicorn chooses it when it is imported
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(cast(asyncio.Transport, GatheredWrites(cast(asyncio.Transport, transport))))

    return Gathering

"""Waiting for an explorer that has told its address and is about to listen."""

from __future__ import annotations

import time

import httpx


def await_answer(address: str, *, seconds: float = 30.0) -> None:
    """Return once the address answers. :raises httpx.ConnectError: it does not in time."""
    until = time.monotonic() + seconds
    while True:
        try:
            httpx.get(f"{address}openapi.json")
            return
        except httpx.ConnectError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)

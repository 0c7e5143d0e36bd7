"""Memory of idle sessions of 'stc serve page': 200 open pages that nobody uses, and what is left after they close.

``STC_BENCH_COLLECTION`` names a collection; by default the demo is loaded. Goal: all sessions still answer after a minute, and
closing them frees their memory, so that a second and third round of sessions add little.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from contextlib import AsyncExitStack
from dataclasses import replace

import psutil  # type: ignore[import-untyped, unused-ignore]
from websockets.asyncio.client import ClientConnection

from benchmarks.common import server, tell
from benchmarks.explore import listening, running
from benchmarks.page import page_socket
from stcollection.db.settings import Settings, read_settings

SESSIONS = 200
SECONDS = 60.0
ROUNDS = 3


def main() -> None:
    if name := os.environ.get("STC_BENCH_COLLECTION"):
        measure(replace(read_settings(), db=name))
        return
    with server() as settings:
        command = [sys.executable, "-m", "stcollection", "--db", "demo", "demo"]
        subprocess.run(command, env={**os.environ, "STC_HOME": str(settings.home)}, check=True, capture_output=True)
        measure(replace(settings, db="demo"))


def measure(settings: Settings) -> None:
    with running(settings) as address:
        server = listening(int(address.rstrip("/").rpartition(":")[2]))
        asyncio.run(opened(address, server, 5, seconds=5))  # warm
        before = memory(server)
        for number in range(1, ROUNDS + 1):
            during, alive = asyncio.run(opened(address, server, SESSIONS, seconds=SECONDS))
            each = (during - before) / SESSIONS
            tell(f"{SESSIONS} idle sessions, round {number}", f"{each / 1024:.0f} KB each", f"{alive} alive after {SECONDS:.0f} s")
            time.sleep(5)
            left = memory(server) - before
            tell("memory kept after they closed", f"{left / 2**20:.1f} MB", f"server {memory(server) / 2**20:.0f} MB")


async def opened(address: str, server: psutil.Process, sessions: int, *, seconds: float) -> tuple[int, int]:
    """Open pages and wait. :returns: the server's memory, and the number of pages that then get an answer."""
    async with AsyncExitStack() as stack:
        sockets: list[ClientConnection] = []
        for _ in range(sessions):
            socket = await stack.enter_async_context(page_socket(address, {"tab": "collection"}, shown=("collection-glance",)))
            await shows(socket)
            sockets.append(socket)
        await asyncio.sleep(seconds)
        during = memory(server)
        return during, sum(await asyncio.gather(*(answers(socket) for socket in sockets)))


async def shows(socket: ClientConnection) -> None:
    """Read messages until the page shows its tab."""
    while "collection-glance" not in json.loads(await asyncio.wait_for(socket.recv(), 60)).get("values", {}):
        pass


async def answers(socket: ClientConnection) -> bool:
    """Return True if the session is alive."""
    try:
        await asyncio.wait_for(await socket.ping(), 10)
    except (OSError, TimeoutError):
        return False
    return True


def memory(process: psutil.Process) -> int:
    """Return the memory that only this process uses, in bytes."""
    return int(process.memory_full_info().uss)


if __name__ == "__main__":
    main()

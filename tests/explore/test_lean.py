"""Messages that the page's server writes in one step leave together, in their order."""

from __future__ import annotations

import asyncio
from typing import cast

from stcollection.explore.lean import GatheredWrites


class Wire:
    def __init__(self) -> None:
        self.seen: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.seen.append(data)

    def close(self) -> None:
        self.seen.append(b"closed")

    def is_closing(self) -> bool:
        return b"closed" in self.seen


def test_writes_of_a_step_leave_together() -> None:
    async def story() -> list[bytes]:
        wire = Wire()
        gathered = GatheredWrites(cast(asyncio.Transport, wire))
        gathered.write(b"a")
        gathered.write(b"b")
        assert wire.seen == []
        await asyncio.sleep(0)
        gathered.write(b"c")
        await asyncio.sleep(0)
        gathered.write(b"d")
        assert not gathered.is_closing()
        gathered.close()
        await asyncio.sleep(0)
        assert gathered.is_closing()
        return wire.seen

    assert asyncio.run(story()) == [b"ab", b"c", b"d", b"closed"]

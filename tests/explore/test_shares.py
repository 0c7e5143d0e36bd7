"""Shares: the work of a login is limited, delays no other login, and ends with its session."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps

import pytest

from stcollection.errors import StateError
from stcollection.web.shares import LoginShare, TimedOut, Visit, for_all, visiting


def run(story: Callable[[], Awaitable[None]]) -> Callable[[], None]:
    @wraps(story)
    def test() -> None:
        asyncio.run(asyncio.wait_for(story(), 60))

    del test.__wrapped__
    return test


def at_work(share: LoginShare, visit: Visit | None, done: asyncio.Event) -> tuple[asyncio.Task[None], asyncio.Event]:
    """Start work in the share of a session that lasts until an event. Return it, and the event of its begin."""
    begun = asyncio.Event()

    async def work() -> None:
        visiting.set(visit)
        async with share.take():
            begun.set()
            await done.wait()

    return asyncio.create_task(work()), begun


@run
async def test_a_login_waits_for_its_own_work_only() -> None:
    share, done = LoginShare("place", total=3, each=1, wait=0, seconds=None), asyncio.Event()
    first, begun = at_work(share, Visit("rita"), done)
    await begun.wait()
    again, _ = at_work(share, Visit("rita"), done)
    with pytest.raises(TimedOut, match="no place became available for this login within 0 seconds"):
        await again
    other, begun = at_work(share, Visit("olga"), done)
    await begun.wait()
    third, begun = at_work(share, Visit("petra"), done)
    await begun.wait()
    fourth, _ = at_work(share, Visit("anna"), done)
    with pytest.raises(TimedOut, match="no place became available for all readers"):
        await fourth
    done.set()
    await asyncio.gather(first, other, third)
    assert share._own == {}, "nothing is kept of logins that have no work"


@run
async def test_work_waits_for_its_turn() -> None:
    share, done = LoginShare("place", total=1, each=1, wait=30, seconds=None), asyncio.Event()
    first, begun = at_work(share, Visit("rita"), done)
    await begun.wait()
    second, begun = at_work(share, Visit("olga"), done)
    await asyncio.sleep(0)
    assert not begun.is_set()
    done.set()
    await asyncio.gather(first, second)
    assert begun.is_set()


@run
async def test_without_a_session_all_is_one_share() -> None:
    share, done = LoginShare("place", total=2, each=1, wait=0, seconds=None), asyncio.Event()
    tasks = []
    for _ in range(2):
        task, begun = at_work(share, None, done)
        await begun.wait()
        tasks.append(task)
    more, _ = at_work(share, None, done)
    with pytest.raises(TimedOut, match="no place became available within"):
        await more
    done.set()
    await asyncio.gather(*tasks)


@run
async def test_the_end_of_a_session_cancels_its_work_and_no_other() -> None:
    share, done = LoginShare("place", total=4, each=4, wait=0, seconds=None), asyncio.Event()
    mine, other = Visit("rita"), Visit("rita")
    ends, begun = at_work(share, mine, done)
    await begun.wait()
    stays, begun = at_work(share, other, done)
    await begun.wait()
    mine.end()
    with pytest.raises(asyncio.CancelledError):
        await ends
    after, _ = at_work(share, mine, done)
    with pytest.raises(StateError, match="the session has ended"):
        await after
    done.set()
    await stays
    assert not mine.work
    assert not other.work


@run
async def test_what_all_readers_share_does_not_end_with_the_session_that_began_it() -> None:
    share, done = LoginShare("place", total=1, each=1, wait=0, seconds=None), asyncio.Event()
    visit, begun = Visit("rita"), asyncio.Event()

    async def work() -> str:
        async with share.take():
            begun.set()
            await done.wait()
            return "map"

    visiting.set(visit)
    shared = for_all(work())
    await begun.wait()
    visit.end()
    done.set()
    assert await shared == "map"


@run
async def test_work_has_a_total_time() -> None:
    share, never = LoginShare("place", total=1, each=1, wait=0, seconds=0.01), asyncio.Event()
    slow, _ = at_work(share, Visit("rita"), never)
    with pytest.raises(TimedOut, match="took longer than"):
        await slow
    never.set()
    quick, _ = at_work(share, Visit("rita"), never)
    await quick

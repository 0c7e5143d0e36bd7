"""Work beside a session: it ends, is left, or gives way to what is begun after it."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from shiny import reactive

from stcollection.explore.task import PageTask


async def _work(number: int) -> int:
    if number < 0:
        raise ValueError(number)
    if number == 0:
        await asyncio.Event().wait()
    return number


def test_what_becomes_of_a_task() -> None:
    async def story() -> list[object]:
        seen: list[object] = []

        async def settled(status: str) -> None:
            async with asyncio.timeout(10):
                while task.status() != status:
                    await asyncio.sleep(0.001)

        with reactive.isolate():
            task = PageTask(_work)
            seen.append(task.status())
            task.invoke(0)
            seen.append(task.status())
            await asyncio.sleep(0)
            task.invoke(5)
            await settled("success")
            seen.append(task.result())
            task.invoke(0)
            await asyncio.sleep(0)
            task.cancel()
            await settled("cancelled")
            task.invoke(-1)
            await settled("error")
            try:
                task.result()
            except ValueError as error:
                seen.append(str(error))
        return seen

    with ThreadPoolExecutor(1) as thread:  # the browser of other tests has a loop in this one
        assert thread.submit(asyncio.run, story()).result() == ["initial", "running", 5, "-1"]

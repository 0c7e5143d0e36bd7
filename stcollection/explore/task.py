"""Work beside a session, which goes on meanwhile: as shiny's extended_task, of which each costs a session a while.

Its three values look for their own names by inspect.stack(), through all modules that are loaded, torch's among them: twenty
sessions that opened at once kept the others waiting for two seconds. And here, what is begun while something is at work ends that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, ParamSpec, TypeVar, cast

from shiny import reactive
from shiny.types import SilentException

P = ParamSpec("P")
R = TypeVar("R")


class PageTask(Generic[P, R]):
    """A computation in a thread, whose result the page shows when it is there.

    :param work: must not read reactive values: hand them over.
    """

    def __init__(self, work: Callable[P, Awaitable[R]]) -> None:
        self._work = work
        self._status: reactive.Value[str] = reactive.Value("initial", name="status")
        self._running: asyncio.Task[None] | None = None
        self._done: R | None = None
        self._error: Exception | None = None

    def status(self) -> str:
        """``initial``, ``running``, ``success``, ``error``, ``cancelled``; whoever reads it is told of changes."""
        return self._status()

    def result(self) -> R:
        """What came out; where nothing has yet, what asks for it draws nothing. :raises Exception: what the work raised."""
        status = self._status()
        if status == "error" and self._error is not None:
            raise self._error
        if status != "success":
            raise SilentException
        return cast(R, self._done)

    def cancel(self) -> None:
        if self._running is not None:
            self._running.cancel()

    def invoke(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Begin, within an effect."""
        self.cancel()
        self._status.set("running")
        self._running = asyncio.create_task(self._run(*args, **kwargs))

    async def _run(self, *args: P.args, **kwargs: P.kwargs) -> None:
        done: R | None = None
        error: Exception | None = None
        status = "success"
        try:
            done = await self._work(*args, **kwargs)
        except asyncio.CancelledError:
            status = "cancelled"
        except Exception as raised:  # it is raised where the result is read
            status, error = "error", raised
        async with reactive.lock():
            if asyncio.current_task() is self._running:  # else something newer has begun
                self._done, self._error = done, error
                self._status.set(status)
                await reactive.flush()

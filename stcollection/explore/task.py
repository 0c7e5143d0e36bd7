"""Background tasks of a session: a faster replacement for Shiny's extended_task.

An extended_task has three reactive values that search for their names with inspect.stack() in all loaded modules, including torch.
Twenty sessions opened at the same time made the others wait two seconds. Here, invoking a task also cancels its previous run.
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
    """A background computation whose result the page shows when it is ready.

    :param work: must not read reactive values; pass them as arguments.
    """

    def __init__(self, work: Callable[P, Awaitable[R]]) -> None:
        self._work = work
        self._status: reactive.Value[str] = reactive.Value("initial", name="status")
        self._running: asyncio.Task[None] | None = None
        self._done: R | None = None
        self._error: Exception | None = None

    def status(self) -> str:
        """Return ``initial``, ``running``, ``success``, ``error`` or ``cancelled``. The value is reactive."""
        return self._status()

    def result(self) -> R:
        """Return the result. If no result exists yet, raise SilentException, which leaves the output empty.

        :raises Exception: the work's own error.
        """
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
        """Start the work from within an effect; cancels the previous run."""
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
        except Exception as raised:  # raised again where the result is read
            status, error = "error", raised
        async with reactive.lock():
            if asyncio.current_task() is self._running:  # else a newer run has started
                self._done, self._error = done, error
                self._status.set(status)
                await reactive.flush()

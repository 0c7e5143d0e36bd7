"""A worker process for work that needs large packages. It starts with the first item and ends when it is idle."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from typing import ParamSpec, Protocol, TypeVar

from stcollection.db.pool import WorkerExited, WorkerProcess
from stcollection.errors import StateError, StcError

P = ParamSpec("P")
T = TypeVar("T")


class Caller(Protocol):
    """Calls a function, in this process or in another one."""

    def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T: ...


def call_here(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function in this process."""
    return function(*args, **kwargs)


calling: ContextVar[Caller] = ContextVar("calling", default=call_here)  # calls functions that load models


class IdleProcess:
    """A worker process that starts with the first item, and again with the next item after it has ended.

    :param opener: as for :class:`WorkerProcess`. :param idle: seconds without an item after which it ends.
    """

    def __init__(self, opener: object, *, idle: float) -> None:
        self._opener, self._idle = opener, idle
        self._process: WorkerProcess | None = None
        self._ending: threading.Timer | None = None
        self._lock = threading.Lock()

    @property
    def running(self) -> bool:
        return self._process is not None

    def work(self, item: object) -> object:
        """Process an item. :raises StcError: the error of the worker. :raises WorkerExited: the worker is gone."""
        with self._lock:
            if self._ending is not None:
                self._ending.cancel()
            self._process = self._process or WorkerProcess(self._opener)
            try:
                return self._process.work(item)
            except StcError:
                raise
            except BaseException:  # the worker is gone, or has a part of the item, which the next one must not complete
                self._end()
                raise
            finally:
                self._ending = threading.Timer(self._idle, self.close)
                self._ending.daemon = True
                self._ending.start()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
        if self._process is not None:
            self._process.close()
            _trim()
        self._process = None


def _trim() -> None:
    """Return the memory that arguments and results took to the system, which glibc keeps otherwise: 40 MB after a map."""
    with suppress(OSError, AttributeError, TypeError):  # another C library, or Windows
        ctypes.CDLL(None).malloc_trim(0)


class CallProcess(IdleProcess):
    """Calls functions in a worker process, so that their packages and memory stay out of this one."""

    def __init__(self, *, idle: float) -> None:
        super().__init__(_calls, idle=idle)

    def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function there. Function, arguments and result are pickled.

        :raises StcError: the function's error. :raises StateError: the process ended.
        """
        try:
            return self.work(partial(function, *args, **kwargs))  # type: ignore[return-value]
        except WorkerExited as error:
            raise StateError(
                f"the process that computes {function.__name__} ended (code {error})",
                hint="Try again, which starts it again. If memory is short, stop other programs.",
            ) from error


@contextmanager
def _calls() -> Iterator[Callable[[Callable[[], object]], object]]:
    yield _called


def _called(item: Callable[[], object]) -> object:
    return item()

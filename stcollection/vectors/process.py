"""Embed queries in a separate process, which holds torch and the model only while vectors of new queries are needed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from stcollection.db.idle import IdleProcess
from stcollection.db.pool import WorkerExited
from stcollection.errors import StateError
from stcollection.vectors.model import Encoder, Vectors
from stcollection.vectors.queries import encoder_of
from stcollection.vectors.store import Model

IDLE_SECONDS = 600.0


class ModelProcess:
    """The process that embeds. It starts with the first text and ends after some time without one; the next text starts it again.

    :param idle: seconds without a text after which it ends.
    """

    def __init__(self, *, idle: float = IDLE_SECONDS) -> None:
        self._process = IdleProcess(_opened, idle=idle)

    @property
    def running(self) -> bool:
        return self._process.running

    def encoder(self, space: Model) -> ProcessEncoder:
        """Load a model in the process.

        :raises UnknownObject: it is not on this machine. :raises StateError: the process ended.
        """
        return ProcessEncoder(process=self, space=space, **self._ask(_Request(space)))

    def encode(self, space: Model, texts: Sequence[str], *, query: bool) -> Vectors:
        """Embed texts as :meth:`Encoder.encode`. :raises StateError: the process ended."""
        vectors: Vectors = self._ask(_Request(space, list(texts), query))
        return vectors

    def close(self) -> None:
        """End the process. The next text starts it again."""
        self._process.close()

    def _ask(self, request: _Request) -> Any:
        try:
            return self._process.work(request)
        except WorkerExited as error:
            raise StateError(
                f"the process that embeds queries by {request.space.model} ended (code {error})",
                hint="Search again, which starts it again. If memory is short, choose the system bm25.",
            ) from error


@dataclass(kw_only=True)
class ProcessEncoder:
    """An :class:`~stcollection.vectors.model.Encoder` whose model is in another process. Its attributes are those of the model."""

    process: ModelProcess = field(repr=False)
    space: Model = field(repr=False)
    name: str
    short: str
    dim: int
    max_tokens: int | None
    revision: str | None
    batch: int

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        return self.process.encode(self.space, texts, query=query)


class _Request(NamedTuple):
    """Texts to embed; None requests the attributes of the model."""

    space: Model
    texts: list[str] | None = None
    query: bool = True


@contextmanager
def _opened() -> Iterator[Callable[[_Request], object]]:
    yield _answer


def _answer(request: _Request) -> object:
    """Answer a request, in the process that embeds."""
    encoder = encoder_of(request.space)
    if request.texts is not None:
        return encoder.encode(request.texts, query=request.query)
    # One thread: a query is too short to profit from two, which would also take cores from the database. Two threads cost 18 ms
    # of processor time per query instead of 15, and 7 ms instead of 3 in batches of eight.
    importlib.import_module("torch").set_num_threads(1)
    return {name: getattr(encoder, name) for name in Encoder.__annotations__}

"""Vectors of what readers type: remembered ones from the database, others made here, those of several readers together."""

from __future__ import annotations

import asyncio
import importlib
from collections import OrderedDict
from typing import ClassVar
from weakref import WeakKeyDictionary

import psycopg

from stcollection.explore.desk import Desk
from stcollection.vectors.batcher import Batcher
from stcollection.vectors.model import Encoder
from stcollection.vectors.queries import encoder_of, notation
from stcollection.vectors.store import Model, registered

_KEPT = 1000  # vectors in memory: paging and the reasons of a result ask for one again


class Embedding:
    """The embedding models of a collection, loaded when they are first asked for. :meth:`of` gives that of a desk."""

    _all: ClassVar[WeakKeyDictionary[Desk, Embedding]] = WeakKeyDictionary()

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._batcher: Batcher | None = None
        self._loading: dict[str, asyncio.Task[Encoder]] = {}
        self._kept: OrderedDict[tuple[str | None, str], str] = OrderedDict()

    @classmethod
    def of(cls, desk: Desk) -> Embedding:
        """That of all sessions on a desk."""
        return cls._all.setdefault(desk, cls(desk))

    async def vector(self, text: str, model: str | None) -> str:
        """The vector of a query in pgvector's notation. :param model: a short name; None is the collection's default.

        :raises UnknownObject: there is no such model, or it is not on this machine.
        """
        key = model, text
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        space, meant, known = await self._desk.ask(_remembered, text, model)
        if known is None:
            encoder = await self._encoder(space)
            self._batcher = self._batcher or Batcher(_Nobody())
            made = await asyncio.wrap_future(self._batcher.submit(encoder, [meant], query=True))
            known = notation(made.vectors[0])
        self._kept[key] = known
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return known

    async def warm(self) -> None:
        """Load the default model and let it work once, so that the first reader's search does not wait for that."""
        await self.vector("warm", None)

    async def _encoder(self, space: Model) -> Encoder:
        """One load for all who wait for it; the one that leaves does not end it."""
        if space.model not in self._loading or _failed(self._loading[space.model]):
            self._loading[space.model] = asyncio.create_task(asyncio.to_thread(_load, space))
        return await asyncio.shield(self._loading[space.model])


class _Nobody:
    """Watches the batcher for no one."""

    def queued(self, texts: int) -> None: ...

    def embedded(self, *, model: str, query: bool, texts: int, seconds: float) -> None: ...


def _load(space: Model) -> Encoder:
    encoder = encoder_of(space)
    # A query is too short for two threads to be quicker, and they take the cores from the database: 18 ms of processor time
    # for one query in place of 15, 7 in place of 3 where eight go together.
    importlib.import_module("torch").set_num_threads(1)
    return encoder


def _failed(task: asyncio.Task[Encoder]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)


def _remembered(conn: psycopg.Connection, text: str, model: str | None) -> tuple[Model, str, str | None]:
    """The model; what of a text it reads; the vector that is remembered, if one is."""
    space = registered(conn, model)
    row = conn.execute(
        "SELECT stc.query_to_embed(%(text)s), (SELECT q.v::text FROM query_v q WHERE q.model = %(model)s"
        " AND q.digest = md5(%(text)s)"
        ' AND q.text = %(text)s COLLATE "C")',
        {"text": text, "model": space.model},
    ).fetchone()
    assert row is not None  # noqa: S101
    return space, row[0], row[1]

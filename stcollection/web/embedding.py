"""Vectors of queries typed on the page: stored ones from the database, others computed in batches, in a separate process."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable
from typing import ClassVar
from weakref import WeakKeyDictionary

import psycopg
from pgvector import Vector

from stcollection.retrieval import EMBEDDING, SYSTEMS
from stcollection.retrieval.search import unembedded_chunks
from stcollection.retrieval.systems import check_name, model_of, needs_vector
from stcollection.vectors.batcher import Batcher
from stcollection.vectors.model import Encoder
from stcollection.vectors.process import ModelProcess
from stcollection.vectors.queries import remember_query, short
from stcollection.vectors.store import Model, registered
from stcollection.web.desk import Desk
from stcollection.web.shares import for_all

_KEPT = 1000  # vectors cached in memory, for paging and explanations of results


async def needed(desk: Desk, *systems: str) -> bool:
    """Return True if one of the systems needs a vector of the query. Only systems of users are looked up in the collection.

    :raises UnknownObject: a system does not exist. The model is not loaded for a search that fails.
    """
    own = [system for system in systems if system not in SYSTEMS]
    for system in own:
        await desk.ask(check_name, system)
    return not EMBEDDING.isdisjoint(systems) or (bool(own) and await desk.ask(needs_vector, *own))


class Embedding:
    """The embedding models of a collection, loaded on first use, and the vectors of queries, which all readers share.

    :param desk: the page's own; a login could read another table under the name of ours.
    """

    _all: ClassVar[WeakKeyDictionary[Desk, Embedding]] = WeakKeyDictionary()

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._process = ModelProcess()
        self._batcher: Batcher | None = None
        self._loading: dict[tuple[object, ...], asyncio.Task[Encoder]] = {}
        self._kept: OrderedDict[tuple[object, ...], Vector] = OrderedDict()

    @classmethod
    def of(cls, desk: Desk) -> Embedding:
        """Return the instance shared by all sessions of a page, of every login."""
        return cls._all.setdefault(desk.origin, cls(desk.origin))

    async def vector(self, text: str, model: str | None, *, system: str = "") -> Vector:
        """Return the vector of a query for a system.

        :param model: a short name; None is the collection's default, or the first sparse model for a sparse system.

        :raises UnknownObject: the model does not exist or is not installed on this machine.
        """
        space, meant, known = await self._desk.ask(_remembered, text, model, system)
        key = *_recipe(space), text
        if known is None and key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        if known is None:
            encoder = await self._encoder(space)
            self._batcher = self._batcher or Batcher(_Nobody())
            made = await asyncio.wrap_future(self._batcher.submit(encoder, [meant], query=True))
            known = Vector(made.vectors[0])
        self._kept[key] = known
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return known

    async def vectors(self, text: str, model: str | None, systems: Iterable[str]) -> dict[str, Vector]:
        """Return the vectors of a query by system, as :meth:`vector`."""
        return {system: await self.vector(text, model, system=system) for system in systems}

    async def remember_article(self, desk: Desk, topic: str, model: str | None, *, system: str = "") -> None:
        """Store the vectors of an article's chunks, which a search by the article needs. :param desk: the reader's.

        :raises UnknownObject: the topic is not stored. :raises StateError: it has no article.
        """
        used = short(await desk.ask(model_of, system, model))
        for text in await desk.ask(unembedded_chunks, topic, used):
            await desk.write(remember_query, text, used, await self.vector(text, model, system=system))

    async def warm(self) -> None:
        """Load the default model and embed one text, so that the next search does not wait for it."""
        encoder = await self._encoder(await self._desk.ask(registered, None))
        await asyncio.to_thread(encoder.encode, ["warm"], query=True)

    def close(self) -> None:
        """End the process that embeds."""
        self._process.close()

    async def _encoder(self, space: Model) -> Encoder:
        """Load a model once for all waiting searches; cancelling one search does not cancel the load."""
        key = _recipe(space)
        if key not in self._loading or _failed(self._loading[key]):
            self._loading[key] = for_all(asyncio.to_thread(self._process.encoder, space))
        return await asyncio.shield(self._loading[key])


class _Nobody:
    """An observer of the batcher that records nothing."""

    def queued(self, texts: int) -> None: ...

    def embedded(self, *, model: str, query: bool, texts: int, seconds: float) -> None: ...


def _recipe(space: Model) -> tuple[object, ...]:
    """Return what the vectors of a model depend on. A short name may be dropped, and embedded again in another way."""
    return tuple(str(value) for name, value in vars(space).items() if name != "made_by")


def _failed(task: asyncio.Task[Encoder]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)


def _remembered(conn: psycopg.Connection, text: str, model: str | None, system: str) -> tuple[Model, str, Vector | None]:
    """Return the model, the part of the text that it embeds, and the stored vector or None."""
    space = registered(conn, short(model_of(conn, system, model)))
    row = conn.execute(
        "SELECT stc.query_to_embed(%(text)s), (SELECT vector_send(q.v) FROM query_v q WHERE q.model = %(model)s"
        " AND q.digest = md5(%(text)s)"
        ' AND q.text = %(text)s COLLATE "C")',
        {"text": text, "model": space.model},
        binary=True,
    ).fetchone()
    assert row is not None  # noqa: S101
    return space, row[0], None if row[1] is None else Vector.from_binary(row[1])

"""One map for all sessions of a collection, computed in the background when a reader first opens the tab."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

from stcollection.analysis.map.documents import Spot, spots
from stcollection.analysis.map.records import DocumentMap, MapOptions
from stcollection.analysis.map.sample import document_texts, sample
from stcollection.analysis.map.store import compute, load, map_folder, save
from stcollection.db.idle import CallProcess
from stcollection.db.settings import read_settings
from stcollection.web.desk import Desk
from stcollection.web.shares import for_all

_FRESH_SECONDS = 60.0  # how long vectors are taken as unchanged
_IDLE_SECONDS = 5.0  # a map is computed once; scikit-learn holds 150 MB
_OPTIONS = MapOptions()


class PageMap(NamedTuple):
    """The map with its documents. :param spots: of documents that still exist."""

    map: DocumentMap
    spots: list[Spot]

    def find(self, words: str, cluster: int | None) -> list[Spot]:
        """Return documents whose titles contain all words, in any case. :param cluster: None means all."""
        wanted = words.casefold().split()
        return [
            one
            for one in self.spots
            if (cluster is None or self.map.clusters[one.place] == cluster) and all(word in one.title.casefold() for word in wanted)
        ]

    def of(self, doc: int) -> Spot | None:
        return next((one for one in self.spots if one.doc == doc), None)


class SharedMap:
    """The map of one collection, computed with the page's own connections: all readers get the same.

    :param desk: the page's own.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._task: asyncio.Task[PageMap] | None = None
        self._started = 0.0
        self._known: tuple[str, DocumentMap] | None = None  # fingerprint and map
        self._process = CallProcess(idle=_IDLE_SECONDS)
        self.steps: list[str] = []

    @classmethod
    def of(cls, desk: Desk) -> SharedMap:
        return _maps.setdefault(desk.origin, cls(desk.origin))

    async def get(self) -> PageMap:
        """Return the map. Concurrent callers share one computation; a caller who leaves does not cancel it.

        :raises StcError: no document has a vector, or the database does not answer.
        """
        task = self._task
        failed = task is not None and task.done() and (task.cancelled() or task.exception() is not None)
        old = task is not None and task.done() and time.monotonic() - self._started > _FRESH_SECONDS
        if task is None or failed or old:
            self.steps.clear()
            self._started = time.monotonic()
            task = self._task = for_all(self._make())
        return await asyncio.shield(task)

    async def _make(self) -> PageMap:
        found = await self._desk.ask(sample, _OPTIONS)
        docs: Sequence[int] = found.docs.tolist()
        if self._known is None or self._known[0] != found.fingerprint:
            folder = map_folder(read_settings())
            made = None if folder is None else await asyncio.to_thread(load, folder, found)
            if made is None:
                words = await self._desk.ask(document_texts, docs)
                made = await asyncio.to_thread(compute, found, words, _OPTIONS, tell=self.steps.append, call=self._process)
                if folder is not None:
                    await asyncio.to_thread(save, folder, found, made)
            self._known = found.fingerprint, made
        return PageMap(self._known[1], await self._desk.ask(spots, docs))


_maps: WeakKeyDictionary[Desk, SharedMap] = WeakKeyDictionary()

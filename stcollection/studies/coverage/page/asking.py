"""Work of the view Topic coverage, in a separate thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import ClassVar, LiteralString
from weakref import WeakKeyDictionary

import psycopg

from stcollection.db.idle import CallProcess
from stcollection.errors import StcError, translate
from stcollection.explore.marks import marked
from stcollection.studies.coverage.cover import find_documents
from stcollection.studies.coverage.records import Coverage, CoverageOptions, WordDocument
from stcollection.studies.coverage.store import CoverageRequest, get_coverage
from stcollection.web.desk import Desk

SHOWN = 20  # documents listed per topic
_OF_WORDS: LiteralString = "stc.parse_query(stc.coverage_query(%(query)s::text[]))"
_REMEMBERED = 8  # coverages of a login
_SLOW = ("sklearn.decomposition", "mlxtend.frequent_patterns", "concepts")


class Left(StcError):
    """Raised in the worker thread after the reader cancelled the task."""


class Work:
    """State shared with the worker thread: the steps begun so far, and whether the reader cancelled."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.left = threading.Event()

    def tell(self, step: str) -> None:
        if self.left.is_set():
            raise Left("cancelled")
        self.steps.append(step)


# One for all logins: it holds scikit-learn, pandas and mlxtend, 150 MB, only while topics are needed.
_apart = CallProcess(idle=60.0)


def warm() -> None:
    """Import the packages for LDA and itemsets in the background, which takes seconds."""
    if not _apart.running:
        threading.Thread(target=_apart, args=[_import], daemon=True).start()


def _import() -> None:
    for name in _SLOW:
        import_module(name)


def find(conn: psycopg.Connection, asked: CoverageRequest, options: CoverageOptions, work: Work) -> Coverage:
    return get_coverage(conn, asked, options=options.checked(), store=False, on_step=work.tell, call=_apart)


@dataclass(eq=False)
class CoverageJob:
    """A coverage that is being computed, or was."""

    work: Work
    task: asyncio.Task[Coverage]


class CoverageJobs:
    """The coverages of a login. They outlast the requests that start them."""

    _all: ClassVar[WeakKeyDictionary[Desk, CoverageJobs]] = WeakKeyDictionary()

    def __init__(self, desk: Desk) -> None:
        self._ask = desk.ask
        self._jobs: dict[tuple[CoverageRequest, CoverageOptions], CoverageJob] = {}

    @classmethod
    def of(cls, desk: Desk) -> CoverageJobs:
        return cls._all.setdefault(desk, cls(desk))

    def get(self, asked: CoverageRequest, options: CoverageOptions) -> CoverageJob:
        """Return a coverage, which begins with the first call. An error is kept until it has been read once."""
        key = asked, options
        job = self._jobs.pop(key, None)
        if job is not None and job.task.done() and (job.task.cancelled() or job.task.exception() is not None):
            return job
        if job is None:
            work = Work()
            job = CoverageJob(work, asyncio.create_task(self._ask(find, asked, options, work)))
        self._jobs[key] = job  # the last one used is the last one to go
        for old in list(self._jobs)[:-_REMEMBERED]:
            self.cancel(*old)
        return job

    def find(self, asked: CoverageRequest, options: CoverageOptions) -> CoverageJob | None:
        """Return a coverage that was begun before."""
        return self._jobs.get((asked, options))

    def cancel(self, asked: CoverageRequest, options: CoverageOptions) -> None:
        """End a computation, and forget it."""
        job = self._jobs.pop((asked, options), None)
        if job is not None:
            job.work.left.set()
            job.task.cancel()


@translate()
def holding(conn: psycopg.Connection, words: Sequence[str], within: str) -> tuple[list[WordDocument], dict[str, int]]:
    """Return the first documents with some words, which are marked, and dblp.id of each docno."""
    rows = find_documents(conn, words, k=SHOWN, within=within)
    texts = iter(marked(conn, [text for row in rows for text in (row.title, row.abstract)], list(words), _OF_WORDS))
    rows = [row._replace(title=next(texts), abstract=next(texts)) for row in rows]
    ids = conn.execute("SELECT docno, doc FROM documents WHERE docno = ANY(%s)", [[one.docno for one in rows]]).fetchall()
    return rows, dict(ids)

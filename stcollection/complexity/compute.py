"""Compute the readability measures of abstracts and store them in ``st1_complexity_metrics``."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

import psycopg
from psycopg.types.json import Jsonb

from stcollection.cells import HtmlFields
from stcollection.complexity.measures import Meter, Values
from stcollection.complexity.resources import Resources, read_resources
from stcollection.counts import counted
from stcollection.db.pool import RayActors, run_here, run_in_workers, worker_count
from stcollection.db.sessions import open_session
from stcollection.declared import AllowedRange, Option, declare
from stcollection.errors import BadArgument, StateError, translate

Progress = Callable[[int, int | None], None]

_ROWS = 1_000  # abstracts per commit
_FEW = 3_000  # up to this number, one process finishes before others have started


@dataclass(frozen=True, kw_only=True)
class Computed(HtmlFields):
    """Counts of a computation.

    :param documents: measured documents.
    :param bare: documents without an abstract, which have no row.
    :param changed: documents whose abstract changed meanwhile; they are left for the next run.
    :param seconds: time for measuring and storing.
    """

    documents: int
    bare: int
    changed: int
    resources: Resources
    seconds: float


class Text(NamedTuple):
    """An abstract to measure. :param version: version of its row, as returned by ``unmeasured``."""

    id: int
    version: str
    abstract: str


class AbstractBatch(NamedTuple):
    """Abstracts that are measured and committed together."""

    texts: list[Text]

    def __str__(self) -> str:
        return f"documents {self.texts[0].id} to {self.texts[-1].id}"


class BatchResults(NamedTuple):
    """The outcome of a batch."""

    documents: int
    changed: int


class Measuring:
    """A connection and the libraries, to measure batches; a context manager, created in the worker process.

    :param key: key of the resources in the collection.
    :raises psycopg.Error: the server cannot be reached, or refuses.
    """

    def __init__(self, dsn: str, key: int, nltk_data: Path | None) -> None:
        self._key = key
        self._meter = Meter(read_resources(nltk_data))
        self._conn = open_session(dsn, autocommit=True, fallback_application_name="stc complexity compute")
        # Derived data: rows lost in a server crash are computed again.
        self._conn.execute("SET synchronous_commit = off")

    def __enter__(self) -> Measuring:
        return self

    def __exit__(self, *_: object) -> None:
        self._conn.close()

    def __call__(self, page: AbstractBatch) -> BatchResults:
        measured = self._meter.measure([text.abstract for text in page.texts])
        with self._conn.transaction():
            self._conn.execute("SELECT stc.stage_measures()")
            with self._conn.cursor().copy("COPY pg_temp.incoming_measures FROM STDIN") as copy:
                for text, values in zip(page.texts, measured, strict=True):
                    copy.write_row((text.version, text.id, *values, self._key))
            [stored] = self._conn.execute("SELECT stored, changed FROM stc.store_measures()").fetchall()
        return BatchResults(*stored)


@declare
@translate()
def compute(
    dsn: str,
    *,
    nltk_data: Annotated[Path | None, Option(default="the data included in stcollection")] = None,
    recompute: bool = False,
    workers: Annotated[int | None, AllowedRange(ge=1), Option(default="one per core, at most 8")] = None,
    rows: Annotated[int, AllowedRange(ge=1)] = _ROWS,
    actors: RayActors | None = None,
    progress: Progress | None = None,
) -> Computed:
    """Measure the abstracts that are new or have changed.

    Each thousand is committed separately, so an interrupted computation resumes where it stopped.

    Each worker opens a connection with the connection string. With actors of Ray, ``nltk_data`` is a folder on their machines.

    :param nltk_data: Folder of NLTK data with CMUdict and punkt_tab.
    :param recompute: Recompute measures that other versions of the libraries or data produced.
    :param workers: Number of worker processes. :param rows: Abstracts per transaction.
    :param progress: called with (documents done, documents to do).
    :raises StateError: there is no abstract; some were measured with other resources and ``recompute`` is not set; or another
        computation is running.
    :raises BadArgument: the folder lacks a resource, or both workers and actors are given.
    """
    if actors is not None and workers is not None:
        raise BadArgument("compute takes workers or actors, not both", hint="Leave out --workers; --actors counts actors.")
    count = worker_count(workers)
    resources = read_resources(nltk_data)
    with open_session(dsn, autocommit=True, fallback_application_name="stc complexity compute") as conn:
        _alone(conn)
        key, bare, total = _plan(conn, resources, recompute)
        began = time.monotonic()
        opener = partial(Measuring, dsn, key, nltk_data)
        pages = _pages(conn, key, recompute, rows)
        if actors is not None and total:
            from stcollection.db.actors import run_in_actors  # only for Ray

            outcomes = run_in_actors(opener, pages, actors=actors)
        elif count == 1 or total <= _FEW:
            outcomes = run_here(opener, pages)
        else:
            outcomes = run_in_workers(opener, pages, workers=count)
        documents = changed = 0
        with closing(outcomes):  # stop the workers at once if interrupted
            for stored in outcomes:
                documents, changed = documents + stored.documents, changed + stored.changed
                if progress:
                    progress(documents + changed, total)
        if documents:
            conn.execute("ANALYZE stc.st1_complexity_metrics")
    seconds = time.monotonic() - began
    return Computed(documents=documents, bare=bare, changed=changed, resources=resources, seconds=seconds)


def _alone(conn: psycopg.Connection) -> None:
    """Lock the collection against other computations until the connection closes."""
    if conn.execute("SELECT pg_try_advisory_lock(hashtextextended('stc complexity compute', 0))").fetchone() != (True,):
        raise StateError(
            "another 'stc complexity compute' is running on this collection", hint="Wait until it has finished.", sqlstate="IR408"
        )


def _plan(conn: psycopg.Connection, resources: Resources, recompute: bool) -> tuple[int, int, int]:
    """Count the documents to measure.

    :returns: the key of the resources, the number of documents without an abstract, and the number of documents to measure.
    """
    with conn.transaction():
        resource = [Jsonb(resources.versions), Jsonb(resources.files), resources.fingerprint]
        [[key]] = conn.execute("SELECT stc.complexity_resource(%s, %s, %s)", resource).fetchall()
        [[abstracts, lacking, otherwise]] = conn.execute(
            "SELECT abstracts, lacking, otherwise FROM stc.count_unmeasured(%s)", [key]
        ).fetchall()
        if not abstracts:
            raise StateError(
                "there is no abstract to measure", hint="Load documents first: stc load --as corpus PATH.", sqlstate="IR405"
            )
        if otherwise and not recompute:
            raise StateError(
                f"{counted(otherwise, 'abstract was', 'abstracts were')} measured with other library versions or data"
                " than those on this machine",
                hint="Only values from the same versions are comparable: recompute with --recompute; see 'stc show complexity'.",
                sqlstate="IR408",
            )
        [[texts]] = conn.execute("SELECT count(*) FROM dblp_text").fetchall()
    return int(key), int(texts - abstracts), int(lacking + otherwise)


def _pages(conn: psycopg.Connection, key: int, recompute: bool, rows: int) -> Iterator[AbstractBatch]:
    after: int | None = None
    while True:
        texts = conn.execute(
            "SELECT id, version, abstract FROM stc.unmeasured(%s, %s::bigint, %s, %s)", [key, after, rows, recompute]
        ).fetchall()
        if not texts:
            return
        yield AbstractBatch([Text(docid, str(version), abstract) for docid, version, abstract in texts])
        after = texts[-1][0]


__all__ = ["AbstractBatch", "Computed", "Measuring", "Text", "Values", "compute"]

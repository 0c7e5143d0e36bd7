"""Make a run in batches of queries that are committed, so that an interrupted command continues where it stopped.

Several sessions search at once; a session works on one processor core of the server, or waits for its disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import psycopg
from psycopg.types.json import Jsonb

from stcollection.counts import counted
from stcollection.errors import StateError
from stcollection.retrieval.exact import search_all
from stcollection.retrieval.pipelines import pipeline, search_stages
from stcollection.retrieval.resources import ResourceMeter, added_up, store_resources
from stcollection.retrieval.sessions import OtherSessions
from stcollection.retrieval.settings import RunSettings
from stcollection.vectors.exact import TooManyTies

# Called with the number of queries searched, the number of all queries, and a note on rankings of an earlier call.
Progress = Callable[[int, int, str], None]
_SECONDS = 1.0  # per batch: an interruption loses at most this much work, or one slower query
_ATTEMPTS = 3


def at_once(conn: psycopg.Connection, run: RunSettings) -> tuple[int, int]:
    """Make a run in one statement (sql/retrieval/make_run.sql). :returns: numbers of queries with results and of documents."""
    spent = ResourceMeter()
    with conn.transaction():
        row = conn.execute("SELECT queries, ranked FROM make_run(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)", run.arguments).fetchone()
        answered, ranked = row or (0, 0)
        store_resources(conn, run.name, spent.read())
    return answered, ranked


def in_batches(conn: psycopg.Connection, run: RunSettings, workers: int, progress: Progress | None) -> tuple[int, int, bool]:
    """Make a run in batches, continuing an unfinished one (sql/retrieval/resume_run.sql); store it when all queries are searched.

    If the collection changes in the meantime, all queries are searched again.

    :param workers: number of sessions that search.
    :returns: numbers of queries with results and of documents, and whether the search was exact.
    :raises StateError: the collection changed repeatedly.
    """
    for _ in range(_ATTEMPTS):
        try:
            stored = _attempt(conn, run, workers, progress)
        except TooManyTies:
            run = replace(run, exact=False)
            continue
        if stored is not None:
            return *stored, run.exact
    raise StateError(
        f"the collection changed {_ATTEMPTS} times while run {run.name} was made",
        hint="Wait until nobody loads documents or builds indexes, then run the same command again.",
        sqlstate="IR405",
    )


def _attempt(conn: psycopg.Connection, run: RunSettings, workers: int, progress: Progress | None) -> tuple[int, int] | None:
    """Search and store; None if the collection changed, or another session finished or removed the unfinished run."""
    spent = ResourceMeter()
    with conn.transaction():
        [[unfinished, searched, queries, changed]] = conn.execute(
            "SELECT unfinished, done, queries, changed FROM stc.resume_run(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            [*run.arguments, run.exact, None if run.scored_by is None else Jsonb(run.scored_by)],
        )
    note = ""
    if changed is not None:
        note = f"{run.name}: searching all queries again, because {' and '.join(changed.rsplit(', ', 1))} changed"
    elif searched:
        note = f"{run.name}: continuing after {searched:,} of {counted(queries, 'query')}"
    parts_of: Iterator[int | None] = iter(())
    if run.exact and searched < queries:
        parts_of = search_all(conn, unfinished, run, sessions=workers, spent=spent.read)
    elif run.scored_by is not None and (steps := pipeline(conn, run.system, run.model)) is not None:
        parts_of = search_stages(conn, unfinished, run, steps, spent=spent.read)
    if run.exact or run.scored_by is not None:
        if progress is not None:
            progress(searched, queries, note)
        for searched in parts_of:
            if searched is None:
                return None
            if progress is not None and searched < queries:
                progress(searched, queries, note)
    waited: list[dict[str, float]] = []  # resources of calls in which other sessions searched the last queries
    with OtherSessions(conn, unfinished, count=workers - 1, seconds=_SECONDS) as others:
        while True:
            if progress is not None:
                progress(searched, queries, note)
            if searched >= queries:
                break
            parts = [*waited, spent.read()]
            arguments = [unfinished, _SECONDS, Jsonb(added_up(parts))]
            with conn.transaction():
                [[searched, taken, stopped]] = conn.execute(
                    "SELECT done, taken, stopped FROM stc.search_queries(%s, %s, %s)", arguments
                )
            if stopped:
                return None
            waited = [] if taken else parts
            if not taken and not others.wait():
                with conn.transaction():  # another command searches the rest; an error names it if that takes long
                    conn.execute("SELECT stc.claim_run(%s)", [run.name])
            elif searched < queries:
                others.start()
    with conn.transaction():
        stored = conn.execute(
            "SELECT spent FROM stc.unfinished_rankings WHERE unfinished = %s AND spent IS NOT NULL", [unfinished]
        ).fetchall()
        [[answered, ranked]] = conn.execute(
            "SELECT queries, ranked FROM stc.finish_run(%s, %s, %s)", [unfinished, run.team, run.replace]
        )
        if ranked is not None:
            store_resources(conn, run.name, added_up([*(part for (part,) in stored), *waited, spent.read()]))
    return None if ranked is None else (answered, ranked)

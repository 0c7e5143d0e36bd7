"""List and remove unfinished runs: those of which not all queries have been searched."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import psycopg

from stcollection.db.rows import records
from stcollection.errors import translate


class UnfinishedRun(NamedTuple):
    """A row of unfinished_overview.

    :param maker: the role that makes it. :param done: number of queries searched. :param searched: when the last one was searched.
    """

    id: int
    run: str
    maker: str
    system: str
    depth: int
    done: int
    queries: int
    begun: datetime
    searched: datetime


@translate()
def unfinished_runs(conn: psycopg.Connection, names: Sequence[str] | None = None) -> list[UnfinishedRun]:
    """Return the unfinished runs that the role can see, by name: all for owners and organisers, for others their own.

    :param names: only these; None for all.
    """
    return records(
        conn,
        UnfinishedRun,
        "SELECT * FROM stc.unfinished_overview WHERE %(names)s::text[] IS NULL OR run = ANY (%(names)s) ORDER BY run, maker",
        {"names": None if names is None else list(names)},
    )


@translate()
def drop_unfinished(conn: psycopg.Connection, unfinished: Sequence[UnfinishedRun]) -> None:
    """Remove unfinished runs with the rankings found so far."""
    with conn.transaction():
        conn.execute("SELECT stc.drop_unfinished(%s)", [[run.id for run in unfinished]])

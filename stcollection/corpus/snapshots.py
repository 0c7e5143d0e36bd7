"""Snapshots of a collection that grows: which documents it had on a day."""

from __future__ import annotations

from typing import Annotated, Any

import psycopg

from stcollection.db.connection import headed
from stcollection.declared import Option
from stcollection.errors import translate


@translate()
def check_day(conn: psycopg.Connection, day: str) -> str:
    """Return a day YYYY-MM-DD that is not in the future.

    :raises BadArgument: it is not such a date.
    """
    conn.execute("SELECT stc.check_day(%s)", [day])
    return day


@translate()
def record_snapshot(conn: psycopg.Connection, file: int, day: str) -> int:
    """Record that a loaded file is the collection at a date, or a part of it. Repeating it changes nothing.

    :param file: its number in the ledger (:attr:`~stcollection.corpus.load.LoadedFile.file`). :param day: YYYY-MM-DD.
    :returns: the number of documents of the file.
    """
    row = conn.execute("SELECT stc.record_snapshot(%s, stc.check_day(%s))", [file, day]).fetchone()
    return int(row[0]) if row else 0


@translate()
def snapshots(conn: psycopg.Connection) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return headers and rows of the snapshots, by date."""
    return headed(conn, "SELECT * FROM stc.snapshot_overview()")


@translate()
def changes_between(
    conn: psycopg.Connection, earlier: Annotated[str, Option("DATE1")], later: Annotated[str, Option("DATE2")]
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return headers and rows of the documents added and removed between two days (YYYY-MM-DD).

    :raises BadArgument: a day is not a date, or there is no snapshot up to it. :raises StateError: there are no snapshots.
    """
    return headed(conn, "SELECT change, docno, title, first_date, last_date FROM corpus_changes_between(%s, %s)", [earlier, later])

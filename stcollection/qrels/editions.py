"""The editions of the judgments: what they hold, and out of the collection."""

from __future__ import annotations

import csv
import io
from datetime import datetime
from difflib import get_close_matches
from typing import BinaryIO, NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.errors import BadArgument, UnknownObject, translate


class Overview(NamedTuple):
    """One row of edition_overview.

    :param judgments: one per query and document; grades and origins count these. :param rows: all that are stored.
    """

    edition: str
    description: str | None
    queries: int
    judgments: int
    grades: dict[str, int]
    origins: dict[str, int]
    rows: int
    made: datetime


@translate()
def editions(conn: psycopg.Connection) -> list[Overview]:
    """The stored editions, by name."""
    with conn.cursor(row_factory=class_row(Overview)) as cursor:
        return cursor.execute("SELECT * FROM edition_overview ORDER BY edition").fetchall()


@translate()
def drop_edition(conn: psycopg.Connection, edition: str) -> int:
    """Remove an edition with all its judgments, and tell how many they were.

    :raises UnknownObject: there is no such edition.
    """
    with conn.transaction():
        row = conn.execute("SELECT drop_edition(%s)", [edition]).fetchone()
        return int(row[0]) if row else 0


@translate()
def export_qrels(conn: psycopg.Connection, edition: str, out: BinaryIO, *, layout: str = "trec") -> int:
    """Write what an edition says, one judgment per query and document, by query and document; returns how many.

    :param layout: ``trec`` (query 0 doc grade) or ``csv`` (topic, query, doc, rel, origin, with a header).
    :raises UnknownObject: there is no such edition.
    :raises BadArgument: a name holds white space, which TREC's format cannot carry.
    """
    stored = [name for (name,) in conn.execute("SELECT edition FROM qrels_editions ORDER BY edition")]
    if edition not in stored:
        close = get_close_matches(edition, stored, n=1)
        meant = f"Did you mean {close[0]!r}? " if close else ""
        raise UnknownObject(f"there is no edition {edition!r}", hint=f"{meant}'stc qrels editions' lists them.", sqlstate="IR102")
    written = 0
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    try:
        table = csv.writer(text, lineterminator="\n")
        if layout == "csv":
            table.writerow(["topic", "query", "doc", "rel", "origin"])
        with conn.transaction(), conn.cursor(name="edition_judgments") as cursor:
            cursor.itersize = 10_000
            cursor.execute("SELECT topic, query, docno, rel, origin FROM edition_judgments(%s)", [edition])
            for topic, query, doc, rel, origin in cursor:
                if layout == "csv":
                    table.writerow([topic, query, doc, rel, origin])
                else:
                    for one in (query, doc):
                        if any(sign in one for sign in " \t\n\r\v\f"):
                            raise BadArgument(
                                f"the name {one!r} holds white space, which TREC's format cannot carry", hint="Export --format csv."
                            )
                    text.write(f"{query} 0 {doc} {rel}\n")
                written += 1
    finally:
        text.detach()
    return written

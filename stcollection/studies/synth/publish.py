"""Publish chosen queries to the collection, with the passages they were generated from as sparse judgments."""

from __future__ import annotations

from typing import NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.db.simulated import note_simulated
from stcollection.errors import translate


class Published(NamedTuple):
    """The queries of an origin. :param added: number of new ones. :param judgments: new judgments of the edition, all origins."""

    origin: str
    queries: int
    added: int
    first: str
    last: str
    judgments: int


@note_simulated("edition")
@translate()
def publish(conn: psycopg.Connection, study: str, *, edition: str, prefix: str = "S") -> list[Published]:
    """Store a study's chosen queries, and their source passages as an edition (sql/studies/synth/synth_publish.sql).

    :param prefix: prefix of the queries' names, before their numbers.
    :returns: one row per origin, by name.
    :raises UnknownObject: the study does not exist.
    :raises BadArgument: the name is missing, or the study is published under another prefix.
    :raises BadInput: a name belongs to another query, or the edition contains other judgments.
    :raises StateError: nothing is chosen.
    """
    with conn.transaction(), conn.cursor(row_factory=class_row(Published)) as cursor:
        return cursor.execute("SELECT * FROM stc.synth_publish(%s, %s, %s)", [study, edition, prefix]).fetchall()

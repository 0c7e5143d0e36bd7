"""Chosen queries into the collection, with the passages they were made from as sparse judgments."""

from __future__ import annotations

from typing import NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.errors import translate


class Published(NamedTuple):
    """The queries of an origin. :param added: of them, new ones. :param judgments: new ones of the edition, of all origins."""

    origin: str
    queries: int
    added: int
    first: str
    last: str
    judgments: int


@translate()
def publish(conn: psycopg.Connection, study: str, *, edition: str, prefix: str = "S") -> list[Published]:
    """Store a study's chosen queries, and their source passages as an edition of its own (sql/studies/synth/synth_publish.sql).

    :param prefix: of the queries' names, before their numbers. :returns: one row an origin, in the order of the names.
    :raises UnknownObject: no such study. :raises BadArgument: no name; published already, under another prefix.
    :raises BadInput: a name is another query's, or the edition holds other judgments. :raises StateError: nothing is chosen.
    """
    with conn.transaction(), conn.cursor(row_factory=class_row(Published)) as cursor:
        return cursor.execute("SELECT * FROM stc.synth_publish(%s, %s, %s)", [study, edition, prefix]).fetchall()

"""Publish chosen queries to the collection, with the passages they were generated from as sparse judgments."""

from __future__ import annotations

from typing import NamedTuple

import psycopg

from stcollection.db.rows import records
from stcollection.db.simulated import note_simulated
from stcollection.errors import translate
from stcollection.studies.synth.parameters import StudyName


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
def publish(conn: psycopg.Connection, study: StudyName, *, edition: str, prefix: str = "S") -> list[Published]:
    """Store a study's chosen queries, and their source passages as an edition (synth/sql/synth_publish.sql).

    :param edition: Name of the new edition; it judges the passage of each query with rel 1.
    :param prefix: Prefix of the names of the queries: S0001, S0002, …
    :returns: one row per origin, by name.
    :raises UnknownObject: the study does not exist.
    :raises BadArgument: the name is missing, or the study is published under another prefix.
    :raises BadInput: a name belongs to another query, or the edition contains other judgments.
    :raises StateError: nothing is chosen.
    """
    with conn.transaction():
        return records(conn, Published, "SELECT * FROM stc.synth_publish(%s, %s, %s)", [study, edition, prefix])

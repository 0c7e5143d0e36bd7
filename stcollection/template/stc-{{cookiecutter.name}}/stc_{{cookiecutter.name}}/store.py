"""Store and list notes. The command, the methods, the route and the view call these functions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, NamedTuple

import psycopg

from stcollection.declared import Option
from stcollection.errors import BadArgument, translate


class Note(NamedTuple):
    """A note. :param query: the name of its query. :param note: its text. :param made: when it was stored."""

    query: str
    note: str
    made: datetime


@translate()
def add_note(conn: psycopg.Connection, query: Annotated[str, Option("QUERY")], note: Annotated[str, Option("NOTE")]) -> None:
    """Store a note on a query.

    :raises UnknownObject: the query is not stored. :raises BadArgument: the note is empty.
    """
    if not note.strip():
        raise BadArgument("the note is empty", hint="Give its text.")
    values = {"query": query, "note": note}
    with conn.transaction():
        conn.execute(
            "INSERT INTO stc.{{cookiecutter.name}}_notes (query, note) VALUES (stc.query_key(%(query)s), %(note)s)",
            values,
        )


@translate()
def list_notes(conn: psycopg.Connection) -> list[Note]:
    """Return the notes, newest first."""
    return [Note(*row) for row in conn.execute("SELECT query, note, made FROM {{cookiecutter.name}}_list()")]

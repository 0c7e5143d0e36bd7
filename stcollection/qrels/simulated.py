"""The note printed with simulated judgments and grades, which were made up for trying out a collection."""

from __future__ import annotations

from collections.abc import Sequence

import psycopg

from stcollection.errors import translate


@translate()
def simulated_note(conn: psycopg.Connection, editions: Sequence[str] | None = None, *, annotations: bool = False) -> str | None:
    """Return the note to print with data of the given editions; None if no edition is simulated.

    :param editions: their names; None means every edition visible to the role. Names that are not editions are ignored.
    :param annotations: also name simulated annotators of complexity and credibility.
    """
    names = None if editions is None else list(editions)
    [(note,)] = conn.execute("SELECT stc.simulated_note(%s, %s)", [names, annotations]).fetchall()
    return None if note is None else str(note)


def collection_note(conn: psycopg.Connection) -> str | None:
    """Return the note for the whole collection, with simulated annotators."""
    return simulated_note(conn, annotations=True)

"""Editions that participants and readers do not see until they are released."""

from __future__ import annotations

import psycopg

from stcollection.errors import translate


@translate()
def hide(conn: psycopg.Connection, edition: str) -> bool:
    """Hide an edition from participants and readers. :returns: False if it was hidden already.

    :raises UnknownObject: there is no such edition.
    """
    with conn.transaction():
        return conn.execute("SELECT stc.hide_edition(%s)", [edition]).fetchone() == (True,)


@translate()
def release(conn: psycopg.Connection, edition: str) -> bool:
    """Show a hidden edition to them; when, and by whom, is kept. :returns: False if it was open already.

    :raises UnknownObject: there is no such edition.
    """
    with conn.transaction():
        return conn.execute("SELECT stc.release_edition(%s)", [edition]).fetchone() == (True,)


@translate()
def elsewhere(conn: psycopg.Connection, edition: str) -> dict[str, list[str]]:
    """What still tells of a hidden edition: names of open editions that judge its pairs (``edition``), of queries that name the
    document they were generated from, which it judges (``query``).

    :raises UnknownObject: there is no such edition.
    """
    found: dict[str, list[str]] = {}
    for kind, name in conn.execute("SELECT kind, name FROM stc.hidden_elsewhere(%s) ORDER BY kind, name", [edition]):
        found.setdefault(kind, []).append(name)
    return found

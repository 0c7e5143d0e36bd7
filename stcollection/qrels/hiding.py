"""Hide editions from participants and readers, and release them."""

from __future__ import annotations

import psycopg

from stcollection.errors import translate


@translate()
def hide(conn: psycopg.Connection, edition: str) -> bool:
    """Hide an edition from participants and readers. :returns: False if it was already hidden.

    :raises UnknownObject: the edition is not stored.
    """
    with conn.transaction():
        return conn.execute("SELECT stc.hide_edition(%s)", [edition]).fetchone() == (True,)


@translate()
def release(conn: psycopg.Connection, edition: str) -> bool:
    """Release a hidden edition and record when and by whom. :returns: False if it was not hidden.

    :raises UnknownObject: the edition is not stored.
    """
    with conn.transaction():
        return conn.execute("SELECT stc.release_edition(%s)", [edition]).fetchone() == (True,)


@translate()
def elsewhere(conn: psycopg.Connection, edition: str) -> dict[str, list[str]]:
    """Find objects that still reveal judgments of a hidden edition.

    :returns: names by kind: ``edition`` for visible editions that judge the same pairs, ``query`` for queries whose source
        document the hidden edition judges.

    :raises UnknownObject: the edition is not stored.
    """
    found: dict[str, list[str]] = {}
    for kind, name in conn.execute("SELECT kind, name FROM stc.hidden_elsewhere(%s) ORDER BY kind, name", [edition]):
        found.setdefault(kind, []).append(name)
    return found

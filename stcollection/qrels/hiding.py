"""Hide editions from participants and readers, and release them."""

from __future__ import annotations

import psycopg

from stcollection.counts import first_of
from stcollection.errors import translate
from stcollection.qrels.parameters import ChangedEdition

_SHOWN = 5  # names per warning


@translate()
def hide(conn: psycopg.Connection, edition: ChangedEdition) -> bool:
    """Hide an edition from participants and readers. :returns: False if it was already hidden.

    :raises UnknownObject: the edition is not stored.
    """
    with conn.transaction():
        return conn.execute("SELECT stc.hide_edition(%s)", [edition]).fetchone() == (True,)


@translate()
def release(conn: psycopg.Connection, edition: ChangedEdition) -> bool:
    """Release a hidden edition and record when and by whom. :returns: False if it was not hidden.

    :raises UnknownObject: the edition is not stored.
    """
    with conn.transaction():
        return conn.execute("SELECT stc.release_edition(%s)", [edition]).fetchone() == (True,)


@translate()
def is_hidden(conn: psycopg.Connection, edition: str) -> bool:
    """Return True if the edition is hidden from participants and readers."""
    return conn.execute("SELECT hidden FROM qrels_editions WHERE edition = %s", [edition]).fetchone() == (True,)


@translate()
def elsewhere(conn: psycopg.Connection, edition: str) -> dict[str, list[str]]:
    """Find objects that still reveal judgments of a hidden edition.

    :returns: names by kind: ``edition`` for visible editions that judge the same pairs, ``query`` for queries whose source
        document the hidden edition judges.

    :raises UnknownObject: the edition is not stored.
    """
    names: dict[str, list[str]] = {}
    for kind, name in conn.execute("SELECT kind, name FROM stc.hidden_elsewhere(%s) ORDER BY kind, name", [edition]):
        names.setdefault(kind, []).append(name)
    return names


def reveals(conn: psycopg.Connection, edition: str) -> list[str]:
    """Return a warning for each kind of object that still reveals judgments of a hidden edition."""
    what = {"edition": "open editions judge some of its documents", "query": "some of its queries name their source document"}
    return [
        f"{what[kind]}, which reveals part of it: {first_of(names, _SHOWN)}" for kind, names in elsewhere(conn, edition).items()
    ]

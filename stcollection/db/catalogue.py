"""Detect drift of tables and rights: the current state of the database compared with the state after the last upgrade.

:func:`stcollection.db.objects.drift` compares functions and views. An upgrade records only its own changes, so that a manual change
is reported until it is undone.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import psycopg

Catalogue = dict[tuple[str, str], str]
_SERVER = ("server", "PostgreSQL")
_RIGHTS = ("owner", "grants")


class ObjectChange(NamedTuple):
    """An object that differs. :param what: changed, missing or added."""

    kind: str
    name: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name} ({self.what})" if self.kind not in _RIGHTS else f"{self.kind} of {self.name} ({self.what})"


def snapshot(conn: psycopg.Connection) -> Catalogue:
    """Return the current definitions of the database; empty if the collection has no catalogue yet."""
    if conn.execute("SELECT to_regprocedure('stc.collection_catalogue()') IS NULL").fetchone() == (True,):
        return {}
    rows = conn.execute("SELECT kind, name, definition FROM stc.collection_catalogue()").fetchall()
    return {(kind, name): definition for kind, name, definition in rows}


def record(conn: psycopg.Connection, before: Catalogue, *, rights: bool = False, keep: Collection[str] = ()) -> int:
    """Store the changes since ``before``, a snapshot from the start of the upgrade. Runs in the caller's transaction.

    :param rights: also store the current owners and grants, as after a restore to a server with other roles.
    :param keep: kinds of objects that are not forgotten because another major version of PostgreSQL recorded them.
    :returns: the number of stored and removed definitions.
    """
    now, recorded = snapshot(conn), stored(conn)
    afresh = before.get(_SERVER) != now[_SERVER] or recorded.get(_SERVER) != now[_SERVER]
    new = {
        key: definition
        for key, definition in now.items()
        if recorded.get(key) != definition
        and (afresh or before.get(key) != definition or key not in before or (rights and key[0] in _RIGHTS))
    }
    gone = [
        key
        for key in recorded
        if key not in now and ((afresh and key[0] not in keep) or key in before or (rights and key[0] in _RIGHTS))
    ]
    if gone:
        conn.execute(
            "DELETE FROM public.stc_catalogue c USING unnest(%s::text[], %s::text[]) AS g (kind, name)"
            " WHERE c.kind = g.kind AND c.name = g.name",
            [[kind for kind, _ in gone], [name for _, name in gone]],
        )
    if new:
        conn.execute(
            "INSERT INTO public.stc_catalogue (kind, name, definition) SELECT * FROM unnest(%s::text[], %s::text[], %s::text[])"
            " ON CONFLICT (kind, name) DO UPDATE SET definition = excluded.definition",
            [[kind for kind, _ in new], [name for _, name in new], list(new.values())],
        )
    return len(new) + len(gone)


def outdated(conn: psycopg.Connection) -> bool:
    """Return True if another major version of PostgreSQL recorded the catalogue; its definitions may be formatted differently."""
    row = conn.execute(
        "SELECT definition::integer = current_setting('server_version_num')::integer / 10000 FROM public.stc_catalogue"
        " WHERE (kind, name) = (%s, %s)",
        _SERVER,
    ).fetchone()
    return row != (True,)


def drift(conn: psycopg.Connection) -> list[ObjectChange]:
    """Return tables, columns, constraints, indexes, triggers, rules, policies, owners and grants that differ from the last upgrade.

    Empty if another major version of PostgreSQL recorded them, because it may format definitions differently; then upgrade.
    """
    now, recorded = snapshot(conn), stored(conn)
    if now.get(_SERVER) != recorded.get(_SERVER):
        return []
    changed = [ObjectChange(*key, "missing") for key in recorded.keys() - now.keys()]
    changed += [ObjectChange(*key, "added") for key in now.keys() - recorded.keys()]
    changed += [ObjectChange(*key, "changed") for key in recorded.keys() & now.keys() if _text(key, recorded) != _text(key, now)]
    return sorted(changed)


def _text(key: tuple[str, str], catalogue: Catalogue) -> str:
    """Return a definition to compare. pg_restore leaves out parentheses in a chain of ANDs."""
    return catalogue[key].replace("(", "").replace(")", "") if key[0] == "constraint" else catalogue[key]


def stored(conn: psycopg.Connection) -> Catalogue:
    """Return the definitions that the last upgrade recorded."""
    if conn.execute("SELECT to_regclass('public.stc_catalogue') IS NULL").fetchone() == (True,):
        return {}
    rows = conn.execute("SELECT kind, name, definition FROM public.stc_catalogue").fetchall()
    return {(kind, name): definition for kind, name, definition in rows}

"""Licences of documents, as far as their records state them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg

from stcollection.db.connection import headed
from stcollection.errors import translate


@translate()
def known_licences(conn: psycopg.Connection, names: Sequence[str]) -> list[str] | None:
    """Return licences in the spelling of the view documents; None (all documents) for no names.

    :param names: such as ``cc-by``; ``none`` selects documents without one.
    :raises UnknownObject: no document has the licence; the hint lists those that exist.
    """
    if not names:
        return None
    row = conn.execute("SELECT stc.check_licences(%s)", [list(names)]).fetchone()
    return row[0] if row else None


@translate()
def licence_counts(conn: psycopg.Connection) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return headers and rows of the number of documents per data source and licence; None: not stated."""
    return headed(conn, "SELECT data_source, licence, documents, abstracts FROM corpus_licences()")

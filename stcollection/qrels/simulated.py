"""The note on simulated data of a whole collection."""

from __future__ import annotations

import psycopg

from stcollection.db.simulated import simulated_note


def collection_note(conn: psycopg.Connection) -> str | None:
    """Return the note for the whole collection, with simulated annotators."""
    return simulated_note(conn, annotations=True)

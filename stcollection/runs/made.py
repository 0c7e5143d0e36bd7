"""Read and store the ir_metadata of stored runs."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from stcollection.errors import translate
from stcollection.runs.listing import require_run


@translate()
def metadata_of(conn: psycopg.Connection, run: str) -> dict[str, Any]:
    """Return the stored metadata of a run, or metadata derived from the collection if it has none.

    :raises UnknownObject: the run is not stored.
    """
    row = conn.execute("SELECT stc.plain_metadata(metadata) FROM st1_runs WHERE run = %s", [run]).fetchone()
    if row is None:
        require_run(conn, run)
    return row[0] if row is not None and row[0] else known(conn, run)


@translate()
def store(conn: psycopg.Connection, run: str, metadata: dict[str, Any]) -> None:
    """Replace the metadata of a run.

    :raises UnknownObject: the run is not stored.
    """
    require_run(conn, run)
    with conn.transaction():
        conn.execute("UPDATE st1_runs SET metadata = %s WHERE run = %s", [Jsonb(metadata), run])


@translate()
def known(conn: psycopg.Connection, run: str) -> dict[str, Any]:
    """Return metadata derived from the collection (sql/runs/run_metadata.sql); every run made here stores it.

    :raises UnknownObject: the run is not stored.
    """
    [metadata] = conn.execute("SELECT stc.run_metadata(%s)", [run]).fetchone() or [{}]
    return dict(metadata)

"""How a stored run was made, as ir_metadata has it."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from stcollection.errors import translate
from stcollection.runs.listing import require_run


@translate()
def metadata_of(conn: psycopg.Connection, run: str) -> dict[str, Any]:
    """The stored metadata of a run; where there is none, what the collection knows of it.

    :raises UnknownObject: there is no such run.
    """
    row = conn.execute("SELECT metadata FROM st1_runs WHERE run = %s", [run]).fetchone()
    if row is None:
        require_run(conn, run)
    return row[0] if row is not None and row[0] else known(conn, run)


@translate()
def store(conn: psycopg.Connection, run: str, metadata: dict[str, Any]) -> None:
    """Put metadata in the place of what a run has.

    :raises UnknownObject: there is no such run.
    """
    require_run(conn, run)
    with conn.transaction():
        conn.execute("UPDATE st1_runs SET metadata = %s WHERE run = %s", [Jsonb(metadata), run])


@translate()
def known(conn: psycopg.Connection, run: str) -> dict[str, Any]:
    """What the collection says of a run (sql/runs/run_metadata.sql); stored with every run that is made here.

    :raises UnknownObject: there is no such run.
    """
    [found] = conn.execute("SELECT stc.run_metadata(%s)", [run]).fetchone() or [{}]
    return dict(found)

"""List, look up and remove stored runs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from stcollection.errors import StateError, translate

if TYPE_CHECKING:
    import psycopg


class RunOverview(NamedTuple):
    """One row of run_overview. :param depth: length of the longest ranking."""

    run: str
    team: str | None
    tag: str | None
    manual: bool
    family: str | None
    queries: int
    ranked: int
    depth: int
    source: str | None
    made: datetime


@translate()
def runs(conn: psycopg.Connection) -> list[RunOverview]:
    """Return the stored runs, ordered by name."""
    from psycopg.rows import class_row

    with conn.cursor(row_factory=class_row(RunOverview)) as cursor:
        return cursor.execute("SELECT * FROM run_overview ORDER BY run").fetchall()


@translate()
def stored_runs(conn: psycopg.Connection, names: Sequence[str]) -> list[str]:
    """Return the names that are stored runs, in order."""
    return [run for (run,) in conn.execute("SELECT run FROM st1_runs WHERE run = ANY (%s) ORDER BY run", [list(names)])]


@translate()
def require_run(conn: psycopg.Connection, name: str) -> None:
    """Check that a run is stored.

    :raises UnknownObject: the run is not stored; the hint suggests the closest name.
    """
    conn.execute("SELECT stc.run_keys(ARRAY[%s::text])", [name])


@translate()
def header(conn: psycopg.Connection, name: str) -> tuple[str | None, bool]:
    """Return team and manual of a run.

    :raises UnknownObject: the run is not stored.
    """
    row = conn.execute("SELECT team, manual FROM st1_runs WHERE run = %s", [name]).fetchone()
    if row is None:
        require_run(conn, name)
    return row or (None, False)


@translate()
def tag_of(conn: psycopg.Connection, name: str) -> str:
    """Return the tag of the run's file, else its name; trec_eval prints it as runid.

    :raises UnknownObject: the run is not stored.
    """
    row = conn.execute("SELECT coalesce(tag, run) FROM st1_runs WHERE run = %s", [name]).fetchone()
    if row is None:
        require_run(conn, name)
    return str(row[0]) if row else name


@translate()
def drop_runs(conn: psycopg.Connection, names: Sequence[str]) -> None:
    """Remove runs, all or none.

    :raises UnknownObject: a run is not stored.
    :raises StateError: a run belongs to another team or to no team.
    """
    with conn.transaction():
        for name in names:
            require_run(conn, name)
        conn.execute("SELECT drop_runs(%s)", [list(names)])
        kept = conn.execute("SELECT run FROM st1_runs WHERE run = ANY (%s) ORDER BY run", [list(names)]).fetchall()
        if kept:
            raise StateError(
                f"{conn.info.user} may not remove the run {kept[0][0]}",
                hint="Participants can remove runs of their own team only. Nothing was removed.",
                sqlstate="IR410",
            )

"""Set the families of stored runs, the kinds of system that made them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import psycopg

from stcollection.errors import translate


@dataclass(frozen=True, kw_only=True)
class FamiliesSet:
    """Counts of runs whose family was added, changed or already set.

    :param unknown: names that are not stored runs. :param without: stored runs that still have no family.
    """

    added: int
    changed: int
    unchanged: int
    unknown: list[str]
    without: list[str]


@translate()
def set_families(conn: psycopg.Connection, families: Mapping[str, str]) -> FamiliesSet:
    """Set the family of stored runs; names that are not stored are returned, not created.

    :raises StateError: none of the runs is stored. :raises BadArgument: an empty family.
    """
    with conn.transaction():
        row = conn.execute(
            "SELECT added, changed, unchanged FROM stc.set_families(%s::text[], %s::text[])",
            [list(families), list(families.values())],
        ).fetchone()
        rows = conn.execute("SELECT run, family FROM st1_runs ORDER BY run").fetchall()
        stored: dict[str, str | None] = dict(rows)
    added, changed, unchanged = row or (0, 0, 0)
    return FamiliesSet(
        added=added,
        changed=changed,
        unchanged=unchanged,
        unknown=[run for run in families if run not in stored],
        without=[run for run, family in stored.items() if family is None],
    )

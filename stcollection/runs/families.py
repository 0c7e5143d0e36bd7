"""The families of stored runs: what kind of system each is of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import psycopg

from stcollection.errors import translate


@dataclass(frozen=True, kw_only=True)
class FamiliesSet:
    """How many runs had none before, had another, and had it already. :param unknown: names that are no stored runs.

    :param without: stored runs that have no family still.
    """

    added: int
    changed: int
    unchanged: int
    unknown: list[str]
    without: list[str]


@translate()
def set_families(conn: psycopg.Connection, families: Mapping[str, str]) -> FamiliesSet:
    """Set the family of stored runs; names that are not stored are told, not made.

    :raises StateError: none of the runs is stored. :raises BadArgument: a family that is empty.
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

"""Time of making a run, in the section ``resources`` of its ir_metadata."""

from __future__ import annotations

import time
from collections.abc import Sequence

import psycopg
from psycopg.types.json import Jsonb


class ResourceMeter:
    """The time since the last reading."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def read(self) -> dict[str, float]:
        """Return ``runtime in seconds``, and begin again."""
        now = time.monotonic()
        spent = {"runtime in seconds": round(now - self._began, 3)}
        self._began = now
        return spent


def added_up(parts: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the resources of all parts of a run. One that a part does not have is unknown and omitted."""
    known = [name for name in parts[0] if all(name in part for part in parts)]
    return {name: round(sum(part[name] for part in parts), 3) for name in known}


def store_resources(conn: psycopg.Connection, run: str, spent: dict[str, float]) -> None:
    """Add the resources to the metadata of a run that was just made."""
    conn.execute(
        "UPDATE st1_runs SET metadata = metadata || jsonb_build_object('resources', %s::jsonb) WHERE run = %s", [Jsonb(spent), run]
    )

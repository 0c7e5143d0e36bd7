"""Time and energy of making a run, in the section ``resources`` of its ir_metadata."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path

import psycopg
from psycopg.types.json import Jsonb

# Energy counters of Intel's and AMD's processors: https://docs.kernel.org/power/powercap/powercap.html
POWERCAP = Path("/sys/class/powercap")
_PACKAGE = re.compile(r"intel-rapl:\d+")  # with a second number, a part of a package
_HERE = ("", "localhost", "127.0.0.1", "::1")


class ResourceMeter:
    """The time since the last reading, and the energy of the processor packages if the server is on this machine."""

    def __init__(self, conn: psycopg.Connection) -> None:
        host = conn.info.host
        self._energy = _counters() if host in _HERE or host.startswith("/") else {}
        self._began = time.monotonic()

    def read(self) -> dict[str, float]:
        """Return ``runtime in seconds``, and ``energy in joules`` where the counters can be read, and begin again.

        The energy is that of all programs that ran meanwhile.
        """
        now = time.monotonic()
        spent = {"runtime in seconds": round(now - self._began, 3)}
        self._began = now
        after = _counters() if self._energy else {}
        if self._energy and after.keys() == self._energy.keys():
            used = 0
            for package, (start, limit) in self._energy.items():
                end = after[package][0]
                used += end - start if end >= start else end - start + limit  # a counter starts again at its limit
            spent["energy in joules"] = round(used / 1e6, 3)
        self._energy = after
        return spent


def _counters() -> dict[str, tuple[int, int]]:
    """Return the counter of each package and its limit, in microjoules; empty if one cannot be read."""
    try:
        return {
            package.name: (int((package / "energy_uj").read_text()), int((package / "max_energy_range_uj").read_text()))
            for package in sorted(POWERCAP.iterdir())
            if _PACKAGE.fullmatch(package.name)
        }
    except (OSError, ValueError):
        return {}


def added_up(parts: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the resources of all parts of a run. One that a part does not have is unknown and omitted."""
    known = [name for name in parts[0] if all(name in part for part in parts)]
    return {name: round(sum(part[name] for part in parts), 3) for name in known}


def store_resources(conn: psycopg.Connection, run: str, spent: dict[str, float]) -> None:
    """Add the resources to the metadata of a run that was just made."""
    conn.execute(
        "UPDATE st1_runs SET metadata = metadata || jsonb_build_object('resources', %s::jsonb) WHERE run = %s", [Jsonb(spent), run]
    )

"""What is known of how a stored run was made, as ir_metadata has it; and of the machine, where it is being made."""

from __future__ import annotations

import os
import platform
import shlex
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from stcollection.errors import translate
from stcollection.runs.listing import require_run

SCHEMA = "0.2"
_LIBRARIES = ("numpy", "psycopg", "sentence-transformers", "torch")


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


def command_line() -> str:
    """The command that is running, as it would be typed again."""
    return shlex.join(["stc", *sys.argv[1:]])


def record(conn: psycopg.Connection, run: str, *, command: str) -> None:
    """Store how a run has just been made: what :func:`known` says, this machine, the versions of what took part, the command.

    :raises UnknownObject: there is no such run.
    """
    metadata = known(conn, run)
    metadata["platform"] = machine() | {"software": software(conn)}
    metadata["implementation"] = {
        "executable": {"cmd": command}, "source": {"lang": ["python", "sql"]}, **metadata.get("implementation", {})
    }  # fmt: skip
    store(conn, run, metadata)


@translate()
def known(conn: psycopg.Connection, run: str) -> dict[str, Any]:
    """What the collection says of a run: tag, system and parameters, team, corpus, when.

    :raises UnknownObject: there is no such run.
    """
    row = conn.execute(
        "SELECT coalesce(tag, run), manual, team, family, params, source, made, current_database(),"
        " (SELECT array_agg(DISTINCT regexp_replace(path, '^.*/', '')) FROM corpus_files WHERE state = 'loaded')"
        " FROM st1_runs WHERE run = %s",
        [run],
    ).fetchone()
    if row is None:
        require_run(conn, run)
        return {}
    tag, manual, team, family, params, source, made, database, corpus = row
    metadata: dict[str, Any] = {"schema-version": float(SCHEMA), "tag": tag}
    method: dict[str, Any] = {"automatic": not manual, "score ties": "docno descending, scores in single precision"}
    if source is None:
        method["retrieval"] = [{"name": run, "method": params.get("system", family), **_but(params, "system")}]
        metadata["implementation"] = {"made": made.isoformat(timespec="seconds")}
    metadata["method"] = method
    if team:
        metadata["actor"] = {"team": team}
    if source is None:
        metadata["data"] = {"test collection": {"name": database, **({"source": ", ".join(corpus)} if corpus else {})}}
    return metadata


def _but(params: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in params.items() if key not in (name, "name", "method")}


def machine() -> dict[str, Any]:
    """Hardware and operating system, as far as the system tells them."""
    cpu = {"architecture": platform.machine(), "number of cores": os.cpu_count()}
    if model := _first("/proc/cpuinfo", "model name"):
        cpu = {"model": model, **cpu}
    hardware: dict[str, Any] = {"cpu": cpu}
    if memory := _first("/proc/meminfo", "MemTotal"):
        hardware["ram"] = f"{int(memory.split()[0]) / 2**20:.1f} GB"
    system: dict[str, Any] = {"platform": platform.system(), "kernel": platform.release()}
    try:
        system["distribution"] = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):  # no Linux, or none that says its name
        system["distribution"] = platform.platform()
    return {"hardware": hardware, "operating system": system}


def _first(path: str, name: str) -> str | None:
    """The value of the first line of a file under /proc that has that name; None where there is none."""
    file = Path(path)
    if not file.is_file():
        return None
    values = (line.partition(":")[2].strip() for line in file.read_text().splitlines() if line.startswith(name))
    return next(values, None)


@translate()
def software(conn: psycopg.Connection) -> dict[str, Any]:
    """Versions of this package, its libraries, the server and its extensions."""
    libraries = [with_version for name in _LIBRARIES if (with_version := _versioned(name)) is not None]
    extensions = conn.execute("SELECT format('%s==%s', extname, extversion) FROM pg_extension ORDER BY extname").fetchall()
    server = conn.execute("SHOW server_version").fetchone()
    postgres = [f"postgresql=={server[0].split()[0]}"] if server else []
    return {
        "libraries": {"python": libraries, "postgresql": [*postgres, *(one for (one,) in extensions)]},
        "retrieval toolkit": [_versioned("stcollection") or "stcollection"],
    }


def _versioned(name: str) -> str | None:
    """``name==version`` of a package; None where it is not installed."""
    try:
        return f"{name}=={version(name)}"
    except PackageNotFoundError:
        return None

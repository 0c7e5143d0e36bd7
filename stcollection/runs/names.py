"""Names of runs: derived from files, and as SimpleText's run_id."""

from __future__ import annotations

import re
from pathlib import Path

_COMPRESSED = (".gz", ".zst", ".bz2", ".xz")
_RUN = (".run", ".txt", ".trec", ".res", ".tsv", ".csv", ".json", ".jsonl")
# The official check splits a lower-cased run_id at this pattern and requires exactly two parts.
TASK = re.compile(r"_task_?(\d)_?")


def stem(path: Path) -> str:
    """Return the name of a run file without its format extensions: ``bm25.v2`` for ``bm25.v2.run.gz``."""
    name = path.name
    for endings in (_COMPRESSED, _RUN):
        for ending in endings:
            if name.lower().endswith(ending) and len(name) > len(ending):
                name = name[: -len(ending)]
                break
    return name


def valid_run_id(run_id: str) -> bool:
    """Return True if the official check accepts it: team, task and run name, as in ``ST_task1_bm25``."""
    return len(TASK.findall(run_id.lower())) == 1


def task_of(run_id: str) -> int | None:
    """Return the task number of a run_id; None if it is not a valid run_id."""
    match = TASK.search(run_id.lower())
    return int(match[1]) if match and valid_run_id(run_id) else None


def split_run_id(run_id: str) -> tuple[str | None, str]:
    """Split a run_id into team and run name; the team is None if it is not a valid run_id."""
    parts = TASK.search(run_id.lower())
    if not valid_run_id(run_id) or parts is None:
        return None, run_id
    return run_id[: parts.start()] or None, run_id[parts.end() :]


def run_id(name: str, *, team: str) -> str:
    """Return a valid run_id for a stored run: its name if that is a valid run_id, else ``TEAM_task1_NAME``."""
    if valid_run_id(name):
        return name
    team, name = (re.sub(r"_(task_?\d)", r"-\1", re.sub(r"\s+", "_", part), flags=re.IGNORECASE) for part in (team, name))
    return f"{team}_task1_{name}"

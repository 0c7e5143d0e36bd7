"""The names of runs: of a file, and as SimpleText's run_id."""

from __future__ import annotations

import re
from pathlib import Path

_COMPRESSED = (".gz", ".zst", ".bz2", ".xz")
_RUN = (".run", ".txt", ".trec", ".res", ".tsv", ".csv", ".json", ".jsonl")
# The official check splits a lower-cased run_id by this; exactly two parts must come out.
TASK = re.compile(r"_task_?(\d)_?")


def stem(path: Path) -> str:
    """The name of a run file without what tells its format: ``bm25.v2.run.gz`` is ``bm25.v2``."""
    name = path.name
    for endings in (_COMPRESSED, _RUN):
        for ending in endings:
            if name.lower().endswith(ending) and len(name) > len(ending):
                name = name[: -len(ending)]
                break
    return name


def valid_run_id(run_id: str) -> bool:
    """Whether the official check takes it: team, task and run name, as ``ST_task1_bm25``."""
    return len(TASK.findall(run_id.lower())) == 1


def task_of(run_id: str) -> int | None:
    """The number of the task in a run_id; None where it is no valid one."""
    found = TASK.search(run_id.lower())
    return int(found[1]) if found and valid_run_id(run_id) else None


def split_run_id(run_id: str) -> tuple[str | None, str]:
    """Team and run name of a run_id; no team where it is not a valid one."""
    parts = TASK.search(run_id.lower())
    if not valid_run_id(run_id) or parts is None:
        return None, run_id
    return run_id[: parts.start()] or None, run_id[parts.end() :]


def run_id(name: str, *, team: str) -> str:
    """A run_id for a stored run that the official check takes; a name that is one already stays."""
    if valid_run_id(name):
        return name
    team, name = (re.sub(r"_(task_?\d)", r"-\1", re.sub(r"\s+", "_", part), flags=re.IGNORECASE) for part in (team, name))
    return f"{team}_task1_{name}"

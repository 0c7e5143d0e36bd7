"""Fixtures that store small runs and read them back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest

from stcollection.runs.load import ImportedRun, ImportOptions, import_runs

Ranking = dict[str, list[str]]
Store = Callable[..., ImportedRun]


@pytest.fixture
def store(conn: psycopg.Connection, tmp_path: Path) -> Store:
    """Import a run from text, bytes or a path, and a decoy with the reverse ranking."""

    def store(run: str | bytes | Path, name: str = "mine", **options: Any) -> ImportedRun:
        if isinstance(run, Path):
            path = run
        else:
            path = tmp_path / f"{name}.run"
            path.write_bytes(run.encode() if isinstance(run, str) else run)
        [imported] = import_runs(conn, [path], name=name, options=ImportOptions(**options))
        conn.execute("INSERT INTO st1_runs (run) VALUES ('decoy') ON CONFLICT DO NOTHING")
        conn.execute("DELETE FROM stc.st1_rankings WHERE run = (SELECT id FROM st1_runs WHERE run = 'decoy')")
        conn.execute(
            "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score) SELECT d.id, r.query, r.doc,"
            " 1 + count(*) OVER (PARTITION BY r.query) - r.rank, -r.rel_score"
            " FROM stc.st1_rankings r JOIN st1_runs n ON n.id = r.run, st1_runs d WHERE n.run = %s AND d.run = 'decoy'",
            [name],
        )
        return imported

    return store


def ranking(conn: psycopg.Connection, run: str = "mine") -> Ranking:
    """Return the docnos of a run by query, best first, checking that ranks are 1, 2, 3 …"""
    found: Ranking = {}
    for query, docno, rank in conn.execute("SELECT query, docno, rank FROM rankings WHERE run = %s ORDER BY query, rank", [run]):
        found.setdefault(query, []).append(docno)
        assert rank == len(found[query])
    return found


def trec(run: Mapping[str, Sequence[tuple[str, float]]], tag: str = "tag") -> str:
    """Return a run file with ranks in the given order."""
    return "".join(
        f"{query} Q0 {docno} {rank} {score!r} {tag}\n" for query, rows in run.items() for rank, (docno, score) in enumerate(rows, 1)
    )

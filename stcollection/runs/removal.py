"""Remove runs by name or by source file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import psycopg

from stcollection.db.ledger import LedgerFile, find_file
from stcollection.db.removal import check_choice
from stcollection.db.rows import records
from stcollection.errors import translate
from stcollection.runs.listing import drop_runs, require_run, stored_runs
from stcollection.runs.unfinished import drop_unfinished, unfinished_runs

_COUNTS = """
SELECT n.run, n.team, count(DISTINCT r.query) AS queries, count(r.doc) AS ranked,
       (SELECT count(*) FROM st1_scores s WHERE s.run = n.id) AS scores,
       count(r.doc) FILTER (WHERE d.stub) AS stubs
  FROM st1_runs n LEFT JOIN stc.st1_rankings r ON r.run = n.id LEFT JOIN dblp d ON d.id = r.doc
 WHERE n.run = ANY (%s) GROUP BY n.id ORDER BY n.run
"""


class RemovedRun(NamedTuple):
    """A removed run; under ``dry_run``, one that would be removed.

    :param ranked: ranked documents. :param scores: imported scores. :param stubs: ranked documents that are stubs.
    :param unfinished: queries searched for unfinished runs with this name.
    """

    run: str
    team: str | None
    queries: int
    ranked: int
    scores: int
    stubs: int
    unfinished: int = 0


@translate()
def remove_runs(
    conn: psycopg.Connection, names: Sequence[str] = (), *, files: Sequence[str] = (), dry_run: bool = False
) -> list[RemovedRun]:
    """Remove runs with their rankings and scores, all or none; return them ordered by name. Unfinished runs are removed too.

    :param files: source files of runs, by path, file name or SHA-256. :param dry_run: count only; change nothing.
    :raises UnknownObject: a run or file is not stored. :raises BadArgument: both names and files, or neither; an ambiguous file.
    :raises StateError: a run belongs to another team or to no team.
    """
    check_choice(names, files, hint="Name runs, or the files they came from (--file; in Python file=).")
    with conn.transaction():
        runs = list(dict.fromkeys(names or [_of_file(conn, file) for file in files]))
        pending = unfinished_runs(conn, runs)
        searched: dict[str, int] = {}
        for unfinished in pending:
            searched[unfinished.run] = searched.get(unfinished.run, 0) + unfinished.done
        stored = stored_runs(conn, runs)
        for name in runs:
            if name not in searched:
                require_run(conn, name)
        counted = records(conn, RemovedRun, _COUNTS, [stored])
        removed = [row._replace(unfinished=searched.get(row.run, 0)) for row in counted]
        removed += [RemovedRun(name, None, 0, 0, 0, 0, searches) for name, searches in searched.items() if name not in stored]
        if not dry_run:
            drop_runs(conn, stored)
            drop_unfinished(conn, pending)
    return sorted(removed, key=lambda row: row.run)


def _of_file(conn: psycopg.Connection, name: str) -> str:
    """Return the run that was imported from a file."""
    rows = conn.execute(
        "SELECT id, source, sha256, made, run FROM st1_runs WHERE source IS NOT NULL AND sha256 IS NOT NULL ORDER BY id"
    ).fetchall()
    runs = {number: run for number, *_, run in rows}
    stored = [LedgerFile(number, source, sha256, made, f"run {run}") for number, source, sha256, made, run in rows]
    return str(runs[find_file(stored, name, listing="stc show runs", which="Name the run instead of the file.").id])

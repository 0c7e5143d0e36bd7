"""Runs that are made or come in, and editions that are closed: judged at once, so that whoever scores them first need not wait."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import psycopg

from stcollection.errors import BadArgument
from stcollection.evaluation.score import judge, judge_new
from stcollection.io.files import Progress
from stcollection.qrels import editions
from stcollection.qrels.editions import Sealed
from stcollection.retrieval.filters import Filter
from stcollection.retrieval.run import Ran, check_systems, run
from stcollection.runs import load
from stcollection.runs import receive as intake
from stcollection.runs.load import ImportedRun, ImportOptions
from stcollection.runs.receive import ACCEPTED, Receipt, TrackRules
from stcollection.vectors.model import Encoder


def make_runs(
    conn: psycopg.Connection,
    systems: Sequence[str],
    *,
    name: str | None = None,
    depth: int = 1000,
    team: str | None = None,
    replace: bool = False,
    filter: Filter | None = None,  # noqa: A002
    model: str | Encoder | None = None,
) -> Iterator[Ran]:
    """Make a run of each system; yields each as it is stored. See :func:`stcollection.retrieval.run.run`.

    :param name: of the run of a single system; None names each run like its system.
    :raises BadArgument: one name for several systems.
    :raises UnknownObject, StateError: a system cannot search this collection; then no run is made.
    """
    if name is not None and len(systems) > 1:
        raise BadArgument(
            f"one name, {name!r}, for {len(systems)} runs", hint="Make them one by one, or name none.", sqlstate="IR202"
        )
    if len(systems) > 1:  # before the first run is stored
        check_systems(conn, systems, model=model)
    for system in systems:
        made = run(conn, system=system, name=name or system, depth=depth, team=team, replace=replace, filter=filter, model=model)
        judge_new(conn, [made.run])
        yield made


def import_runs(
    conn: psycopg.Connection,
    paths: Sequence[Path],
    *,
    name: str | None = None,
    options: ImportOptions | None = None,
    progress: Progress | None = None,
) -> Iterator[ImportedRun]:
    """Import files, each a run; yields each as it is stored. See :func:`stcollection.runs.load.import_runs`."""
    new: list[str] = []
    for done in load.import_runs(conn, paths, name=name, options=options, progress=progress):
        new += [] if done.already else [done.run]
        yield done
    judge_new(conn, new)


def receive(conn: psycopg.Connection, folder: Path, *, rules: TrackRules) -> Iterator[Receipt]:
    """Take in the submissions of a folder; yields a receipt a file. See :func:`stcollection.runs.receive.receive`."""
    accepted: list[str] = []
    for receipt in intake.receive(conn, folder, rules=rules):
        accepted += [receipt.run] if receipt.state == ACCEPTED and receipt.run else []
        yield receipt
    judge_new(conn, accepted)


def seal(conn: psycopg.Connection, edition: str) -> Sealed:
    """Close an edition for good. See :func:`stcollection.qrels.editions.seal`."""
    done = editions.seal(conn, edition)
    judge(conn, edition=edition)
    return done

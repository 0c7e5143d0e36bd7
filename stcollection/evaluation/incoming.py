"""Create or import runs, or seal an edition, and compute the stored ranks at once, so that the first scoring does not wait."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psycopg

from stcollection.counts import counted
from stcollection.db.connection import vacuum
from stcollection.errors import BadArgument
from stcollection.evaluation.score import judge, judge_new
from stcollection.io.files import Progress
from stcollection.qrels import editions
from stcollection.qrels.editions import Sealed
from stcollection.retrieval.batches import OF_QUERIES, QuerySource
from stcollection.retrieval.batches import Progress as SearchProgress
from stcollection.retrieval.filters import Filter
from stcollection.retrieval.run import Ran, check_systems, run
from stcollection.runs import load
from stcollection.runs import receive as intake
from stcollection.runs.load import ImportedRun, ImportOptions, RunSource
from stcollection.runs.receive import ACCEPTED, Receipt, TrackRules
from stcollection.topics.sets import ALL
from stcollection.vectors.model import Encoder


def default_name(system: str, source: QuerySource = OF_QUERIES) -> str:
    """Return the name of a run of a system: the system, with -article if articles are searched."""
    return f"{system}-article" if source.of_articles else system


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
    queries: str = ALL,
    source: QuerySource = OF_QUERIES,
    workers: int | None = None,
    exact: bool | None = None,
    progress: SearchProgress | None = None,
) -> Iterator[Ran]:
    """Create a run of each system; yield each run once it is stored. See :func:`stcollection.retrieval.run.run`.

    :param name: name of the run of a single system; None: each run is named after its system (:func:`default_name`).
    :raises BadArgument: one name is given for several systems.
    :raises UnknownObject, StateError: a system cannot search this collection; no run is created.
    """
    if name is not None and len(systems) > 1:
        raise BadArgument(
            f"one name, {name!r}, is given for {counted(len(systems), 'run')}",
            hint="Create them one by one, or give no name.",
            sqlstate="IR202",
        )
    if len(systems) > 1:  # check all systems before the first run is stored
        check_systems(conn, systems, model=model)
    for system in systems:
        made = run(
            conn,
            system=system,
            name=name or default_name(system, source),
            depth=depth,
            team=team,
            replace=replace,
            filter=filter,
            model=model,
            queries=queries,
            source=source,
            workers=workers,
            exact=exact,
            progress=progress,
        )
        judge_new(conn, [made.run])
        yield made


def import_runs(
    conn: psycopg.Connection,
    paths: Sequence[Path],
    *,
    name: str | None = None,
    options: ImportOptions | None = None,
    warn: Callable[[str], None] | None = None,
    progress: Progress | None = None,
) -> Iterator[ImportedRun]:
    """Import files, one run each; yield each run once it is stored. See :func:`stcollection.runs.load.import_runs`."""
    new: list[str] = []
    for done in load.import_runs(conn, paths, name=name, options=options, warn=warn, progress=progress):
        new += [] if done.already else [done.run]
        yield done
    judge_new(conn, new)


def receive(conn: psycopg.Connection, folder: Path, *, rules: TrackRules) -> Iterator[Receipt]:
    """Import the submissions in a folder; yield one receipt per file. See :func:`stcollection.runs.receive.receive`."""
    accepted: list[str] = []
    for receipt in intake.receive(conn, folder, rules=rules):
        accepted += [receipt.run] if receipt.state == ACCEPTED and receipt.run else []
        yield receipt
    judge_new(conn, accepted)


def submit(conn: psycopg.Connection, path: Path, *, name: str, team: str, origin: RunSource, team_limit: int | None = None) -> str:
    """Store one checked file as a run of a team. See :func:`stcollection.runs.receive.submit`."""
    run = intake.submit(conn, path, name=name, team=team, origin=origin, team_limit=team_limit)
    vacuum(conn, "stc.ranked_lists")
    judge_new(conn, [run])
    return run


def seal(conn: psycopg.Connection, edition: str) -> Sealed:
    """Close an edition permanently. See :func:`stcollection.qrels.editions.seal`."""
    done = editions.seal(conn, edition)
    judge(conn, edition=edition)
    return done

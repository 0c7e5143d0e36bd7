"""The commands on data sets of answers: ``stc answers status``, ``files``, ``rejects``, ``drop`` and ``unload``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.options.removal import yes_option
from stcollection.cli.output import printable, render
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.studies.answers.sets import AnswerSetOverview, DroppedSplits, Problem, drop, files, overview, rejects
from stcollection.studies.answers.unload import unload


@command(overview)
def status_command(call: Call[list[AnswerSetOverview]], *, style: Style = "table") -> None:
    """Count the contents of each split of SET, or of all data sets.

    'unplaced' counts answers whose address is in no document of their query: they are used for training, but not for voting.
    'contradictory' counts pairs with two different labels.
    """
    with connect(call.settings) as conn:
        rows = call(conn)
    click.echo(render(rows, AnswerSetOverview._fields, style=style))


@command(files)
def files_command(call: Call[tuple[list[str], list[tuple[Any, ...]]]], *, style: Style = "table") -> None:
    """List the loaded files of each split."""
    with connect(call.settings) as conn:
        headers, rows = call(conn)
    click.echo(render(rows, headers, style=style))


@command(rejects)
def rejects_command(call: Call[list[Problem]], *, style: Style = "table") -> None:
    """List the lines in the files of SET that were not stored as written, with reasons."""
    with connect(call.settings) as conn:
        rows = call(conn)
    click.echo(render([row._replace(reason=printable(row.reason)) for row in rows], Problem._fields, style=style))


@command(drop)
def drop_command(call: Call[DroppedSplits], *, yes: Annotated[bool, yes_option] = False) -> None:
    """Remove SET, or one split of it, with its runs and the predictions of models for its answers."""
    name, split = call.given["set"], call.given.get("split")
    with connect(call.settings, autocommit=True) as conn:
        stored = [row for row in overview(conn, name) if split in (None, row.split)]
        if stored and not yes:
            contents = ", ".join(
                f"{row.split} ({counted(row.queries, 'query')}, {counted(row.pairs, 'pair')}, {counted(row.runs, 'run')})"
                for row in stored
            )
            click.confirm(f"Remove from {name!r}: {contents}?", abort=True)
        dropped = call(conn)
    click.echo(f"{printable(name)}: {counted(dropped.splits, 'split')} removed, {counted(dropped.runs, 'run')} with them")


@command(unload)
def unload_command(call: Call[list[tuple[Path, int]]]) -> None:
    """Write SET to FOLDER as files. Loading them again gives the same tables."""
    with connect(call.settings, autocommit=True) as conn:
        for path, lines in call(conn):
            click.echo(f"{path}: {counted(lines, 'line')}")

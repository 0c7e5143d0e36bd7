"""The command ``stc runs families``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.output import printable
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.imported import read_families
from stcollection.runs.families import set_families
from stcollection.runs.listing import runs

_NAMED = 10  # runs that a message names


@click.command("families")
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_obj
def command(settings: Settings, file: Path) -> None:
    """Set the family of stored runs from FILE: the run, its family, by tab or comma; further columns are left aside.

    The first row is a header, unless it names a stored run. Runs that are not stored are told and left aside; a run of another
    family gets this one. 'stc runs list' shows families, 'stc analysis bias' compares them.
    """
    with connect(settings) as conn:
        done = set_families(conn, read_families(file, systems={one.run for one in runs(conn)}))
    click.echo(f"{done.added:,} runs have a family now, {done.changed:,} another one, {done.unchanged:,} the same as before")
    for which, said in ((done.unknown, "not stored, left aside"), (done.without, "without a family still")):
        if which:
            more = f" and {len(which) - _NAMED:,} more" if len(which) > _NAMED else ""
            aside(printable(f"{len(which):,} {said}: {', '.join(which[:_NAMED])}{more}"))

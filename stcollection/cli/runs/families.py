"""The command ``stc runs families``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.output import printable
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.imported import read_families
from stcollection.runs.families import set_families
from stcollection.runs.listing import runs

_NAMED = 10  # number of runs that a message lists


@click.command("families")
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_obj
def command(settings: Settings, file: Path) -> None:
    """Set the family of stored runs from FILE with the columns run and family, separated by tab or comma.

    Further columns are ignored. The first row is a header, unless it names a stored run. Unknown runs are reported and skipped.
    'stc runs list' shows families, 'stc analysis bias' compares them.
    """
    with connect(settings) as conn:
        done = set_families(conn, read_families(file, systems={one.run for one in runs(conn)}))
    click.echo(f"family of {counted(done.added, 'run')} set, of {done.changed:,} changed, of {done.unchanged:,} unchanged")
    for which, said in ((done.unknown, "not stored, skipped"), (done.without, "without a family")):
        if which:
            more = f" and {len(which) - _NAMED:,} more" if len(which) > _NAMED else ""
            aside(printable(f"{len(which):,} {said}: {', '.join(which[:_NAMED])}{more}"))

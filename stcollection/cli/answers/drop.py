"""The command ``stc answers drop``."""

from __future__ import annotations

import click

from stcollection.cli.options.answers import only_split_option
from stcollection.cli.options.removal import yes_option
from stcollection.cli.output import printable
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers import sets


@click.command("drop")
@click.argument("name", metavar="SET")
@only_split_option
@yes_option
@click.pass_obj
def command(settings: Settings, name: str, split: str | None, yes: bool) -> None:
    """Remove SET, or one split of it, with its runs and the predictions of models for its answers."""
    with connect(settings, autocommit=True) as conn:
        there = [one for one in sets.overview(conn, name) if split in (None, one.split)]
        if there and not yes:
            what = ", ".join(
                f"{one.split} ({counted(one.queries, 'query')}, {counted(one.pairs, 'pair')}, {counted(one.runs, 'run')})"
                for one in there
            )
            click.confirm(f"Remove from {name!r}: {what}?", abort=True)
        gone = sets.drop(conn, name, split=split)
    click.echo(f"{printable(name)}: {counted(gone.splits, 'split')} removed, {counted(gone.runs, 'run')} with them")

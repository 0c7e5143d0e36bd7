"""The command ``stc synth drop``."""

from __future__ import annotations

import click

from stcollection.cli.options.removal import yes_option
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.synth import study as studies


@click.command("drop")
@click.argument("study")
@yes_option
@click.pass_obj
def command(settings: Settings, study: str, yes: bool) -> None:
    """Remove STUDY with its sample, scores and candidates. Published queries stay."""
    with connect(settings) as conn:
        there = [one for one in studies.overview(conn) if one.study == study]
        if there and there[0].candidates + there[0].scored + there[0].malformed and not yes:
            click.confirm(
                f"{study} has {counted(there[0].scored, 'score')} and {counted(there[0].candidates, 'candidate')}; remove them?",
                abort=True,
            )
        dropped = studies.drop(conn, study)
    click.echo(f"{study} removed with {counted(dropped, 'candidate')}")

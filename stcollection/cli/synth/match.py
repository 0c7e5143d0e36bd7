"""The command ``stc synth match``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option
from stcollection.cli.synth._match import distances, notes
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.synth.choose import match


@click.command("match")
@click.argument("study")
@format_option
@click.pass_obj
def command(settings: Settings, /, study: str, style: str) -> None:
    """Report how well the selected queries of STUDY match their target, as measured when they were selected.

    target, before, after: means, in words, of the target's pairs, of all candidates, and of the selected ones. TV: total variation
    distance from the target, 0 to 1. W1: Wasserstein-1 distance from the target, in words.
    """
    with connect(settings) as conn:
        found = match(conn, study)
    click.echo(distances(found, style))
    for line in notes(found, []):
        click.echo(line, err=style in ("json", "csv"))

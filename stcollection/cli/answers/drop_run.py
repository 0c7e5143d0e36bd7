"""The command ``stc answers drop-run``."""

from __future__ import annotations

import click

from stcollection.cli.output import printable
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers.runs import drop_run


@click.command("drop-run")
@click.argument("run")
@click.pass_obj
def command(settings: Settings, run: str) -> None:
    """Remove RUN with its clusters and predictions."""
    with connect(settings) as conn:
        drop_run(conn, run)
    click.echo(f"run {printable(run)} removed")

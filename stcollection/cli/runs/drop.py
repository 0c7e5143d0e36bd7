"""The command ``stc runs drop``."""

from __future__ import annotations

import click

from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.runs.listing import drop_runs


@click.command("drop")
@click.argument("names", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(settings: Settings, names: tuple[str, ...], yes: bool) -> None:
    """Remove the runs NAMES with all they rank."""
    if not yes:
        click.confirm(f"Remove {', '.join(names)}?", abort=True)
    with connect(settings) as conn:
        drop_runs(conn, names)
    click.echo(f"removed {', '.join(names)}")

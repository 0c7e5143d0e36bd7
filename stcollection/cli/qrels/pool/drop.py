"""The command ``stc qrels pool drop``."""

from __future__ import annotations

import click

from stcollection.cli.options.removal import yes_option
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels import pools as stored


@click.command("drop")
@click.argument("name")
@click.option("--drafts", is_flag=True, help="Drop the pool even if unsubmitted grades are lost.")
@yes_option
@click.pass_obj
def command(settings: Settings, name: str, drafts: bool, yes: bool) -> None:
    """Remove the pool NAME with its sheets. Submitted judgments stay in their editions."""
    if not yes:
        click.confirm(f"Remove the pool {name!r}?", abort=True)
    with connect(settings) as conn:
        count = stored.drop_pool(conn, name, drafts=drafts)
    click.echo(f"removed the pool {name!r}: {counted(count, 'document')}")

"""The command ``stc qrels pool drop``."""

from __future__ import annotations

import click

from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels import pools as stored


@click.command("drop")
@click.argument("name")
@click.option("--drafts", is_flag=True, help="Even if grades are lost that were never submitted.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(settings: Settings, name: str, drafts: bool, yes: bool) -> None:
    """Remove the pool NAME with its sheets. Submitted judgments stay in their editions."""
    if not yes:
        click.confirm(f"Remove the pool {name!r}?", abort=True)
    with connect(settings) as conn:
        count = stored.drop_pool(conn, name, drafts=drafts)
    click.echo(f"removed the pool {name!r}: {count:,} documents")

"""The command ``stc db uninstall``."""

from __future__ import annotations

import click

from stcollection.cli.options.removal import confirm_options
from stcollection.cli.output import printable
from stcollection.cli.quiet import aside
from stcollection.db.settings import Settings
from stcollection.db.uninstall import installation, uninstall


@click.command("uninstall")
@confirm_options
@click.pass_obj
def command(settings: Settings, yes: bool, dry_run: bool) -> None:
    """Remove a collection from a database of others, and keep the database.

    This removes what 'stc db upgrade --adopt' and later commands created: tables with their rows, functions, schemas, and logins,
    roles and extensions that nobody else uses. If objects of others depend on them, it names these and changes nothing.
    """
    click.echo(f"to remove from the database {settings.db!r}:")
    for line in installation(settings).lines():
        click.echo(printable(line))
    if dry_run:
        return
    if not yes:
        click.confirm("Remove all of this?", abort=True)
    for note in uninstall(settings):
        aside(printable(f"note: {note}"))
    click.echo(f"removed the collection from the database {settings.db!r}")

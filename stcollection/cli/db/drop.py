"""The command ``stc db drop``."""

from __future__ import annotations

import click

from stcollection.cli.options.completion import complete_collections
from stcollection.cli.options.removal import yes_option
from stcollection.cli.quiet import aside
from stcollection.db.collections import drop, drop_logins, own_logins
from stcollection.db.settings import Settings, named


@click.command("drop")
@click.argument("name", shell_complete=complete_collections)
@yes_option
@click.option("--with-logins", is_flag=True, help="Also drop the logins that only this collection used.")
@click.pass_obj
def command(settings: Settings, name: str, yes: bool, with_logins: bool) -> None:
    """Remove a collection and its contents. Logins that only it used are dropped if you agree, or with --with-logins."""
    settings = named(settings, name)
    if not yes:
        click.confirm(f"Remove the collection {settings.db!r} and its contents?", abort=True)
    logins = own_logins(settings)
    listed = ", ".join(logins)
    if logins and not yes and not with_logins:
        with_logins = click.confirm(f"Also drop the logins that only {settings.db!r} used: {listed}?")
    drop(settings)
    click.echo(f"removed the collection {settings.db!r}")
    if logins and not with_logins:
        aside(f"note: logins that only it used stay on the server: {listed}. 'stc db user' adds them to another collection.")
    elif stay := drop_logins(settings, logins):
        aside(f"note: could not drop the logins {', '.join(stay)}: others use them, or you may not.")

"""Commands on collections: ``stc db create``, ``drop`` and ``reset``, and ``stc show collections``."""

from __future__ import annotations

import click

from stcollection.cli.options.completion import complete_collections
from stcollection.cli.options.removal import yes_option
from stcollection.cli.output import format_option, printable, render
from stcollection.cli.quiet import aside
from stcollection.db.adoption import preview
from stcollection.db.collections import collections, create, drop, drop_logins, own_logins, reset
from stcollection.db.settings import Settings, named


@click.command("create")
@click.argument("name", required=False)
@click.option("--if-not-exists", is_flag=True, help="Do not fail if the collection exists; upgrade it to this version.")
@click.option("--shards", metavar="N", type=int, help="Distribute it over the servers of a Citus cluster, in N shards.")
@click.option("--plan", "planned", is_flag=True, help="List what would be created, and change nothing.")
@click.pass_obj
def create_command(settings: Settings, name: str | None, if_not_exists: bool, shards: int | None, planned: bool) -> None:
    """Create an empty collection, in a new database or in an empty one that exists.

    With --shards, the database must be prepared on every server; see docs/howto/cluster.md.
    """
    settings = named(settings, name)
    if planned:
        for line in preview(settings) or [
            f"the collection {settings.db!r} already exists; 'stc db upgrade --plan' lists its changes"
        ]:
            click.echo(printable(line))
        return
    made = create(settings, exist_ok=if_not_exists, shards=shards)
    click.echo(f"{'created' if made else 'found'} the collection {settings.db!r}")


@click.command("drop")
@click.argument("name", shell_complete=complete_collections)
@yes_option
@click.option("--with-logins", is_flag=True, help="Also drop the logins that only this collection used.")
@click.pass_obj
def drop_command(settings: Settings, name: str, yes: bool, with_logins: bool) -> None:
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


@click.command("list")
@format_option
@click.pass_obj
def list_command(settings: Settings, style: str) -> None:
    """List the collections of the server."""
    rows = [
        (one.name, one.bytes if one.bytes is None or style in ("json", "csv") else f"{one.bytes / 2**20:.1f} MB")
        for one in collections(settings)
    ]
    click.echo(render(rows, ["collection", "size"], style=style))


@click.command("reset")
@yes_option
@click.pass_obj
def reset_command(settings: Settings, yes: bool) -> None:
    """Empty the collection: drop it and create it again."""
    if not yes:
        click.confirm(f"Empty the collection {settings.db!r}? Its contents will be lost.", abort=True)
    reset(settings)
    click.echo(f"emptied the collection {settings.db!r}")

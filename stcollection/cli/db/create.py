"""The command ``stc db create``."""

from __future__ import annotations

import click

from stcollection.cli.output import printable
from stcollection.db.adoption import preview
from stcollection.db.collections import create
from stcollection.db.settings import Settings, named


@click.command("create")
@click.argument("name", required=False)
@click.option("--if-not-exists", is_flag=True, help="Do not fail if the collection exists; upgrade it to this version.")
@click.option("--shards", metavar="N", type=int, help="Distribute it over the servers of a Citus cluster, in N shards.")
@click.option("--plan", "planned", is_flag=True, help="List what would be created, and change nothing.")
@click.pass_obj
def command(settings: Settings, name: str | None, if_not_exists: bool, shards: int | None, planned: bool) -> None:
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

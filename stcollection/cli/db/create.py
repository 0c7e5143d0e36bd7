"""The command ``stc db create``."""

from __future__ import annotations

import click

from stcollection.db.collections import create
from stcollection.db.settings import Settings, named


@click.command("create")
@click.argument("name", required=False)
@click.option("--if-not-exists", is_flag=True, help="Do not fail if the collection exists; upgrade it to this version.")
@click.option("--shards", metavar="N", type=int, help="Distribute it over the servers of a Citus cluster, in N shards.")
@click.pass_obj
def command(settings: Settings, name: str | None, if_not_exists: bool, shards: int | None) -> None:
    """Create an empty collection.

    With --shards, the database must be prepared on every server; see docs/howto/cluster.md.
    """
    settings = named(settings, name)
    made = create(settings, exist_ok=if_not_exists, shards=shards)
    click.echo(f"{'created' if made else 'found'} the collection {settings.db!r}")

"""The command ``stc db undistribute``."""

from __future__ import annotations

import click

from stcollection.counts import counted
from stcollection.db.distribution import undistribute
from stcollection.db.settings import Settings


@click.command("undistribute")
@click.pass_obj
def command(settings: Settings) -> None:
    """Move a distributed collection back to one server, with the keys and triggers it had.

    The BM25 index and the vector indexes must then be built again.
    """
    before = undistribute(settings)
    click.echo(
        f"moved {counted(before.shards, 'shard')} of {settings.db!r} from {counted(before.workers, 'server')} back to this one"
    )
    click.echo("build indexes: 'stc text index' and 'stc vectors index'; 'stc vectors status' shows which existed")

"""The command ``stc db undistribute``."""

from __future__ import annotations

import click

from stcollection.db.distribution import undistribute
from stcollection.db.settings import Settings


@click.command("undistribute")
@click.pass_obj
def command(settings: Settings) -> None:
    """Move a distributed collection back to one server, with the keys and triggers it had.

    The BM25 index and the vector indexes must then be built again.
    """
    before = undistribute(settings)
    click.echo(f"moved {before.shards} shards of {settings.db!r} from {before.workers} servers back to this one")
    click.echo("build indexes: 'stc text index' and 'stc vectors index'; 'stc vectors status' shows which existed")

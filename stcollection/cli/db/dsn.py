"""The command ``stc db dsn``."""

from __future__ import annotations

import click
import psycopg

from stcollection.db.connection import connect, conninfo
from stcollection.db.settings import Settings


@click.command("dsn")
@click.pass_obj
def command(settings: Settings) -> None:
    """Print the connection string of the collection, for psql, notebooks and other programs."""
    with connect(settings) as conn:
        assert isinstance(conn, psycopg.Connection)
    click.echo(conninfo(settings, application=""))

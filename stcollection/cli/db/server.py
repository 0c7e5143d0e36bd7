"""Commands on the server: ``stc db start``, ``stop`` and ``dsn``."""

from __future__ import annotations

import click
import psycopg

from stcollection.db.connection import connect, conninfo
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument


def embedded(settings: Settings) -> EmbeddedServer:
    if not settings.embedded:
        raise BadArgument(
            "the server is the one that STC_DSN or PG* names, not the embedded one", hint="Start and stop it with its own tools."
        )
    return EmbeddedServer(settings.home)


@click.command("start")
@click.pass_obj
def start_command(settings: Settings) -> None:
    """Start the embedded server. It runs until it is stopped."""
    server = embedded(settings)
    server.ensure()
    click.echo(f"the server runs (pid {server.pid()}), its data is in {server.data}")


@click.command("stop")
@click.pass_obj
def stop_command(settings: Settings) -> None:
    """Stop the embedded server."""
    stopped = embedded(settings).stop()
    click.echo("the server is stopped" if stopped else "no server was running")


@click.command("dsn")
@click.pass_obj
def dsn_command(settings: Settings) -> None:
    """Print the connection string of the collection, for psql, notebooks and other programs."""
    with connect(settings) as conn:
        assert isinstance(conn, psycopg.Connection)
    click.echo(conninfo(settings, application=""))

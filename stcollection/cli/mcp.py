"""The command ``stc mcp``: a server for assistants."""

from __future__ import annotations

import click

from stcollection.cli._servers import server
from stcollection.cli.options import packed
from stcollection.db.settings import Settings
from stcollection.mcp import AnswerLimits, ListenOptions


@click.command("mcp")
@click.option("--http", is_flag=True, help="Listen for HTTP instead of using stdin and stdout.")
@click.option(
    "--host",
    default=ListenOptions.host,
    show_default=True,
    help="Address to listen on. Addresses other than loopback require a token.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=ListenOptions.port, show_default=True, help="Port; 0 selects a free one."
)
@click.option("--allow-host", "allowed", metavar="NAME", multiple=True, help="Also accept this host name in requests. Repeatable.")
@click.option(
    "--public-url", metavar="URL", help="Address behind a reverse proxy, such as https://assist.example. Requires a token."
)
@click.option(
    "--rows",
    type=click.IntRange(1, 10_000),
    default=AnswerLimits.rows,
    show_default=True,
    help="Largest number of rows per answer.",
)
@click.option(
    "--bytes",
    type=click.IntRange(1000, 50_000_000),
    default=AnswerLimits.size,
    show_default=True,
    help="Largest size of an answer.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.1, 600),
    default=AnswerLimits.seconds,
    show_default=True,
    help="Longest time of a statement.",
)
@packed(ListenOptions, "place")
@packed(AnswerLimits, "limits", bytes="size")
@click.pass_obj
def command(settings: Settings, http: bool, place: ListenOptions, limits: AnswerLimits) -> None:
    """Serve the collection to assistants by the Model Context Protocol.

    Assistants can search, read documents, list, score and compare runs, and run SQL queries. They have the rights of a reader: they
    see no hidden edition and change nothing. Without --http, an assistant starts this command and uses its stdin and stdout.
    """
    if place != ListenOptions() and not http:
        raise click.UsageError("--host, --port, --allow-host and --public-url need --http.")
    service = server("mcp")
    service.serve(
        settings,
        http=place if http else None,
        limits=limits,
        say=lambda text: click.echo(text, err=not http),
    )

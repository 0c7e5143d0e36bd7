"""The command ``stc serve assistants``: a server for assistants."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import click

from stcollection.cli._servers import server
from stcollection.cli.options import packed
from stcollection.cli.options.licences import licence_option
from stcollection.db.settings import Settings
from stcollection.web import ports


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Where the server listens, and how clients reach it."""

    host: str = "127.0.0.1"
    port: int = ports.MCP
    allowed: tuple[str, ...] = ()
    public_url: str | None = None


@dataclass(frozen=True, kw_only=True)
class _Limits:
    """Limits of a tool call."""

    rows: int
    size: int
    seconds: float


@click.command("mcp")
@click.option("--http", is_flag=True, help="Listen for HTTP instead of using stdin and stdout.")
@click.option(
    "--host", default=_Place.host, show_default=True, help="Address to listen on. Addresses other than loopback require a token."
)
@click.option("--port", type=click.IntRange(0, 65535), default=_Place.port, show_default=True, help="Port; 0 selects a free one.")
@click.option("--allow-host", "allowed", metavar="NAME", multiple=True, help="Also accept this host name in requests. Repeatable.")
@click.option(
    "--public-url", metavar="URL", help="Address behind a reverse proxy, such as https://assist.example. Requires a token."
)
@click.option("--rows", type=click.IntRange(1, 10_000), default=200, show_default=True, help="Largest number of rows per answer.")
@click.option(
    "--bytes", type=click.IntRange(1000, 50_000_000), default=200_000, show_default=True, help="Largest size of an answer."
)
@click.option("--seconds", type=click.FloatRange(0.1, 600), default=10, show_default=True, help="Longest time of a statement.")
@licence_option("Return texts only of documents with these licences, and offer no SQL")
@packed(_Place, "place")
@packed(_Limits, "limits", bytes="size")
@click.pass_obj
def command(settings: Settings, http: bool, licences: tuple[str, ...], place: _Place, limits: _Limits) -> None:
    """Serve the collection to assistants by the Model Context Protocol.

    Assistants can search, read documents, list, score and compare runs, and run SQL queries. They have the rights of a reader: they
    see no hidden edition and change nothing. Without --http, an assistant starts this command and uses its stdin and stdout.
    """
    if place != _Place() and not http:
        raise click.UsageError("--host, --port, --allow-host and --public-url need --http.")
    service = server("mcp")
    service.serve(
        settings,
        http=service.ListenOptions(**asdict(place)) if http else None,
        limits=service.AnswerLimits(**asdict(limits)),
        licences=licences,
        say=lambda text: click.echo(text, err=not http),
    )

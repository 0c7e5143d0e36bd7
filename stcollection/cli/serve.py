"""The command ``stc serve embeddings``: the embedding service."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import click

from stcollection.cli._servers import server
from stcollection.cli.options import packed
from stcollection.db.settings import Settings
from stcollection.web import ports


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Addresses: where the service listens, and how clients reach it."""

    host: str
    port: int
    address: str | None
    allowed: tuple[str, ...]
    public_url: str | None
    register: bool


@dataclass(frozen=True, kw_only=True)
class _Load:
    """Limits of the service."""

    queue: int
    chars: int
    batch: int | None


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=ports.SERVE, show_default=True, help="Port; 0 selects a free one.")
@click.option(
    "--model",
    "models",
    metavar="NAME",
    multiple=True,
    help="Model to serve: a short name of the collection, a full name, or a folder. Repeatable.  [default: the collection's]",
)
@click.option("--max-queue", type=click.IntRange(min=1), default=4096, show_default=True, help="Largest number of waiting texts.")
@click.option(
    "--max-chars", type=click.IntRange(min=1), default=10_000, show_default=True, help="Largest number of characters per text."
)
@click.option("--batch", type=click.IntRange(min=1), help="Texts per forward pass.  [default: 16 on a CPU, 256 on a GPU]")
@click.option(
    "--register/--no-register",
    default=True,
    help="Register the service in the collection, so that SQL functions call it.  [default: on]",
)
@click.option(
    "--address", metavar="URL", help="Address at which the database server reaches the service.  [default: http://HOST:PORT]"
)
@click.option(
    "--allow-host",
    "allowed",
    metavar="NAME",
    multiple=True,
    help="Also accept this host name in requests. Repeatable.",
)
@click.option(
    "--public-url",
    metavar="URL",
    help="Address behind a reverse proxy, such as https://embed.example.",
)
@packed(_Place, "place")
@packed(_Load, "load", max_queue="queue", max_chars="chars")
@click.pass_obj
def command(
    settings: Settings,
    place: _Place,
    models: tuple[str, ...],
    load: _Load,
) -> None:
    """Serve embeddings with OpenAI's API: POST /v1/embeddings, GET /v1/models, /health, /metrics.

    SQL functions of the collection can then embed any query: SELECT * FROM hybrid_search('gene editing ethics'). Ctrl-C stops the
    service.
    """
    service = server("serve")
    options = service.ServiceOptions(models=models, limits=service.Limits(**asdict(load)), **asdict(place))
    service.run(settings, options, say=click.echo, warn=lambda text: click.echo(text, err=True))

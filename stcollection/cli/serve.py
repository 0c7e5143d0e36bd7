"""``stc serve``: the embedding service."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import click

from stcollection.cli._servers import server
from stcollection.cli.options import packed
from stcollection.db.settings import Settings


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Where the service listens, and by what names it is reached."""

    host: str
    port: int
    address: str | None
    allowed: tuple[str, ...]
    public_url: str | None
    register: bool


@dataclass(frozen=True, kw_only=True)
class _Load:
    """What the service takes on."""

    queue: int
    chars: int
    batch: int | None


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes a free one.")
@click.option(
    "--model",
    "models",
    metavar="NAME",
    multiple=True,
    help="A short name of the collection, or any full name or folder. Repeat it for several.  [default: the collection's]",
)
@click.option("--max-queue", type=click.IntRange(min=1), default=4096, show_default=True, help="Texts that may wait.")
@click.option("--max-chars", type=click.IntRange(min=1), default=10_000, show_default=True, help="Characters a text.")
@click.option("--batch", type=click.IntRange(min=1), help="Texts a forward pass.  [default: 16 on a CPU, 256 on a GPU]")
@click.option(
    "--register/--no-register", default=True, help="Name the service to the collection, so that SQL calls it.  [default: on]"
)
@click.option("--address", metavar="URL", help="How the database server reaches it.  [default: http://HOST:PORT]")
@click.option(
    "--allow-host",
    "allowed",
    metavar="NAME",
    multiple=True,
    help="Also answer to this host name, as clients write it in the address. Repeat it for several.",
)
@click.option(
    "--public-url",
    metavar="URL",
    help="The address behind a reverse proxy, as https://embed.example.",
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
    """Serve embeddings, as OpenAI's API does: POST /v1/embeddings, GET /v1/models, /health, /metrics.

    SQL on the collection then embeds any query: SELECT * FROM hybrid_search('gene editing ethics'). Ends by ctrl-C.
    """
    service = server("serve")
    options = service.ServiceOptions(models=models, limits=service.Limits(**asdict(load)), **asdict(place))
    service.run(settings, options, say=click.echo, warn=lambda text: click.echo(text, err=True))

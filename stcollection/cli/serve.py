"""``stc serve``: the embedding service."""

from __future__ import annotations

import click

from stcollection.cli._servers import server
from stcollection.db.settings import Settings


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
@click.pass_obj
def command(
    settings: Settings,
    host: str,
    port: int,
    models: tuple[str, ...],
    max_queue: int,
    max_chars: int,
    batch: int | None,
    register: bool,
    address: str | None,
    allowed: tuple[str, ...],
    public_url: str | None,
) -> None:
    """Serve embeddings, as OpenAI's API does: POST /v1/embeddings, GET /v1/models, /health, /metrics.

    SQL on the collection then embeds any query: SELECT * FROM hybrid_search('gene editing ethics'). Ends by ctrl-C.
    """
    service = server("serve")
    options = service.ServiceOptions(
        host=host,
        port=port,
        models=models,
        limits=service.Limits(queue=max_queue, chars=max_chars, batch=batch),
        register=register,
        address=address,
        allowed=allowed,
        public_url=public_url,
    )
    service.run(settings, options, say=click.echo, warn=lambda text: click.echo(text, err=True))

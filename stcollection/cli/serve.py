"""``stc serve``: the embedding service."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence

import click

from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import StateError, UnknownObject
from stcollection.serve import Limits
from stcollection.vectors.model import Encoder, load
from stcollection.vectors.store import registered

_NEEDED = ("fastapi", "uvicorn", "prometheus_client")


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes a free one.")
@click.option(
    "--model", "models", metavar="NAME", multiple=True,
    help="A short name of the collection, or any full name or folder. Repeat it for several.  [default: the collection's]",
)  # fmt: skip
@click.option("--max-queue", type=click.IntRange(min=1), default=4096, show_default=True, help="Texts that may wait.")
@click.option("--max-chars", type=click.IntRange(min=1), default=10_000, show_default=True, help="Characters a text.")
@click.option("--batch", type=click.IntRange(min=1), help="Texts a forward pass.  [default: 16 on a CPU, 256 on a GPU]")
@click.option(
    "--register/--no-register", default=True, help="Name the service to the collection, so that SQL calls it.  [default: on]"
)
@click.option("--address", metavar="URL", help="How the database server reaches it.  [default: http://HOST:PORT]")
@click.option(
    "--allow-host", "allowed", metavar="NAME", multiple=True,
    help="Also answer to this host name, as clients write it in the address. Repeat it for several.",
)  # fmt: skip
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
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise StateError(f"the service needs {', '.join(missing)}", hint="pip install 'stcollection[serve]'", sqlstate="IR404")
    from stcollection.serve import server
    from stcollection.serve.guard import accept, host_of

    loaders = _loaders(settings, models, batch=batch, known=register)
    bound = server.listen(host, port)
    here = server.address(bound)
    names = (*allowed, *host_of(address or ""))
    accepted = accept(host=host, loopback=server.is_loopback(bound), allowed=names, public_url=public_url)
    if not server.is_loopback(bound):
        click.echo(f"stc: warning: {host} is reached from other machines, and the service asks nobody who they are", err=True)
    if register:
        _register(settings, address or here)
    click.echo(f"listening on {here}/v1/embeddings, loading")
    limits = Limits(queue=max_queue, chars=max_chars, batch=batch)

    def ready(encoders: Sequence[Encoder]) -> None:
        click.echo(f"ready: {', '.join(f'{one.short} ({one.name}, {one.dim} dimensions)' for one in encoders)}; ctrl-C ends it")

    server.serve(bound, lambda: [load() for load in loaders], limits=limits, accepted=accepted, on_ready=ready)
    click.echo("stopped")


def _loaders(settings: Settings, names: Sequence[str], *, batch: int | None, known: bool) -> list[Callable[[], Encoder]]:
    """What loads each model.

    :param known: look them up in the collection; the collection's default one if none is named.
    """
    from stcollection.serve.server import load_registered

    if not known:
        return [lambda name=name: load(name, batch=batch) for name in names or (None,)]  # type: ignore[misc]
    loaders: list[Callable[[], Encoder]] = []
    with connect(settings, autocommit=True) as conn:
        for name in names or (None,):
            try:
                row = registered(conn, name)
                loaders.append(lambda row=row: load_registered(row, batch=batch))  # type: ignore[misc]
            except UnknownObject:
                loaders.append(lambda name=name: load(name, batch=batch))  # type: ignore[misc]
    return loaders


def _register(settings: Settings, url: str) -> None:
    from stcollection.serve.server import register

    with connect(settings) as conn:
        try:
            register(conn, url)
            click.echo(f"the collection {settings.db!r} calls it at {url}")
        except StateError as error:  # it can serve others all the same
            click.echo(f"stc: warning: SQL cannot call it: {error.message}", err=True)
            click.echo(f"     {error.hint}", err=True)

"""Run the service: its socket, its server, and its registration for SQL."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import psycopg
import uvicorn

from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import StateError, translate
from stcollection.serve import Limits
from stcollection.serve.app import make_app
from stcollection.vectors.model import Encoder, EncoderOptions, full_name, load
from stcollection.vectors.queries import encoder_of
from stcollection.vectors.store import registered
from stcollection.web import ports
from stcollection.web.guard import Accepted, accept, host_of
from stcollection.web.sockets import address, asked_to_stop, is_loopback, listen

DEFAULT_PORT = ports.SERVE
# Time that running requests have to finish when the service stops.
_GRACE_SECONDS = 10


@dataclass(frozen=True, kw_only=True)
class ServiceOptions:
    """Options of a service.

    :param models: short names in the collection, full names or folders; empty: the collection's default model.
    :param register: register the service with the collection, so that SQL calls it.
    :param address: its address as the database server reaches it.
    :param allowed: further host names to accept. :param public_url: its address behind a reverse proxy.
    """

    host: str
    port: int = DEFAULT_PORT
    models: Sequence[str] = ()
    limits: Limits = field(default_factory=Limits)
    register: bool = True
    address: str | None = None
    allowed: Sequence[str] = ()
    public_url: str | None = None


def run(settings: Settings, options: ServiceOptions, *, say: Callable[[str], object], warn: Callable[[str], object]) -> None:
    """Serve until SIGTERM or ctrl-C.

    :param say: prints progress. :param warn: prints warnings.
    :raises UnknownObject: a model is not installed on this machine. :raises StateError: the address is in use.
    """
    loaders = _loaders(settings, options)
    bound = listen(options.host, options.port)
    url = address(bound)
    names = (*options.allowed, *host_of(options.address or ""))
    accepted = accept(host=options.host, loopback=is_loopback(bound), allowed=names, public_url=options.public_url)
    if not is_loopback(bound):
        warn(f"stc: warning: other machines can reach {options.host}, and the service has no authentication")
    if options.register:
        _register(settings, options.address or url, say=say, warn=warn)
    say(f"listening on {url}/v1/embeddings, loading models")

    def ready(encoders: Sequence[Encoder]) -> None:
        listing = ", ".join(f"{encoder.short} ({encoder.name}, {encoder.dim} dimensions)" for encoder in encoders)
        say(f"ready: {listing}; press ctrl-C to stop")

    serve(bound, lambda: [load() for load in loaders], limits=options.limits, accepted=accepted, on_ready=ready)
    say("stopped")


def _loaders(settings: Settings, options: ServiceOptions) -> list[Callable[[], Encoder]]:
    """Return a loader for each model, or for each of the short names of one.

    Names are looked up in the collection if the service is registered with it.
    """
    batch = options.limits.batch
    if not options.register:
        return [partial(load, name, options=EncoderOptions(batch=batch)) for name in options.models or (None,)]
    loaders: list[Callable[[], Encoder]] = []
    with connect(settings, autocommit=True) as conn:
        stored = [registered(conn, model) for (model,) in conn.execute("SELECT model FROM stc.vector_models ORDER BY added, model")]
        for name in options.models or (None,):
            spaces = (
                [registered(conn)]
                if name is None
                else [space for space in stored if name == space.model]
                or [space for space in stored if space.name == full_name(name)]
            )
            loaders += [
                partial(encoder_of, space, given=None if name in (None, space.model) else name, batch=batch) for space in spaces
            ]
            if not spaces:
                loaders.append(partial(load, name, options=EncoderOptions(batch=batch)))
    return loaders


def _register(settings: Settings, url: str, *, say: Callable[[str], object], warn: Callable[[str], object]) -> None:
    with connect(settings) as conn:
        try:
            register(conn, url)
            say(f"registered with the collection {settings.db!r} at {url}")
        except StateError as error:  # other clients can still use the service
            warn(f"stc: warning: SQL cannot call the service: {error.message}\n     {error.hint}")


@translate()
def register(conn: psycopg.Connection, url: str) -> None:
    """Register a service with a collection, so that embed_query calls it. Creates the extension http if needed.

    :raises BadArgument: the address is not valid.
    :raises StateError: the server does not have pgsql-http, or the role cannot create it.
    """
    with conn.transaction():
        conn.execute("CALL connect_embedding_service(%s)", [url])


def serve(
    bound: socket.socket,
    models: Callable[[], Sequence[Encoder]],
    *,
    limits: Limits | None = None,
    accepted: Accepted | None = None,
    on_ready: Callable[[Sequence[Encoder]], Any] | None = None,
) -> None:
    """Serve until SIGTERM or ctrl-C. Running requests are finished first.

    :param models: loads the models; its error stops the service and is raised here. :param accepted: host names to accept.
    """
    app = make_app(models, limits=limits, accepted=accepted, on_ready=on_ready)
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            lifespan="on",
            server_header=False,
            timeout_graceful_shutdown=_GRACE_SECONDS,
            timeout_keep_alive=60,
            proxy_headers=False,
        )
    )

    def end() -> None:
        server.should_exit = True

    app.state.failed = end
    with asked_to_stop():
        server.run(sockets=[bound])
    if app.state.error is not None:
        raise app.state.error

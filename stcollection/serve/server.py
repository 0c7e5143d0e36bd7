"""A running service: its socket, its server, and its address for SQL."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
import uvicorn

from stcollection.errors import StateError, translate
from stcollection.serve import Limits
from stcollection.serve.app import make_app
from stcollection.serve.guard import Accepted
from stcollection.vectors.model import Embedder, Encoder
from stcollection.vectors.queries import encoder_of
from stcollection.vectors.store import Model

DEFAULT_PORT = 8765
_LOOPBACK = ("127.", "::1")
# What a stop waits for requests in work.
_GRACE_SECONDS = 10


def listen(host: str, port: int) -> socket.socket:
    """A socket bound to an address. :param port: 0 takes a free one.

    :raises StateError: the address is taken, or none of this machine.
    """
    try:
        [(family, kind, protocol, _, address), *_] = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError as error:
        raise StateError(
            f"cannot listen on {host}:{port}: {error.strerror or error}", hint="Another service may run there: take another --port."
        ) from error
    return bound


def is_loopback(bound: socket.socket) -> bool:
    """Whether only this machine reaches the socket."""
    return str(bound.getsockname()[0]).startswith(_LOOPBACK)


def address(bound: socket.socket) -> str:
    """The address of a service as the same machine reaches it: ``http://127.0.0.1:8765``."""
    host, port = bound.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@translate()
def register(conn: psycopg.Connection, url: str) -> None:
    """Name a service to a collection, so that embed_query calls it; makes the extension http.

    :raises BadArgument: it is no address of a service.
    :raises StateError: the server does not have pgsql-http, or the role may not create it.
    """
    with conn.transaction():
        conn.execute("CALL connect_embedding_service(%s)", [url])


def load_registered(model: Model, *, batch: int | None = None) -> Embedder:
    """The model of a registry row, in memory.

    :raises UnknownObject: it is not on this machine. :raises StateError: the one that is has another dimension.
    """
    encoder = encoder_of(model, batch=batch)
    if encoder.dim != model.dim:
        raise StateError(
            f"{model.name} has {encoder.dim} dimensions here, the vectors of {model.model} have {model.dim}",
            hint="Serve the model that the documents were embedded by.",
            sqlstate="IR403",
        )
    return encoder


def serve(
    bound: socket.socket,
    models: Callable[[], Sequence[Encoder]],
    *,
    limits: Limits | None = None,
    accepted: Accepted | None = None,
    on_ready: Callable[[Sequence[Encoder]], Any] | None = None,
) -> None:
    """Serve until SIGTERM or ctrl-C; requests in work are answered first.

    :param models: loads them; what it raises ends the service and is raised here. :param accepted: the names it answers to.
    """
    app = make_app(models, limits=limits, accepted=accepted, on_ready=on_ready)
    server = uvicorn.Server(
        uvicorn.Config(
            app, log_level="warning", access_log=False, lifespan="on", server_header=False,
            timeout_graceful_shutdown=_GRACE_SECONDS, timeout_keep_alive=60, proxy_headers=False,
        )
    )  # fmt: skip

    def end() -> None:
        server.should_exit = True

    app.state.failed = end
    with asked_to_stop():
        server.run(sockets=[bound])
    if app.state.error is not None:
        raise app.state.error


@contextmanager
def asked_to_stop() -> Iterator[None]:
    """Where a signal that ends a service is no failure: uvicorn raises it again once it has stopped."""
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

"""Where a server listens, and how it ends."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from stcollection.errors import StateError

_LOOPBACK = ("127.", "::1")


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


@contextmanager
def asked_to_stop() -> Iterator[None]:
    """Where a signal that ends a service is no failure: uvicorn raises it again once it has stopped."""
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

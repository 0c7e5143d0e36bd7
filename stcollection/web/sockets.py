"""Sockets and signals of a server."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from stcollection.errors import StateError

_LOOPBACK = ("127.", "::1")


def listen(host: str, port: int) -> socket.socket:
    """Return a socket bound to an address. :param port: 0 chooses a free port.

    :raises StateError: the address is in use, or does not belong to this machine.
    """
    try:
        [(family, kind, protocol, _, address), *_] = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError as error:
        raise StateError(
            f"cannot listen on {host}:{port}: {error.strerror or error}", hint="If the port is in use, choose another with --port."
        ) from error
    return bound


def is_loopback(bound: socket.socket) -> bool:
    """Return True if only this machine can reach the socket."""
    return str(bound.getsockname()[0]).startswith(_LOOPBACK)


def address(bound: socket.socket) -> str:
    """Return the URL of a socket for clients on this machine: ``http://127.0.0.1:8765``."""
    host, port = bound.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def asked_to_stop() -> Iterator[None]:
    """Ignore SIGTERM and SIGINT in this block: uvicorn, which handles them itself, raises them again after it has stopped."""
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

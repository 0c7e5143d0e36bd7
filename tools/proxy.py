"""Count the rows that PostgreSQL servers send: a proxy in front of each, which reads the types of messages that pass."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

_HOST = "127.0.0.1"
_ROW = ord("D")  # DataRow, see "Message Formats" in the documentation of PostgreSQL


@dataclass
class RowCounter:
    """:ivar rows: rows of results sent by all servers since the last reset."""

    rows: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, rows: int) -> None:
        with self._lock:
            self.rows += rows

    def reset(self) -> None:
        with self._lock:
            self.rows = 0


class _Messages:
    """Counts the rows in a stream of messages: a type, a length that includes itself, and the content."""

    def __init__(self) -> None:
        self._head = b""
        self._left = 0

    def rows(self, data: bytes) -> int:
        found = place = 0
        while place < len(data):
            if self._left:
                skipped = min(self._left, len(data) - place)
                self._left -= skipped
                place += skipped
                continue
            needed = 5 - len(self._head)
            self._head += data[place : place + needed]
            place += needed
            if len(self._head) == 5:
                found += self._head[0] == _ROW
                self._left = int.from_bytes(self._head[1:]) - 4
                self._head = b""
        return found


class Line:
    """A line to a server. :ivar port: its end for clients."""

    def __init__(self, port: int, open_: list[socket.socket]) -> None:
        self.port = port
        self._open = open_

    def cut(self) -> None:
        """End all connections at once, and refuse new ones."""
        for one in list(self._open):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


@contextlib.contextmanager
def proxy(port: int, counter: RowCounter) -> Iterator[int]:
    """Forward connections to a server that does not encrypt. :returns: the port of the proxy."""
    with line(port, counter) as made:
        yield made.port


@contextlib.contextmanager
def line(port: int, counter: RowCounter | None = None) -> Iterator[Line]:
    """Forward connections to a server, until the line is cut. :param counter: counts rows, of a server that does not encrypt."""
    listening = socket.create_server((_HOST, 0))
    open_: list[socket.socket] = [listening]

    def forward(source: socket.socket, target: socket.socket, *, count: bool) -> None:
        messages = _Messages()
        with contextlib.suppress(OSError):
            while data := source.recv(2**16):
                if count and counter is not None:
                    counter.add(messages.rows(data))
                target.sendall(data)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listening.accept()
                server = socket.create_connection((_HOST, port))
                open_.extend((client, server))
                for source, target, count in ((client, server, False), (server, client, True)):
                    threading.Thread(target=forward, args=(source, target), kwargs={"count": count}, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield Line(listening.getsockname()[1], open_)
    finally:
        for one in open_:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

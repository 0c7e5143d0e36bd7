"""A simulated network: a TCP proxy on loopback in front of the server, which can be cut or fall silent."""

from __future__ import annotations

import contextlib
import selectors
import socket
import struct
import threading
from types import TracebackType

from psycopg.conninfo import conninfo_to_dict, make_conninfo

_STARTING = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0"
_ENCRYPTION = [struct.pack("!i", 80877103), struct.pack("!i", 80877104)]  # SSLRequest, GSSENCRequest


class Proxy:
    """A context manager.

    :param dsn: target of the proxy, over a Unix socket or TCP.
    """

    def __init__(self, dsn: str) -> None:
        self._to = conninfo_to_dict(dsn)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self._moving = threading.Event()
        self._moving.set()
        self._closed = False
        self.starting = 0  # number of clients that still get the answer "the server is starting"
        self.callers = 0

    @property
    def dsn(self) -> str:
        """The connection string through the proxy."""
        through = {**self._to, "host": "127.0.0.1", "port": self._listener.getsockname()[1]}
        return make_conninfo("", **through)

    def __enter__(self) -> Proxy:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._closed = True
        self._moving.set()
        self.cut()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def cut(self) -> None:
        """Reset every connection on both sides, without a protocol message, as a failing router does."""
        with self._lock:
            for one in self._open:
                with contextlib.suppress(OSError):
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    one.shutdown(socket.SHUT_RDWR)
            self._open.clear()

    def stall(self) -> None:
        """Stop forwarding; connections stay open, and new ones are accepted but not answered."""
        self._moving.clear()

    def _accept(self) -> None:
        while not self._closed:
            try:
                client, _ = self._listener.accept()
            except OSError:  # already closed
                return
            self.callers += 1
            threading.Thread(target=self._serve, args=[client], daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        if self.starting > 0:
            self.starting -= 1
            with client:
                while client.recv(10_000)[4:8] in _ENCRYPTION:
                    client.sendall(b"N")
                client.sendall(b"E" + struct.pack("!i", len(_STARTING) + 4) + _STARTING)
            return
        host, port = str(self._to["host"]), self._to.get("port", 5432)
        if host.startswith("/"):
            server = socket.socket(socket.AF_UNIX)
            server.connect(f"{host}/.s.PGSQL.{port}")
        else:
            server = socket.create_connection((host, int(port or 5432)))
        with self._lock:
            self._open += [client, server]
        with client, server, contextlib.suppress(OSError):
            self._carry(client, server)

    def _carry(self, client: socket.socket, server: socket.socket) -> None:
        with selectors.DefaultSelector() as waits:
            waits.register(client, selectors.EVENT_READ, server)
            waits.register(server, selectors.EVENT_READ, client)
            while True:
                for key, _ in waits.select(timeout=0.5):
                    assert isinstance(key.fileobj, socket.socket)
                    self._moving.wait()
                    data = key.fileobj.recv(65536)
                    if not data:
                        return
                    key.data.sendall(data)

"""Services on loopback ports, for the tests: ours in a thread, and others that answer what they like."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import uvicorn

from stcollection.serve import Limits
from stcollection.serve.app import make_app
from stcollection.vectors.model import Encoder, Vectors
from stcollection.web.guard import Accepted
from stcollection.web.sockets import address, listen
from tests.at_once import until
from tests.vectors.worlds import BagOfWords


class Gated(BagOfWords):
    """A model that works only while its gate is open. :ivar begun: passes that have begun, the one that warms it included;
    :ivar taken: their texts."""

    def __init__(self, short: str = "minilm") -> None:
        super().__init__(short)
        self.gate = threading.Event()
        self.gate.set()
        self.passes: list[tuple[list[str], bool]] = []
        self.begun = self.taken = 0

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        self.begun += 1
        self.taken += len(texts)
        assert self.gate.wait(30)
        self.passes.append((list(texts), query))
        return super().encode(texts, query=query)


@contextmanager
def serving(
    *encoders: Encoder,
    limits: Limits | None = None,
    accepted: Accepted | None = None,
    load: Callable[[], Sequence[Encoder]] | None = None,
    wait: bool = True,
) -> Iterator[str]:
    """A running service, given as its address. :param wait: until it is ready."""
    bound = listen("127.0.0.1", 0)
    app = make_app(load or (lambda: encoders), limits=limits, accepted=accepted)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="on", timeout_graceful_shutdown=5))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    try:
        until(lambda: server.started)
        if wait:
            until(lambda: httpx.get(f"{address(bound)}/health").status_code == 200)
        yield address(bound)
    finally:
        server.should_exit = True
        thread.join()


@dataclass
class Stranger:
    """A server that is not ours. :ivar asked: the request lines it got."""

    url: str = ""
    asked: list[str] = field(default_factory=list)


@contextmanager
def stranger(reply: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[Stranger]:
    """A server that answers each request by ``reply``."""
    told = Stranger()
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told.asked.append(self.requestline)
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            reply(self)

        do_GET = do_CONNECT = do_POST  # noqa: N815

        def log_message(self, *_: Any) -> None:
            """Not to stderr."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.over = over  # type: ignore[attr-defined]
    told.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield told
    finally:
        over.set()
        server.shutdown()
        thread.join()
        server.server_close()


def says(
    body: bytes, status: int = 200, kind: str = "application/json", **headers: str
) -> Callable[[BaseHTTPRequestHandler], None]:
    """A reply of this status, body and headers."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return reply


def never(handler: BaseHTTPRequestHandler) -> None:
    """No reply while the test lasts."""
    handler.server.over.wait(60)  # type: ignore[attr-defined]


def slowly(handler: BaseHTTPRequestHandler) -> None:
    """A reply that comes byte by byte and does not end."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    while not handler.server.over.wait(0.02):  # type: ignore[attr-defined]
        try:
            handler.wfile.write(b" ")
        except OSError:
            return


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

"""A server for downloads: with ranges, and faults such as a connection that is cut."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass
class Served:
    """A file and how to serve it.

    :param cuts: after how many bytes to cut the connection, request by request; then none is cut. :param ranges: answer ranges.
    :param status: answer with this status instead. :param asked: the Range header of each request.
    """

    content: bytes
    etag: str | None = '"one"'
    cuts: list[int] = field(default_factory=list)
    ranges: bool = True
    status: int | None = None
    chunked: bool = False
    asked: list[str | None] = field(default_factory=list)
    url: str = ""


@contextmanager
def serving(served: Served) -> Iterator[Served]:
    """Serve the file on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            served.asked.append(self.headers.get("Range"))
            self.close_connection = True
            if served.status is not None:
                self.send_error(served.status)
                return
            start = 0
            asked = self.headers.get("Range")
            if asked and served.ranges and self.headers.get("If-Range") == served.etag:
                start = int(asked.removeprefix("bytes=").rstrip("-"))
            if start >= len(served.content) > 0:
                self.send_error(416)
                return
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(served.content) - 1}/{len(served.content)}")
            if served.etag:
                self.send_header("ETag", served.etag)
            if not served.chunked:
                self.send_header("Content-Length", str(len(served.content) - start))
            self.end_headers()
            left = served.content[start:]
            if served.cuts:
                left = left[: served.cuts.pop(0)]
            self.wfile.write(left)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_port}/demo.tar"
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

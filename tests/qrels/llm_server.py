"""An OpenAI-compatible endpoint on a loopback port with configurable behaviour: slow, wrong or missing answers.

By default it judges by rule: by the share of the query's words that title and abstract contain.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Headers = dict[str, str]


@dataclass(frozen=True)
class Asked:
    """A request. :param number: from 1, in the order they came. :param prompt: all messages. :param body: the whole request."""

    number: int
    prompt: str
    body: dict[str, Any]
    headers: Headers
    when: float

    def slot(self, name: str) -> str:
        found = re.findall(rf"<{name}>\n(.*?)\n</{name}>", self.prompt, re.DOTALL)
        assert len(found) == 1, f"{len(found)} slots {name}"
        return str(found[0])


@dataclass(frozen=True)
class Answer:
    """A response of the endpoint.

    :param body: None means a completion of ``text``. :param sent: bytes of the body after which the connection breaks.
    :param endless: seconds between pieces of a body that never ends.
    """

    text: str | None = ""
    status: int = 200
    body: bytes | None = None
    headers: Headers = field(default_factory=dict)
    delay: float = 0.0
    sent: int | None = None
    endless: float | None = None
    finish: str = "stop"
    usage: bool = True


def by_overlap(asked: Asked) -> Answer:
    """Return 2 if the document has three fifths of the query's longer words, 1 if it has a quarter, else 0."""
    return Answer(str(overlap(asked.slot("query"), asked.slot("title") + " " + asked.slot("abstract"))))


def overlap(query: str, document: str) -> int:
    words = {word[:6] for word in re.findall(r"\w+", query.lower()) if len(word) > 4}
    there = {word[:6] for word in re.findall(r"\w+", document.lower())}
    share = len(words & there) / max(1, len(words))
    return 2 if share >= 0.6 else 1 if share >= 0.25 else 0


class Endpoint:
    """A running server. :ivar behave: handler of requests, can be replaced. :ivar asked: the received requests."""

    def __init__(self, behave: Callable[[Asked], Answer] = by_overlap) -> None:
        self.behave = behave
        self.asked: list[Asked] = []
        self.in_flight = self.most_in_flight = 0
        self.models = ["rule", "other"]
        self._lock = threading.Lock()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # headers and body in one packet
            disable_nagle_algorithm = True

            def log_message(self, *_: object) -> None:
                """Write no log."""

            def do_GET(self) -> None:
                body = json.dumps({"object": "list", "data": [{"id": name, "object": "model"} for name in endpoint.models]})
                self._send(Answer(body=body.encode()))

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with endpoint.counted():
                    self._send(endpoint.take(body, {name.lower(): value for name, value in self.headers.items()}))

            def _send(self, answer: Answer) -> None:
                time.sleep(answer.delay)
                body = completion(answer) if answer.body is None else answer.body
                try:
                    self.send_response(answer.status)
                    for name, value in ({"Content-Type": "application/json"} | answer.headers).items():
                        self.send_header(name, value)
                    if answer.endless is None:
                        self.send_header("Content-Length", str(len(body)))
                    else:
                        self.send_header("Connection", "close")
                    self.end_headers()
                    self.wfile.write(body[: answer.sent])
                    self.wfile.flush()
                    while answer.endless is not None and not endpoint.closing.wait(answer.endless):
                        self.wfile.write(body)
                        self.wfile.flush()
                except OSError:  # the other side has gone
                    self.close_connection = True
                if answer.sent is not None or answer.endless is not None:
                    self.close_connection = True

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request: Any, client_address: Any) -> None:
                if not isinstance(sys.exception(), OSError):  # a client that was killed
                    super().handle_error(request, client_address)

        self.closing = threading.Event()
        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self._lock:
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            yield
        finally:
            with self._lock:
                self.in_flight -= 1

    def take(self, body: dict[str, Any], headers: Headers) -> Answer:
        with self._lock:
            prompt = "\n".join(message["content"] for message in body["messages"])
            asked = Asked(len(self.asked) + 1, prompt, body, headers, time.monotonic())
            self.asked.append(asked)
        return self.behave(asked)

    def titles(self) -> list[tuple[str, str]]:
        """Return query and title of each request, in order."""
        return [(asked.slot("query"), asked.slot("title")) for asked in list(self.asked)]

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def completion(answer: Answer) -> bytes:
    data: dict[str, Any] = {
        "id": "c", "object": "chat.completion", "created": 0, "model": "rule-1.0",
        "choices": [{"index": 0, "finish_reason": answer.finish, "message": {"role": "assistant", "content": answer.text}}],
    }  # fmt: skip
    if answer.usage:
        data["usage"] = {"prompt_tokens": 100, "completion_tokens": 2, "total_tokens": 102}
    return json.dumps(data).encode()


@contextmanager
def endpoint(behave: Callable[[Asked], Answer] = by_overlap) -> Iterator[Endpoint]:
    running = Endpoint(behave)
    try:
        yield running
    finally:
        running.close()


if __name__ == "__main__":  # a server for manual tests: python -m tests.qrels.llm_server [seconds per answer]
    wait = float(sys.argv[1]) if len(sys.argv) > 1 else 0.0
    model = Endpoint(lambda asked: Answer(by_overlap(asked).text, delay=wait))
    print(model.url, flush=True)
    threading.Event().wait()

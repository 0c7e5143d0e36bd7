"""The embedding service and the explorer over HTTP: requests for other host names and from other pages."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.web.guard import Accepted, accept, read_public
from tests.acceptance.conftest import environment
from tests.serve.services import free_port, serving
from tests.vectors.worlds import BagOfWords

pytestmark = pytest.mark.slow


def ask(port: int, *headers: str, target: str = "/health", method: str = "GET", version: str = "1.1") -> tuple[int, str]:
    """Send a raw request and return status and body of the response. ``{port}`` is replaced with the port."""
    lines = [f"{method} {target} HTTP/{version}", *headers, "Connection: close", "", ""]
    with socket.create_connection(("127.0.0.1", port), 20) as bare:
        bare.sendall("\r\n".join(lines).replace("{port}", str(port)).encode("latin-1"))
        answer = b"".join(iter(lambda: bare.recv(65536), b"")).decode("latin-1")
    head, _, body = answer.partition("\r\n\r\n")
    return int(head.split(" ", 2)[1]), body


@pytest.fixture(scope="module")
def embedding() -> Iterator[int]:
    """The port of an embedding service on loopback."""
    with serving(BagOfWords()) as url:
        yield int(url.rpartition(":")[2])


@contextmanager
def explorer(settings: Settings, *options: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Port and process of ``stc serve page``. Its log stays in the pipe."""
    with subprocess.Popen(
        [sys.executable, "-m", "stcollection", "serve", "page", "--port", "0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment(settings),
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            found = re.search(r" at https?://[^/]*?(?::(\d+))?/", said := process.stdout.readline())
            assert found, said
            yield int(found[1] or 0), process
        finally:
            process.kill()


def log(process: subprocess.Popen[str]) -> str:
    """Stop the explorer and return its whole log."""
    process.terminate()
    return process.communicate(timeout=60)[0]


# Headers of a request and the status of the response. Names follow RFC 9110 and 3986.
HOSTS = [
    (["Host: 127.0.0.1:{port}"], 200),
    (["Host: localhost:{port}"], 200),
    (["Host: LOCALHOST"], 200),
    (["Host: localhost.:{port}"], 200),
    (["Host: [::1]:{port}"], 200),
    (["Host: [0:0:0:0:0:0:0:1]"], 200),
    (["Host: [::FFFF:127.0.0.1]:{port}"], 200),
    (["Host: rebound.example:{port}"], 421),
    (["Host: rebound.example"], 421),
    (["Host: localhost.rebound.example"], 421),
    (["Host: 127.0.0.1.rebound.example"], 421),
    (["Host: 192.0.2.1"], 421),
    (["Host: [::2]:{port}"], 421),
    (["Host: localhost.."], 400),
    (["Host: localhost@rebound.example"], 400),
    (["Host: rebound.example/localhost"], 400),
    (["Host: localhost:http"], 400),
    (["Host: localhost:99999"], 400),
    (["Host: localhost:"], 400),
    (["Host: [::1"], 400),
    (["Host: [localhost]"], 400),
    (["Host: "], 400),
    (["Host: localhost", "Host: rebound.example"], 400),
    (["Host: rebound.example", "Host: localhost"], 400),
    (["Host: localhost", "Host: localhost"], 400),
    ([], 400),
]
PAGES = [
    (["Origin: http://127.0.0.1:{port}"], 200),
    (["Origin: HTTP://127.0.0.1:{port}"], 200),
    (["Origin: https://127.0.0.1:{port}"], 403),
    (["Origin: http://localhost:{port}"], 403),  # a different host to a browser
    (["Origin: http://127.0.0.1"], 403),
    (["Origin: http://127.0.0.1:1"], 403),
    (["Origin: http://elsewhere.example"], 403),
    (["Origin: http://127.0.0.1:{port}.elsewhere.example"], 403),
    (["Origin: http://127.0.0.1:{port}@elsewhere.example"], 403),
    (["Origin: null"], 403),
    (["Origin: "], 403),
    (["Origin: file://"], 403),
    (["Origin: chrome-extension://abc"], 403),
    (["Origin: http://127.0.0.1:{port}", "Origin: http://elsewhere.example"], 403),
    (["X-Forwarded-Proto: https", "Origin: https://127.0.0.1:{port}"], 403),
    (["X-Forwarded-Host: elsewhere.example", "Origin: http://elsewhere.example"], 403),
    (["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"], 403),
    (["Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: cors"], 403),
    (["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"], 200),
    (["Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors"], 200),
    (["Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate"], 200),
]


@pytest.mark.parametrize(("headers", "status"), HOSTS)
def test_the_embedding_service_answers_to_its_own_names_only(embedding: int, headers: list[str], status: int) -> None:
    assert ask(embedding, *headers)[0] == status


@pytest.mark.parametrize(("headers", "status"), PAGES)
def test_the_embedding_service_refuses_other_pages(embedding: int, headers: list[str], status: int) -> None:
    assert ask(embedding, "Host: 127.0.0.1:{port}", *headers)[0] == status


def test_the_whole_address_counts_before_host(embedding: int) -> None:
    """RFC 9112, 3.2.2: for a request in absolute form, as sent by embed_query, the name in its target counts."""
    assert ask(embedding, "Host: localhost", target="http://127.0.0.1:{port}/health")[0] == 200
    assert ask(embedding, "Host: rebound.example", target="http://127.0.0.1:{port}/health")[0] == 200
    assert ask(embedding, "Host: localhost", target="HTTP://LOCALHOST/health")[0] == 200
    assert ask(embedding, "Host: localhost", target="http://rebound.example/health")[0] == 421
    assert ask(embedding, "Host: localhost", target="http://localhost@rebound.example/health")[0] == 400
    assert ask(embedding, "Host: localhost", target="http:///health")[0] == 400


def test_a_request_of_http_1_0_needs_a_host_too(embedding: int) -> None:
    assert ask(embedding, version="1.0")[0] == 400
    assert ask(embedding, "Host: localhost", version="1.0")[0] == 200


def test_a_page_elsewhere_cannot_embed(embedding: int) -> None:
    body = '{"model": "minilm", "input": "x"}'
    head = ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    with socket.create_connection(("127.0.0.1", embedding), 20) as bare:
        lines = ["POST /v1/embeddings HTTP/1.1", f"Host: rebound.example:{embedding}", *head, "Connection: close", "", body]
        bare.sendall("\r\n".join(lines).encode())
        answer = b"".join(iter(lambda: bare.recv(65536), b"")).decode()
    error = json.loads(answer.partition("\r\n\r\n")[2])["error"]
    assert (error["code"], error["type"]) == ("unknown_host", "invalid_request_error")
    assert "rebound.example" in error["message"]
    assert "embedding" not in answer


def test_no_answer_of_the_embedding_service_may_be_used_by_a_page(embedding: int) -> None:
    status, _ = ask(
        embedding, "Host: localhost", "Origin: http://elsewhere.example", "Access-Control-Request-Method: POST", method="OPTIONS"
    )
    assert status == 403
    assert ask(embedding, "Host: localhost", target="/docs")[0] == 404


def test_names_are_added_by_option() -> None:
    """As in docker-compose.yml: the service listens on all addresses, and the database calls http://embedding:8765."""
    accepted = accept(host="0.0.0.0", loopback=False, allowed=["Embedding."])  # noqa: S104
    with serving(BagOfWords(), accepted=accepted) as url:
        port = int(url.rpartition(":")[2])
        assert ask(port, "Host: embedding:8765")[0] == 200
        assert ask(port, "Host: embedding:8765", target="http://embedding:8765/health")[0] == 200
        assert ask(port, "Host: 192.0.2.1:8765")[0] == 200  # an address cannot be rebound
        assert ask(port, "Host: rebound.example:8765")[0] == 421
        assert ask(port, "Host: 192.0.2.1:8765", "Origin: http://192.0.2.2:8765")[0] == 403


def test_behind_a_proxy_the_public_address_is_the_only_origin() -> None:
    accepted = accept(host="127.0.0.1", loopback=True, public_url="https://Embed.example/")
    with serving(BagOfWords(), accepted=accepted) as url:
        port = int(url.rpartition(":")[2])
        for host in ("127.0.0.1:{port}", "embed.example"):  # proxies forward both
            for origin, status in {
                "https://embed.example": 200,
                "https://embed.example:443": 200,
                "http://embed.example": 403,
                "https://embed.example:444": 403,
                "http://127.0.0.1:{port}": 403,
                "null": 403,
            }.items():
                assert ask(port, f"Host: {host}", f"Origin: {origin}")[0] == status, (host, origin)
        assert ask(port, "Host: rebound.example", "Origin: https://embed.example")[0] == 421


@pytest.mark.parametrize(
    "url", ["embed.example", "ftp://embed.example", "https://embed.example/path", "https://a@b", "https://", "null"]
)
def test_a_public_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(BadArgument, match="public address") as error:
        read_public(url)
    assert error.value.hint


@pytest.mark.parametrize("name", ["http://embedding", "embedding:8765", "", "a b", "*"])
def test_a_host_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(BadArgument, match="not the name of a host"):
        accept(host="127.0.0.1", loopback=True, allowed=[name])


def test_every_name_is_for_a_token_off_loopback() -> None:
    assert not accept(host="127.0.0.1", loopback=True, every=True).every
    assert accept(host="0.0.0.0", loopback=False, every=True).host("any.example")  # noqa: S104
    assert accept(host="::1", loopback=True).host("::1")
    assert not Accepted().host("any.example")


def test_the_explorer_s_walls(settings: Settings, conn: psycopg.Connection) -> None:
    """One explorer for all checks, because it takes seconds to start."""
    with explorer(settings) as (port, process):
        for headers, status in HOSTS:
            assert ask(port, *headers, target="/api/runs")[0] == status, headers
        for headers, status in PAGES:
            assert ask(port, "Host: 127.0.0.1:{port}", *headers, target="/api/runs")[0] == status, headers
        assert ask(port, "Host: localhost", target="http://rebound.example/api/runs")[0] == 421

        upgrade = ("Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==")
        assert ask(port, "Host: localhost", *upgrade, target="/websocket/")[0] == 404
        assert ask(port, "Host: localhost", target="/api/runs")[0] == 200
        # uvicorn itself rejects some of the requests, with one line each.
        assert set(log(process).splitlines()) == {"WARNING:  Invalid HTTP request received.", "stopped"}


def test_the_explorer_behind_a_proxy(settings: Settings, conn: psycopg.Connection) -> None:
    port = free_port()
    with explorer(settings, "--port", str(port), "--public-url", "https://st.example", "--token", "t") as (_, process):
        bearer = "Authorization: Bearer t"
        assert ask(port, "Host: st.example", target="/api/runs")[0] == 401
        assert ask(port, "Host: st.example", "Origin: https://st.example", bearer, target="/api/runs")[0] == 200
        assert ask(port, "Host: st.example", "Origin: http://st.example", bearer, target="/api/runs")[0] == 403
        assert ask(port, "Host: rebound.example", bearer, target="/api/runs")[0] == 421
        # A cookie of another server on this host, with a name that Python's parser rejects.
        assert ask(port, "Host: st.example", "Cookie: a/b@c=1; stc_explore=t", target="/api/runs")[0] == 200
        assert ask(port, "Host: st.example", "Cookie: a/b@c=1; stc_explore=\xff", target="/api/runs")[0] == 401
        assert log(process) == "stopped\n"


def test_a_token_leads_to_no_other_server(settings: Settings, conn: psycopg.Connection) -> None:
    with explorer(settings, "--token", "t") as (port, _), socket.create_connection(("127.0.0.1", port), 20) as bare:
        bare.sendall(b"GET //elsewhere.example/?token=t HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answer = b"".join(iter(lambda: bare.recv(65536), b"")).decode()
        assert "\r\nlocation: /elsewhere.example/\r\n" in answer
        assert "; HttpOnly" in answer

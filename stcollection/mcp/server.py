"""Run the server over stdio or HTTP."""

from __future__ import annotations

import os
import secrets
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import uvicorn

from stcollection.corpus.licences import known_licences
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.own import learn_measures
from stcollection.mcp import AnswerLimits
from stcollection.mcp.answers import LimitedReader
from stcollection.mcp.http import PATH, make_http_app
from stcollection.mcp.login import reader_login
from stcollection.mcp.tools import CollectionServer, make_server
from stcollection.web import ports
from stcollection.web.guard import accept
from stcollection.web.sockets import address, asked_to_stop, is_loopback, listen

TOKEN = "STC_MCP_TOKEN"  # noqa: S105  (the name of a variable)


@dataclass(frozen=True, kw_only=True)
class ListenOptions:
    """Where the server listens for HTTP.

    :param allowed: further host names to accept. :param public_url: its address behind a reverse proxy.
    """

    host: str = "127.0.0.1"
    port: int = ports.MCP
    allowed: Sequence[str] = field(default_factory=tuple)
    public_url: str | None = None


def serve(
    settings: Settings,
    *,
    http: ListenOptions | None = None,
    limits: AnswerLimits | None = None,
    licences: Sequence[str] = (),
    say: Callable[[str], object] = lambda _: None,
) -> None:
    """Serve a collection to assistants until the client disconnects (stdio) or the process is stopped (HTTP)::

        from stcollection.db.settings import read_settings
        from stcollection.mcp.server import serve

        serve(read_settings(db="demo"))

    :param http: where to listen for HTTP; None: use stdin and stdout. :param limits: of each call.
    :param licences: return texts only of documents with these licences, and offer no SQL; empty: of all.
    :param say: prints progress; it must not print to stdout with stdio.
    :raises UnknownObject: no document has a licence.
    :raises StateError: the login has more rights than a reader and may not create another one, or the address is in use.
    """
    limits = limits or AnswerLimits()
    learn_measures(settings)
    known: Sequence[str] = ()
    if licences:
        with connect(settings, autocommit=True) as conn:
            known = known_licences(conn, licences) or ()
    with ExitStack() as stack:
        where = stack.enter_context(reader_login(settings, limits))
        server = make_server(LimitedReader(where, limits), title=settings.db, licences=known)
        if http is None:
            with _ended_by_signal(stack):
                anyio.run(server.run_stdio_async)
        else:
            _serve_http(server, http, limits, say)


def _serve_http(server: CollectionServer, http: ListenOptions, limits: AnswerLimits, say: Callable[[str], object]) -> None:
    bound = listen(http.host, http.port)
    near = is_loopback(bound) and http.public_url is None
    token = os.environ.get(TOKEN) or (None if near else secrets.token_urlsafe(24))
    accepted = accept(host=http.host, loopback=is_loopback(bound), allowed=http.allowed, public_url=http.public_url)
    app = make_http_app(server, accepted=accepted, token=token, limits=limits)
    bound.listen()
    say(f"listening on {address(bound)}{PATH}")
    if token is not None and not os.environ.get(TOKEN):
        say(f"clients send the header 'Authorization: Bearer {token}'; {TOKEN} sets another token")
    say("ready; press ctrl-C to stop")
    config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, proxy_headers=False)
    config.timeout_graceful_shutdown = int(limits.seconds) + 1
    with asked_to_stop():
        uvicorn.Server(config).run(sockets=[bound])


@contextmanager
def _ended_by_signal(stack: ExitStack) -> Iterator[None]:
    """On SIGTERM and SIGINT, close the stack and exit. The thread that reads stdin cannot be interrupted."""

    def end(number: int, _: Any) -> None:
        stack.close()
        os._exit(128 + number)

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

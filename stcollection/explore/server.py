"""A running explorer."""

from __future__ import annotations

import logging
import webbrowser
from collections.abc import Callable

import uvicorn

from stcollection.explore.app import make_app
from stcollection.explore.desk import Desk
from stcollection.serve.server import address, asked_to_stop, is_loopback, listen

_GRACE_SECONDS = 2
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


def run(
    dsn: str, *, title: str, host: str, port: int, token: str | None, opened: bool, say: Callable[[str], object],
    new_token: Callable[[], str],
) -> None:  # fmt: skip
    """Serve until SIGTERM or ctrl-C.

    :param token: what a browser must show; None is none on loopback and a new one elsewhere. :param say: tells the address.
    :raises StateError: the address is taken.
    """
    bound = listen(host, port)
    here = is_loopback(bound)
    token = token or (None if here else new_token())
    app = make_app(Desk(dsn), title=title, hosts=_HERE | {host.lower()} if here else frozenset(), token=token)
    bound.listen()  # so that who opens the address at once waits, and is not refused
    shown = f"{address(bound)}/" + (f"?token={token}" if token else "")
    say(f"the collection {title!r} is at {shown}; ctrl-C ends it")
    if opened:
        webbrowser.open(shown)
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)  # that the database is away is said on the page
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, lifespan="on", server_header=False, timeout_graceful_shutdown=_GRACE_SECONDS
    )
    with asked_to_stop():
        uvicorn.Server(config).run(sockets=[bound])
    say("stopped")

"""A running explorer."""

from __future__ import annotations

import logging
import webbrowser
from collections.abc import Callable

import uvicorn

from stcollection.explore.app import make_app
from stcollection.explore.desk import Desk
from stcollection.explore.frames import MOST
from stcollection.serve.guard import accept, read_public
from stcollection.serve.server import address, asked_to_stop, is_loopback, listen

_GRACE_SECONDS = 2


def run(
    dsn: str, *, title: str, host: str, port: int, token: str | None, opened: bool, say: Callable[[str], object],
    new_token: Callable[[], str], public_url: str | None = None,
) -> None:  # fmt: skip
    """Serve until SIGTERM or ctrl-C.

    :param token: what a browser must show; None is none on loopback and a new one elsewhere. :param say: tells the address.
    :param public_url: the address behind a reverse proxy; as it lets others in, it requires a token too.
    :raises StateError: the address is taken. :raises BadArgument: the public address is not one.
    """
    if public_url is not None:
        read_public(public_url)
    bound = listen(host, port)
    here = is_loopback(bound)
    token = token or (None if here and public_url is None else new_token())
    accepted = accept(host=host, loopback=here, public_url=public_url, every=token is not None)
    app = make_app(Desk(dsn), title=title, accepted=accepted, token=token)
    bound.listen()  # so that who opens the address at once waits, and is not refused
    shown = f"{public_url.removesuffix('/') if public_url else address(bound)}/" + (f"?token={token}" if token else "")
    say(f"the collection {title!r} is at {shown}; ctrl-C ends it")
    if opened:
        webbrowser.open(shown)
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)  # that the database is away is said on the page
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="on",
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        proxy_headers=False,
        ws_max_size=MOST,
    )
    with asked_to_stop():
        uvicorn.Server(config).run(sockets=[bound])
    say("stopped")

"""Start and stop the explorer's HTTP server."""

from __future__ import annotations

import logging
import secrets
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass

import uvicorn

from stcollection.db.connection import connect, conninfo
from stcollection.db.settings import Settings
from stcollection.explore.app import make_app
from stcollection.explore.desk import Desk
from stcollection.explore.frames import MOST
from stcollection.explore.upload.files import DEFAULT_MB, MB, Uploads
from stcollection.web.guard import accept, read_public
from stcollection.web.sockets import address, asked_to_stop, is_loopback, listen

_GRACE_SECONDS = 2


@dataclass(frozen=True, kw_only=True)
class ExplorerOptions:
    """Options of the explorer's server.

    :param token: token that browsers must send; None means no token on loopback and a random one elsewhere.
    :param opened: open the page in a browser. :param public_url: public address behind a reverse proxy; requires a token.
    :param upload_limit: largest file to upload in MB; 0 disables uploads. :param team_limit: runs per team that the page stores.
    """

    host: str
    port: int
    token: str | None = None
    opened: bool = False
    public_url: str | None = None
    upload_limit: int = DEFAULT_MB
    team_limit: int | None = None


def run(settings: Settings, options: ExplorerOptions, *, say: Callable[[str], object]) -> None:
    """Serve until SIGTERM or ctrl-C.

    :param say: called with the address, and again after the server has stopped.
    :raises StateError: the collection must be upgraded, or the address is in use. :raises BadArgument: public_url is invalid.
    """
    connect(settings, autocommit=True).close()  # report problems of the collection here, not on the page
    public_url = options.public_url
    if public_url is not None:
        read_public(public_url)
    bound = listen(options.host, options.port)
    here = is_loopback(bound)
    token = options.token or (None if here and public_url is None else secrets.token_urlsafe())
    accepted = accept(host=options.host, loopback=here, public_url=public_url, every=token is not None)
    desk = Desk(conninfo(settings))
    uploads = Uploads.of(desk)
    uploads.limit, uploads.team_limit = options.upload_limit * MB, options.team_limit
    app = make_app(desk, title=settings.db, accepted=accepted, token=token)
    bound.listen()  # a browser that connects at once waits instead of being refused
    shown = f"{public_url.removesuffix('/') if public_url else address(bound)}/" + (f"?token={token}" if token else "")
    say(f"serving the collection {settings.db!r} at {shown}; press ctrl-C to stop")
    if options.opened:
        webbrowser.open(shown)
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)  # the page itself reports a database that is down
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

"""Start and stop the explorer's HTTP server."""

from __future__ import annotations

import logging
import secrets
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from stcollection.corpus.licences import known_licences
from stcollection.db.connection import connect, conninfo
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, translate
from stcollection.explore.access.logins import asks_for_passwords
from stcollection.explore.access.sessions import IDLE_SECONDS, LONGEST_SECONDS
from stcollection.qrels.invitations import Invitations
from stcollection.site.app import Access, make_app
from stcollection.web.desk import Desk
from stcollection.web.guard import LOOPBACK, accept, read_public
from stcollection.web.sockets import address, asked_to_stop, is_loopback, listen
from stcollection.web.uploads.files import DEFAULT_MB, MB, Uploads

_GRACE_SECONDS = 2


@dataclass(frozen=True, kw_only=True)
class ExplorerOptions:
    """Options of the explorer's server.

    :param token: token that browsers must send; None means no token on loopback and a random one elsewhere.
    :param opened: open the page in a browser. :param public_url: public address behind a reverse proxy.
    :param upload_limit: largest file to upload in MB; 0 disables uploads. :param team_limit: runs per team that the page stores.
    :param sign_in: readers sign in with logins of the database. :param idle: seconds after which an unused session ends.
    :param longest: seconds after which every session ends. :param audit: file for the log of what people do.
    :param licences: downloads and answers to programs have text only of documents with these licences; empty: of all.
    """

    host: str
    port: int
    token: str | None = None
    opened: bool = False
    public_url: str | None = None
    upload_limit: int = DEFAULT_MB
    team_limit: int | None = None
    sign_in: bool = False
    idle: float = IDLE_SECONDS
    longest: float = LONGEST_SECONDS
    audit: Path | None = None
    licences: Sequence[str] = ()


def run(settings: Settings, options: ExplorerOptions, *, say: Callable[[str], object]) -> None:
    """Serve until SIGTERM or ctrl-C.

    :param say: called with the address, and again after the server has stopped.
    :raises StateError: the collection must be upgraded, or the address is in use. :raises BadArgument: an option is invalid.
    :raises UnknownObject: no document has a licence.
    """
    with connect(settings, autocommit=True) as conn:  # report problems of the collection here, not on the page
        role = conn.info.user
        licences = known_licences(conn, options.licences) or []
    public_url = options.public_url
    if public_url is not None:
        read_public(public_url)
    if options.sign_in:
        _check_sign_in(settings, options)
    audit = None
    if options.audit:
        from stcollection.explore.access.audit import Audit

        audit = Audit(options.audit)
    bound = listen(options.host, options.port)
    here = is_loopback(bound)
    token = options.token or (None if options.sign_in or (here and public_url is None) else secrets.token_urlsafe())
    accepted = accept(host=options.host, loopback=here, public_url=public_url, every=token is not None or options.sign_in)
    desk = Desk(conninfo(settings), role=role)
    desk.licences = tuple(licences)
    uploads = Uploads.of(desk)
    uploads.limit, uploads.team_limit = options.upload_limit * MB, options.team_limit
    if audit is not None:
        desk.log = audit
    access = Access(
        token=token,
        sign_in=conninfo(settings) if options.sign_in else None,
        invitations=Invitations(settings.home, settings.db),
        idle=options.idle,
        longest=options.longest,
        place=public_url or address(bound),
    )
    app = make_app(desk, title=settings.db, accepted=accepted, access=access)
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
        ws="none",
    )
    with asked_to_stop():
        uvicorn.Server(config).run(sockets=[bound])
    say("stopped")


def _check_sign_in(settings: Settings, options: ExplorerOptions) -> None:
    """Check that passwords mean something and stay secret on their way.

    :raises BadArgument: the database server checks no passwords, or browsers would send them unencrypted.
    """
    if options.token:
        raise BadArgument("--sign-in and --token exclude each other", hint="Leave out --token: readers sign in with their logins.")
    if settings.embedded:
        raise BadArgument(
            "--sign-in needs a server that checks passwords; the embedded server trusts everyone on this machine",
            hint="Use --token, or restore the collection on a PostgreSQL server with passwords and name it with STC_DSN.",
        )
    public = read_public(options.public_url) if options.public_url else None
    if public is not None and public.scheme != "https" and public.host not in LOOPBACK:
        raise BadArgument(
            f"with --sign-in the public address must begin with https://, not {options.public_url!r}",
            hint="Set up TLS at the reverse proxy: browsers would send passwords unencrypted.",
        )
    if public is None and not _is_here(options.host):
        raise BadArgument(
            f"--sign-in on {options.host} needs TLS: browsers would send passwords unencrypted",
            hint="Put a reverse proxy with TLS in front, and name its address with --public-url https://HOST.",
        )
    with translate():
        asks = asks_for_passwords(conninfo(settings))
    if not asks:
        raise BadArgument(
            "the database server requires no password on this connection, so --sign-in would check nothing",
            hint="Connect over TCP with STC_DSN='host=… user=… dbname=…', and set scram-sha-256 in the server's pg_hba.conf.",
        )


def _is_here(host: str) -> bool:
    return host in LOOPBACK or host.startswith("127.")

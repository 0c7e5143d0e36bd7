"""The explorer as one ASGI application: the guard, sign-in, the endpoints for programs, the page."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib.metadata import version
from urllib.parse import urlencode

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.routing import Router
from starlette.types import ASGIApp, Receive, Scope, Send

from stcollection.explore.access.desks import RequestDesk
from stcollection.explore.access.downloads import Downloads
from stcollection.explore.access.gate import Doors, Gate
from stcollection.explore.access.logins import Logins
from stcollection.explore.access.sessions import IDLE_SECONDS, LONGEST_SECONDS, Sessions
from stcollection.explore.guard import HEADERS, Token
from stcollection.explore.judging.request import PATH as JUDGING
from stcollection.explore.judging.request import former
from stcollection.explore.navigation import HOME
from stcollection.explore.search.choices import prepare
from stcollection.explore.search.request import PATH as SEARCH
from stcollection.explore.search.request import STARTING
from stcollection.explore.views import Site, absent, paths, routes
from stcollection.http import routes as programs
from stcollection.qrels.invitations import Invitations
from stcollection.web.desk import Desk
from stcollection.web.embedding import Embedding
from stcollection.web.guard import Accepted, Guard
from stcollection.web.uploads import endpoint
from stcollection.web.uploads.files import Uploads
from stcollection.web.words import Spoken

_SWEEP_SECONDS = 5.0
_THREADS = 32  # more than checks of files, loads, sign-ins, maps and models can take together; statements have separate threads


@dataclass(frozen=True, kw_only=True)
class Access:
    """Who may use the page.

    :param token: token that callers must send; None: no token.
    :param sign_in: connection string of the server whose logins sign in; None: no sign-in.
    :param invitations: links for assessors; None: no links.
    :param idle: seconds after which an unused session ends. :param longest: seconds after which every session ends.
    :param place: address of the server; pages on several ports of a host need different cookies.
    """

    token: str | None = None
    sign_in: str | None = None
    invitations: Invitations | None = None
    idle: float = IDLE_SECONDS
    longest: float = LONGEST_SECONDS
    place: str = ""


def make_app(
    desk: Desk, *, title: str, accepted: Accepted | None = None, token: str | None = None, access: Access | None = None
) -> ASGIApp:
    """Create the application.

    :param desk: opened and closed with the application. :param title: name of the collection.
    :param accepted: host names to accept; default: those of loopback. :param token: short for an access with this token.
    """
    accepted, access = accepted or Accepted(), access or Access(token=token)
    secure = accepted.public is not None and accepted.public.scheme == "https"
    sessions = Sessions(idle=access.idle, longest=access.longest)
    app = FastAPI(
        title=f"{title}: search",
        version=version("stcollection"),
        lifespan=_lifespan(desk, sessions),
        docs_url=None,
        redoc_url=None,
        openapi_url=None,  # served with the systems of the collection
    )
    serving = RequestDesk(desk)  # the desk of the login or the invitation that sends a request
    programs.add(app, serving, title)
    endpoint.add(app, Uploads.of(desk))
    site = Site(
        home=desk,
        title=title,
        sign_out=access.sign_in is not None,
        invitations=access.invitations,
        public=None if accepted.public is None else accepted.public.address(),
    )
    views = routes(site)
    app.router.routes += views
    app.mount("/", _elsewhere(site, Router(views), f"/{HOME}"))
    noted = Downloads(app, desk)
    other = noted if access.token is None else Token(noted, access.token, secure=secure)
    if access.sign_in is None and access.invitations is None:
        return Guard(Spoken(other), accepted=accepted, headers=HEADERS)
    logins = None
    if access.sign_in is not None:
        logins = Logins(access.sign_in, desk, lost=lambda desk: sessions.end_all(lambda one: one.desk is desk))
    doors = Doors(
        sessions=sessions,
        logins=logins,
        invitations=access.invitations,
        title=title,
        cookie=cookie_name(title, access.place, secure=secure),
        secure=secure,
        behind=accepted.public is not None,
        views=paths(),
    )
    guests = programs.guests(serving)
    own = routes(replace(site, sign_out=True), guests=True)
    guests.router.routes += own
    guests.mount("/", _elsewhere(site, Router(own), JUDGING))
    gate = Gate(noted, guests=guests, other=other, home=desk, doors=doors)
    return Guard(Spoken(gate), accepted=accepted, headers=HEADERS)


def cookie_name(title: str, place: str, *, secure: bool) -> str:
    """Return the cookie's name. Browsers send cookies to every port of a host, so each page has another name.

    Browsers accept a cookie named ``__Host-`` only over https and from this host, not from another host of its domain.
    """
    digest = hashlib.sha256(f"{title}\0{place}".encode()).hexdigest()[:12]
    return f"{'__Host-' if secure else ''}stc_session_{digest}"


def _lifespan(desk: Desk, sessions: Sessions) -> Callable[[FastAPI], contextlib.AbstractAsyncContextManager[None]]:
    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(_THREADS, "stc-page"))
        desk.open()
        Uploads.of(desk).open()
        tasks = [asyncio.create_task(prepare(desk)), asyncio.create_task(_sweep(sessions))]
        yield
        for task in tasks:
            task.cancel()
        sessions.end_all()
        Uploads.of(desk).close()
        Embedding.of(desk).close()
        desk.close()

    return lifespan


async def _sweep(sessions: Sessions) -> None:
    while True:
        await asyncio.sleep(_SWEEP_SECONDS)
        sessions.sweep()


def _elsewhere(site: Site, views: ASGIApp, begin: str) -> ASGIApp:
    """Return an application for ``/``, which shows a view, and for former addresses of tabs, which leads to their views.

    :param begin: the path of the view.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] != "/" or scope["method"] not in ("GET", "HEAD"):
            request = Request(scope, receive)
            seen = "text/html" in request.headers.get("accept", "")
            reply = await absent(site, request) if seen else PlainTextResponse("not found\n", 404)
            await reply(scope, receive, send)
            return
        given = Request(scope).query_params
        tab = given.get("tab")
        place = SEARCH if tab is None and given.keys() & {*STARTING} else f"/{tab}"
        rest = urlencode([(name, value) for name, value in given.multi_items() if name != "tab"])
        if tab == "judging":
            await RedirectResponse(former(given), 302)(scope, receive, send)
        elif place in paths() - {begin}:
            await RedirectResponse(f"{place}?{rest}" if rest else place, 302)(scope, receive, send)
        else:
            await views({**scope, "path": begin}, receive, send)

    return answer

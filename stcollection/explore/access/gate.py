"""Who a request comes from: the session of its cookie, or nobody. Sign-in, invitations and sign-out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stcollection.explore.access import pages
from stcollection.explore.access.attempts import Attempts, network
from stcollection.explore.access.desks import DESK, WHO, GuestDesk, current
from stcollection.explore.access.form import FormError, read_form
from stcollection.explore.access.logins import Logins, SignInOutcome, possible
from stcollection.explore.access.sessions import BrowserSession, Sessions
from stcollection.qrels.invitations import Invitation, Invitations
from stcollection.texts import later
from stcollection.web.desk import Desk, Guest
from stcollection.web.shares import LoginShare, TimedOut, Visit, visiting
from stcollection.web.words import n, t

_STYLES = frozenset({pages.STYLE, pages.ICON})  # of the pages before sign-in
_FAILED_SECONDS = 0.5  # each failure takes this long at least, so that its duration tells little
_REFUSED = later("Name or password is wrong, or this login has no access to this collection.")
_PROBLEMS: dict[SignInOutcome, tuple[int, str]] = {
    SignInOutcome.REFUSED: (403, _REFUSED),
    SignInOutcome.SUPERUSER: (403, later("Superusers cannot sign in here. Use a login of 'stc db user'.")),
    SignInOutcome.UNREACHABLE: (503, later("The database cannot be reached. Try again in a moment.")),
    SignInOutcome.BUSY: (503, later("The database server has no free connection. Try again in a minute.")),
    SignInOutcome.FULL: (503, later("Too many people are signed in. Try again later.")),
}
_REQUESTS, _REQUESTS_EACH, _REQUEST_SECONDS = 400, 32, 1800.0
_TURN_SECONDS = 10.0
_PROGRAMS = "sign in first: POST the fields name and password to /sign-in, and send the cookie with each request\n"


@dataclass(frozen=True, kw_only=True)
class Doors:
    """Ways to sign in.

    :param logins: names and passwords of the database; None: no sign-in.
    :param invitations: links for assessors; None: no links. :param title: of the collection.
    :param cookie: its name. :param secure: send it over https only.
    :param behind: a reverse proxy of ours sends all requests, with the reader's address last in X-Forwarded-For.
    :param views: paths of views, to which sign-in leads back.
    """

    sessions: Sessions
    logins: Logins | None
    invitations: Invitations | None
    title: str
    cookie: str
    secure: bool = False
    behind: bool = False
    views: frozenset[str] = frozenset()


class Gate:
    """ASGI middleware that finds the session of a request.

    :param app: for signed-in readers. :param guests: for invited assessors. :param home: the page's own desk.
    :param other: for requests without a session, if they are accepted or checked elsewhere; not used with sign-in.
    """

    def __init__(self, app: ASGIApp, *, guests: ASGIApp, other: ASGIApp, home: Desk, doors: Doors) -> None:
        self._app, self._guests, self._other, self._home, self._doors = app, guests, other, home, doors
        self._attempts = Attempts()
        self._requests = LoginShare(
            "place for a request", total=_REQUESTS, each=_REQUESTS_EACH, wait=_TURN_SECONDS, seconds=_REQUEST_SECONDS
        )
        self._pages: dict[tuple[str, str], Callable[[Scope, Receive], Awaitable[Response]]] = {
            ("GET", "/sign-in"): self._form,
            ("POST", "/sign-in"): self._sign_in,
            ("POST", "/sign-out"): self._sign_out,
            ("GET", "/session"): self._session,
            ("GET", "/invited"): self._invited,
            ("POST", "/invited"): self._accept,
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        page = self._pages.get((method, scope["path"]))
        if page is not None:
            try:
                answer = await page(scope, receive)
            except FormError as error:
                answer = PlainTextResponse(f"{error.message}\n", error.status)
            await answer(scope, receive, send)
            return
        if (session := self._find(scope)) is not None:
            await self._inside(session, scope, receive, send)
        elif self._doors.logins is None or scope["path"] in _STYLES:
            await self._other(scope, receive, send)
        else:
            await self._outside(scope)(scope, receive, send)

    def _cookie(self, scope: Scope) -> str | None:
        return cookie_parser(Headers(scope=scope).get("cookie", "")).get(self._doors.cookie)

    def _find(self, scope: Scope) -> BrowserSession | None:
        return self._doors.sessions.find(self._cookie(scope))

    async def _inside(self, session: BrowserSession, scope: Scope, receive: Receive, send: Send) -> None:
        scope = {**scope, DESK: session.desk, WHO: session.who}
        app = self._guests if session.guest else self._app
        tokens = current.set(session.desk), visiting.set(session.visit)
        try:
            await self._answered(app, session, scope, receive, _uncached(send))
        finally:
            current.reset(tokens[0])
            visiting.reset(tokens[1])

    async def _answered(self, app: ASGIApp, session: BrowserSession, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; give it up when the session ends."""
        begun = False

        async def sent(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            async with self._requests.take():
                await app(scope, receive, sent)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or not session.visit.ended:
                raise
            task.uncancel()
            if not begun:
                await _failed(401, "the session has ended: sign in again", scope, receive, send)
        except TimedOut as error:
            if not begun:
                await _failed(503, f"{error.message}. {error.hint}", scope, receive, send)

    def _outside(self, scope: Scope) -> Response:
        """Answer a request without a session."""
        headers = Headers(scope=scope)
        opened = scope["method"] in ("GET", "HEAD") and "hx-request" not in headers  # else a part of a page that is open
        if opened and (scope["path"] == "/" or self._is_view(scope["path"])):
            where = self._place(f"{scope['path']}?{scope.get('query_string', b'').decode('latin-1')}")
            if headers.get("sec-fetch-site") == "cross-site":
                return pages.again(self._doors.title, _at(where))
            return RedirectResponse(f"/sign-in?{urlencode({'next': where})}" if where else "/sign-in", 303)
        return PlainTextResponse(_PROGRAMS, 401, {"cache-control": "no-store"})

    async def _form(self, scope: Scope, receive: Receive) -> Response:
        if self._doors.logins is None:
            return RedirectResponse("/", 303)
        asked = dict(parse_qsl(scope.get("query_string", b"").decode("latin-1")))
        where = self._place(asked.get("next", ""))
        if self._find(scope) is not None:
            return _to(where)
        return pages.sign_in(self._doors.title, where=where)

    async def _sign_in(self, scope: Scope, receive: Receive) -> Response:
        doors = self._doors
        if doors.logins is None:
            return PlainTextResponse("this page has no sign-in\n", 404)
        fields = await read_form(scope, receive)
        name, password, where = fields.get("name", ""), fields.get("password", ""), self._place(fields.get("next", ""))
        known = name if possible(name, "x") else ""  # what a counter may keep
        wait = self._attempts.begin(self._address(scope), known)
        if wait > 0:
            seconds = int(wait) + 1
            problem = n(
                "Too many attempts. Try again in {count} second.", "Too many attempts. Try again in {count} seconds.", seconds
            )
            answer: Response = pages.sign_in(doors.title, problem=problem, name=known, where=where, status=429)
            answer.headers["retry-after"] = str(seconds)
            return answer
        began = asyncio.get_running_loop().time()
        outcome, desk = await doors.logins.sign_in(name, password, address=network(self._address(scope)))
        if desk is None:
            if outcome is not SignInOutcome.REFUSED:
                self._attempts.succeeded(self._address(scope), known)
            if self._home.log is not None:
                self._home.log.event("", "sign-in-refused", why=outcome.name.lower())
            await asyncio.sleep(max(0.0, began + _FAILED_SECONDS - asyncio.get_running_loop().time()))
            status, problem = _PROBLEMS[outcome]
            return pages.sign_in(doors.title, problem=t(problem), name=known, where=where, status=status)
        self._attempts.succeeded(self._address(scope), known)
        desk.note("signed-in")
        logins = doors.logins
        session = BrowserSession(
            who=name,
            visit=Visit(f"login {name}"),
            desk=desk,
            until=doors.sessions.until(),
            seen=doors.sessions.now(),
            left=lambda: logins.release(desk),
        )
        return self._begun(scope, session, where)

    async def _invited(self, scope: Scope, receive: Receive) -> Response:
        asked = dict(parse_qsl(scope.get("query_string", b"").decode("latin-1")))
        token = asked.get("invitation", "")
        found = self._read(token)
        if not isinstance(found, Invitation):
            return pages.notice(self._doors.title, t("Invitation not valid"), found, status=410)
        return pages.invitation(self._doors.title, found.pool, found.annotator, token)

    def _read(self, token: str) -> Invitation | str:
        invitations = self._doors.invitations
        return t("This page accepts no invitations.") if invitations is None else invitations.read(token)

    async def _accept(self, scope: Scope, receive: Receive) -> Response:
        doors = self._doors
        token = (await read_form(scope, receive)).get("invitation", "")
        found = self._read(token)
        if not isinstance(found, Invitation):
            return pages.notice(doors.title, t("Invitation not valid"), found, status=410)
        session = BrowserSession(
            who=found.annotator,
            visit=Visit(f"invitation {found.pool}\0{found.annotator}"),
            desk=GuestDesk(self._home, Guest(pool=found.pool, annotator=found.annotator)),
            until=doors.sessions.until(found.seconds_left()),
            seen=doors.sessions.now(),
            guest=True,
            valid=lambda: isinstance(self._read(token), Invitation),
        )
        session.desk.note("invitation-used")
        return self._begun(scope, session, "")

    async def _sign_out(self, scope: Scope, receive: Receive) -> Response:
        session = self._find(scope)
        if session is not None:
            self._doors.sessions.end(session)
            session.desk.note("signed-out")
        if session is not None and session.guest:
            kept = t("Your grades are stored. Open the invitation link again to continue.")
            answer: Response = pages.notice(self._doors.title, t("Signed out"), kept, status=200)
        else:
            answer = RedirectResponse("/sign-in", 303)
        answer.delete_cookie(self._doors.cookie, path="/", secure=self._doors.secure, httponly=True, samesite="strict")
        return answer

    async def _session(self, scope: Scope, receive: Receive) -> Response:
        """Answer whether the session lasts, for a page that was answered 401."""
        lasts = self._doors.logins is None or self._find(scope) is not None
        return Response(status_code=204 if lasts else 401, headers={"cache-control": "no-store"})

    def _begun(self, scope: Scope, session: BrowserSession, where: str) -> Response:
        """Store a session, end the browser's earlier one, and open the page."""
        before = self._find(scope)
        if before is not None:
            self._doors.sessions.end(before)
        answer = _to(where)
        cookie = self._doors.sessions.add(session)
        answer.set_cookie(self._doors.cookie, cookie, path="/", httponly=True, samesite="strict", secure=self._doors.secure)
        return answer

    def _is_view(self, path: str) -> bool:
        """Return True if a path is that of a view or of a page below it."""
        return path in self._doors.views or path.rpartition("/")[0] in self._doors.views

    def _place(self, text: str) -> str:
        """Return the place in the page that a text names: path and query string of a view, else a query string alone.

        It can name no other server and no other path.
        """
        path, _, query = text.partition("?")
        if not self._is_view(path):
            return _query(text.removeprefix("/"))
        query = _query(query)
        return f"{path}?{query}" if query else path

    def _address(self, scope: Scope) -> str:
        client = scope.get("client")
        if self._doors.behind:  # the proxy appends the address; earlier entries are the client's and are ignored
            forwarded = Headers(scope=scope).getlist("x-forwarded-for")
            if forwarded:
                return forwarded[-1].rpartition(",")[2].strip()
        return client[0] if client else ""


async def _failed(status: int, message: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request whose body may not have been read."""
    answer = JSONResponse({"error": {"message": message, "hint": None, "sqlstate": None}}, status, {"connection": "close"})
    await answer(scope, receive, send)


def _to(where: str) -> RedirectResponse:
    return RedirectResponse(_at(where), 303, {"cache-control": "no-store"})


def _at(where: str) -> str:
    """Return the address of a place in the page."""
    return where if where.startswith("/") else f"/?{where}" if where else "/"


def _query(text: str) -> str:
    """Return a query string made of the parameters of another, so that it can name no other server or path."""
    try:
        return urlencode(parse_qsl(text.lstrip("?"), max_num_fields=50))
    except ValueError:
        return ""


def _uncached(send: Send) -> Send:
    """Keep answers for signed-in readers out of the browser's cache, except files."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            if "etag" not in headers:
                headers.setdefault("cache-control", "no-store")
        await send(message)

    return sent

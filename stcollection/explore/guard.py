"""What stands before every request: who may ask, from which page, and what a browser may do with the answer."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from http.cookies import SimpleCookie
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "stc_explore"

HEADERS = {
    "x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin",
}  # fmt: skip
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def policy(html: str) -> str:
    """The Content-Security-Policy for a page: everything comes from this server, and of inline scripts those alone that the page
    itself has, by their SHA-256. Shiny and plotly set style attributes, hence 'unsafe-inline' of styles."""
    digests = (base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in _INLINE.findall(html))
    scripts = " ".join(["'self'", *(f"'sha256-{one}'" for one in dict.fromkeys(digests))])
    return "; ".join((
        "default-src 'none'", f"script-src {scripts}", "style-src 'self' 'unsafe-inline'", "img-src 'self' data: blob:",
        "font-src 'self'", "connect-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    ))  # fmt: skip


class Guard:
    """ASGI middleware.

    :param hosts: names this server is asked by; another one (a page that rebinds a name to loopback) is refused. Empty: any.
    :param policy: the Content-Security-Policy of every answer.
    :param token: what a caller must show once, as ``?token=`` (a cookie remembers it) or ``Authorization: Bearer``; None: nothing.
    """

    def __init__(self, app: ASGIApp, *, hosts: frozenset[str], policy: str, token: str | None = None) -> None:
        self.app, self.hosts, self.token = app, hosts, token
        self.headers = {**HEADERS, "content-security-policy": policy}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        refused = self._refused(scope)
        if refused is not None:
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                await refused(scope, receive, self._sender(send))
            return
        await self.app(scope, receive, self._sender(send))

    def _refused(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self.hosts and _name(host) not in self.hosts:
            return PlainTextResponse(f"this server is not called {_name(host)!r}\n", 421)
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return PlainTextResponse("another page may not ask here\n", 403)
        if self.token is None:
            return None
        shown = self._shown(headers)
        if shown is not None and hmac.compare_digest(shown.encode(), self.token.encode()):
            return None
        asked = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        if hmac.compare_digest(asked.get("token", [""])[0].encode(), self.token.encode()):
            rest = urlencode({name: values for name, values in asked.items() if name != "token"}, doseq=True)
            answer = RedirectResponse(f"{scope['path']}?{rest}" if rest else scope["path"], 303)
            answer.set_cookie(COOKIE, self.token, httponly=True, samesite="strict", secure=scope.get("scheme") == "https")
            return answer
        return PlainTextResponse("this explorer wants its token: open the address that 'stc explore' printed\n", 401)

    @staticmethod
    def _shown(headers: Headers) -> str | None:
        scheme, _, value = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return value.strip()
        cookies: SimpleCookie = SimpleCookie(headers.get("cookie", ""))
        return cookies[COOKIE].value if COOKIE in cookies else None

    def _sender(self, send: Send) -> Send:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
            await send(message)

        return sent


def _name(host: str) -> str:
    """Of a Host header the name alone, in lower case: ``[::1]:80`` is ``::1``."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()

"""The page's own access checks: a token, and the headers of the page, among them its Content-Security-Policy."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from urllib.parse import parse_qs, urlencode

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from stcollection.web import guard as web

COOKIE = "stc_explore"
# No style attributes and no scripts in the HTML.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "script-src-attr 'none'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "object-src 'none'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_UNUSED = ("accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "microphone", "midi", "payment", "usb")
# Browsers send 'Origin: null' from pages with 'no-referrer', which the guard refuses: forms need 'same-origin'.
HEADERS: Mapping[str, str] = {
    **web.HEADERS,
    "content-security-policy": POLICY,
    "permissions-policy": ", ".join(f"{feature}=()" for feature in _UNUSED),
    "referrer-policy": "same-origin",
}


class Token:
    """ASGI middleware that requires a token.

    :param token: callers send it once as ``?token=`` (a cookie then stores it), or each time as ``Authorization: Bearer``.
    :param secure: send the cookie over https only.
    """

    def __init__(self, app: ASGIApp, token: str, *, secure: bool = False) -> None:
        self._app, self._token, self._secure = app, token, secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = self._refused(scope)
        if refused is None:
            await self._app(scope, receive, send)
        else:
            await refused(scope, receive, send)

    def _refused(self, scope: Scope) -> Response | None:
        if self._right(self._shown(Headers(scope=scope))):
            return None
        asked = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        if self._right(asked.get("token", [""])[0]):
            rest = urlencode({name: values for name, values in asked.items() if name != "token"}, doseq=True)
            path = "/" + scope["path"].lstrip("/")  # '//name' would lead to another server
            answer = RedirectResponse(f"{path}?{rest}" if rest else path, 303)
            answer.set_cookie(COOKIE, self._token, httponly=True, samesite="strict", secure=self._secure)
            return answer
        return PlainTextResponse("this explorer requires its token: open the address that 'stc serve page' printed\n", 401)

    def _right(self, shown: str | None) -> bool:
        return shown is not None and hmac.compare_digest(shown.encode(), self._token.encode())

    @staticmethod
    def _shown(headers: Headers) -> str | None:
        scheme, _, value = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return value.strip()
        return cookie_parser(headers.get("cookie", "")).get(COOKIE)

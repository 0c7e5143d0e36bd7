"""The explorer's own access checks: a token, and the Content-Security-Policy of the page."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from urllib.parse import parse_qs, urlencode

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

COOKIE = "stc_explore"
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def policy(html: str) -> str:
    """Return the Content-Security-Policy of a page: sources from this server only, and the page's own inline scripts by SHA-256.

    Shiny and plotly set style attributes, which need 'unsafe-inline' for styles.
    """
    digests = (base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in _INLINE.findall(html))
    scripts = " ".join(["'self'", *(f"'sha256-{one}'" for one in dict.fromkeys(digests))])
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {scripts}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self'",
            "connect-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )


class Token:
    """ASGI middleware that requires a token.

    :param token: callers send it once as ``?token=`` (a cookie then stores it), or each time as ``Authorization: Bearer``.
    :param secure: send the cookie over https only.
    """

    def __init__(self, app: ASGIApp, token: str, *, secure: bool = False) -> None:
        self._app, self._token, self._secure = app, token, secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refused = self._refused(scope)
        if refused is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
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
        return PlainTextResponse("this explorer requires its token: open the address that 'stc explore' printed\n", 401)

    def _right(self, shown: str | None) -> bool:
        return shown is not None and hmac.compare_digest(shown.encode(), self._token.encode())

    @staticmethod
    def _shown(headers: Headers) -> str | None:
        scheme, _, value = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return value.strip()
        return cookie_parser(headers.get("cookie", "")).get(COOKIE)

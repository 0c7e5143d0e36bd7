"""The HTTP transport: checks of the host name, of other web pages, and of a token."""

from __future__ import annotations

import hmac

from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from stcollection.mcp import AnswerLimits
from stcollection.web.guard import Accepted, Guard

PATH = "/mcp"


class BearerGuard:
    """ASGI middleware that refuses HTTP requests without the token. :param token: None accepts all requests."""

    def __init__(self, app: ASGIApp, *, token: str | None) -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._token is not None:
            scheme, _, given = Headers(scope=scope).get("authorization", "").partition(" ")
            if scheme.lower() != "bearer" or not hmac.compare_digest(given.encode(), self._token.encode()):
                message = "a token is required: send the header 'Authorization: Bearer TOKEN'\n"
                await PlainTextResponse(message, 401, headers={"www-authenticate": "Bearer"})(scope, receive, send)
                return
        await self._app(scope, receive, send)


def make_http_app(server: MCPServer, *, accepted: Accepted, token: str | None, limits: AnswerLimits) -> ASGIApp:
    """Return the ASGI application of a server, without sessions: each request is answered alone.

    :param accepted: host names to accept. :param token: that requests need; None: none.
    """
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        max_request_body_size=limits.body,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the guard checks more
    )
    app.add_middleware(BearerGuard, token=token)
    app.add_middleware(Guard, accepted=accepted)
    return app

"""The log's entries about downloads."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stcollection.explore.access.desks import DESK
from stcollection.web.desk import Desk


class Downloads:
    """ASGI middleware that logs the path of each file that a reader downloads. :param home: desk of readers without sign-in."""

    def __init__(self, app: ASGIApp, home: Desk) -> None:
        self._app, self._home = app, home

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                headers = Headers(raw=message["headers"])
                if headers.get("content-disposition", "").startswith("attachment"):
                    desk: Desk = scope.get(DESK, self._home)
                    desk.note("download", path=scope["path"])
            await send(message)

        await self._app(scope, receive, send if self._home.log is None else sent)

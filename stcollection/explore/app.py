"""The explorer as one ASGI application: the guard, the endpoints for programs, the page."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from importlib.metadata import version

from fastapi import FastAPI
from shiny import App
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from stcollection.explore.desk import Desk
from stcollection.explore.frames import Frames
from stcollection.explore.guard import HEADERS, INLINE, Token, with_files
from stcollection.explore.page import make_page
from stcollection.explore.programs import routes as programs
from stcollection.explore.search import tab as search
from stcollection.web.guard import Accepted, Guard


def make_app(desk: Desk, *, title: str, accepted: Accepted | None = None, token: str | None = None) -> ASGIApp:
    """Create the application.

    :param desk: opened and closed with the application. :param title: name of the collection.
    :param accepted: host names to accept; default: those of loopback. :param token: token that callers must send; None: no token.
    """
    accepted = accepted or Accepted()

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        desk.open()
        preparing = asyncio.create_task(search.prepare(desk))
        yield
        preparing.cancel()
        desk.close()

    app = FastAPI(title=f"{title}: search", version=version("stcollection"), lifespan=lifespan, docs_url=None, redoc_url=None)
    programs.add(app, desk, title)
    app.mount("/", _served(make_page(desk, title)))
    secure = accepted.public is not None and accepted.public.scheme == "https"
    inner = app if token is None else Token(app, token, secure=secure)
    return Guard(inner, accepted=accepted, headers=HEADERS)


def _served(page: App) -> ASGIApp:
    """Return a page of Shiny that has no inline scripts. Shiny renders the page once, before the first request."""
    assert not callable(page.ui)  # noqa: S101
    html, files = with_files(page.ui["html"])
    page.ui = {**page.ui, "html": html}

    async def script(request: Request) -> Response:
        text = files.get(request.url.path.removeprefix("/"))
        return PlainTextResponse("not found", 404) if text is None else Response(text, media_type="text/javascript")

    return Starlette(routes=[Route(f"/{INLINE}/{{name}}", script), Mount("/", Frames(page))])

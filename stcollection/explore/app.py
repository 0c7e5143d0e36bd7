"""The explorer as one ASGI application: the guard, the endpoints for programs, the page."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from importlib.metadata import version

from fastapi import FastAPI
from shiny import App
from starlette.types import ASGIApp

from stcollection.explore.desk import Desk
from stcollection.explore.frames import Frames
from stcollection.explore.guard import Token, policy
from stcollection.explore.page import make_page
from stcollection.explore.programs import routes as programs
from stcollection.explore.search import tab as search
from stcollection.explore.upload import endpoint
from stcollection.explore.upload.files import Uploads
from stcollection.web.guard import HEADERS, Accepted, Guard


def make_app(desk: Desk, *, title: str, accepted: Accepted | None = None, token: str | None = None) -> ASGIApp:
    """Create the application.

    :param desk: opened and closed with the application. :param title: name of the collection.
    :param accepted: host names to accept; default: those of loopback. :param token: token that callers must send; None: no token.
    """
    accepted = accepted or Accepted()
    uploads = Uploads.of(desk)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        desk.open()
        uploads.open()
        preparing = asyncio.create_task(search.prepare(desk))
        yield
        preparing.cancel()
        uploads.close()
        desk.close()

    app = FastAPI(title=f"{title}: search", version=version("stcollection"), lifespan=lifespan, docs_url=None, redoc_url=None)
    page = make_page(desk, title)
    programs.add(app, desk, title)
    endpoint.add(app, uploads)
    app.mount("/", Frames(page))
    secure = accepted.public is not None and accepted.public.scheme == "https"
    inner = app if token is None else Token(app, token, secure=secure)
    return Guard(inner, accepted=accepted, headers={**HEADERS, "content-security-policy": policy(_html(page))})


def _html(page: App) -> str:
    """Return the page's HTML, which Shiny renders once, before the first request."""
    assert not callable(page.ui)  # noqa: S101
    return page.ui["html"]

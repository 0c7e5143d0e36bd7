"""The explorer as one ASGI application: the guard, the addresses programs know, the page."""

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
from stcollection.web.guard import HEADERS, Accepted, Guard


def make_app(desk: Desk, *, title: str, accepted: Accepted | None = None, token: str | None = None) -> ASGIApp:
    """The application.

    :param desk: opened and closed with it. :param title: name of the collection.
    :param accepted: the names it answers to, by default those of loopback. :param token: what a caller must show; None: nothing.
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
    page = make_page(desk, title)
    programs.add(app, desk, title)
    app.mount("/", Frames(page))
    secure = accepted.public is not None and accepted.public.scheme == "https"
    inner = app if token is None else Token(app, token, secure=secure)
    return Guard(inner, accepted=accepted, headers={**HEADERS, "content-security-policy": policy(_html(page))})


def _html(page: App) -> str:
    """The page as it is sent: it is drawn once, before anyone asks."""
    assert not callable(page.ui)  # noqa: S101
    return page.ui["html"]

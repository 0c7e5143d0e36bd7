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
from stcollection.explore.guard import Guard, policy
from stcollection.explore.page import make_page
from stcollection.explore.programs import routes as programs
from stcollection.explore.search import tab as search


def make_app(desk: Desk, *, title: str, hosts: frozenset[str] = frozenset(), token: str | None = None) -> ASGIApp:
    """The application. :param desk: opened and closed with it. :param title: name of the collection. Others as for the guard."""

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
    app.mount("/", page)
    return Guard(app, hosts=hosts, policy=policy(_html(page)), token=token)


def _html(page: App) -> str:
    """The page as it is sent: it is drawn once, before anyone asks."""
    assert not callable(page.ui)  # noqa: S101
    return page.ui["html"]

"""The tabs that Shiny serves. This module loads Shiny, plotly and what the tabs need, with the first request for a tab."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from shiny import App
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from stcollection.explore.frames import Frames
from stcollection.explore.guard import INLINE, with_files
from stcollection.explore.lean import keep_loaded, switch_off_tracing
from stcollection.explore.page import make_page
from stcollection.web.desk import Desk
from stcollection.web.words import language, speaking


def tabs(home: Desk, title: str, *, sign_out: bool) -> ASGIApp:
    """Return the page of Shiny."""
    switch_off_tracing()
    made = served(lambda: make_page(home, title, sign_out=sign_out))
    keep_loaded()
    return made


def served(make: Callable[[], App]) -> ASGIApp:
    """Return a page of Shiny that has no inline scripts, in the language of each request.

    :param make: makes the page in the current language. Another language than English is rendered at its first request.
    """
    files: dict[str, str] = {}
    pages: dict[str, str] = {}

    def rendered(page: App) -> str:
        assert not callable(page.ui)  # noqa: S101
        html, scripts = with_files(page.ui["html"])
        files.update(scripts)
        return html

    page = make()  # its server speaks every language
    pages[language()] = rendered(page)

    def written(spoken: str) -> str:
        with speaking(spoken):
            return rendered(make())

    async def index(request: Request) -> Response:
        spoken = language()
        if spoken not in pages:
            pages[spoken] = await asyncio.to_thread(written, spoken)
        return HTMLResponse(pages[spoken], headers={"content-language": spoken, "vary": "Accept-Language, Cookie"})

    async def script(request: Request) -> Response:
        text = files.get(request.url.path.removeprefix("/"))
        return PlainTextResponse("not found", 404) if text is None else Response(text, media_type="text/javascript")

    return Starlette(routes=[Route("/", index), Route(f"/{INLINE}/{{name}}", script), Mount("/", Frames(page))])

"""The tab of the page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from stcollection.explore.views import Site, View, page

from .store import list_notes

NAME = "{{cookiecutter.name}}"


async def show(request: Request, *, site: Site) -> Response:
    """Answer with the notes that the reader may see."""
    notes = await site.desk(request).ask(list_notes)
    return await page(site, request, f"{NAME}/notes.html", view=NAME, title=None, notes=notes)


def _routes(site: Site) -> Sequence[BaseRoute]:
    return [Route(f"/{NAME}", partial(show, site=site))]


VIEW = View(name=NAME, title="{{cookiecutter.title}}", routes=_routes)

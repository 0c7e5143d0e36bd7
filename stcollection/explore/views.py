"""Server-rendered views: each is a folder with a module ``view`` that has a :class:`View` as ``VIEW``.

A view answers a path with a page, and the same path with ``.json`` with the record that the page shows. All state is in the
address. An endpoint lets errors of the library and of forms pass: :func:`routes` answers them.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import math
import pkgutil
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from stcollection.errors import StcError, UnknownObject
from stcollection.explore import assets
from stcollection.explore.access.desks import DESK, WHO
from stcollection.explore.access.form import FormError
from stcollection.explore.guard import POLICY
from stcollection.explore.navigation import entries
from stcollection.explore.templates import render
from stcollection.plugins import parts
from stcollection.qrels.invitations import Invitations
from stcollection.qrels.simulated import collection_note
from stcollection.texts import later
from stcollection.web import words
from stcollection.web.desk import Desk
from stcollection.web.faults import status, timely

T = TypeVar("T")

_LATER = "\ue002"  # marks the place of the part that is sent last
_FRESH_SECONDS = 60.0


@dataclass(frozen=True, kw_only=True)
class Site:
    """What the views of a server share.

    :param home: desk of readers who are not signed in. :param title: name of the collection. :param sign_out: readers sign in.
    :param invitations: links for assessors; None: no links. :param public: the address behind a proxy; None: that of the request.
    """

    home: Desk
    title: str
    sign_out: bool
    invitations: Invitations | None = None
    public: str | None = None

    def desk(self, request: Request) -> Desk:
        """Return the desk of the reader who sends a request."""
        desk: Desk = request.scope.get(DESK, self.home)
        return desk


@dataclass(frozen=True, kw_only=True)
class View:
    """A view.

    :param name: its path is ``/NAME``. :param title: marked by ``later``. :param routes: makes its routes.
    :param guests: invited assessors have it too. :param shown: whether the navigation has it for a reader; None: always.
    """

    name: str
    title: str
    routes: Callable[[Site], Sequence[BaseRoute]]
    guests: bool = False
    shown: Callable[[Site, Desk], Awaitable[bool]] | None = None


@dataclass(frozen=True, kw_only=True)
class StudySection:
    """A part that a study adds to a view: a section of Collection, or a panel of Judging.

    :param name: in its address. :param title: marked by ``later``. :param routes: makes its routes.
    :param html: makes what the page of the view shows; None: the part is a separate page.
    """

    name: str
    title: str
    routes: Callable[[Site], Sequence[BaseRoute]]
    html: Callable[[Site, Request], Awaitable[str]] | None = None


@cache
def views() -> tuple[View, ...]:
    """Return the views of the folders next to this module, and those of studies."""
    package = __name__.rpartition(".")[0]
    folders = [found.name for found in pkgutil.iter_modules([str(Path(__file__).parent)]) if found.ispkg]
    modules = [f"{package}.{folder}.view" for folder in folders]
    return (*(import_module(module).VIEW for module in modules if find_spec(module)), *(view for _, view in parts("page")))


def paths() -> frozenset[str]:
    """Return the paths of the views, which sign-in may lead back to."""
    return frozenset(f"/{view.name}" for view in views())


def routes(site: Site, *, guests: bool = False) -> list[BaseRoute]:
    """Return the routes of all views and of their static files. :param guests: only of views for invited assessors."""
    shown = [view for view in views() if view.guests or not guests]
    return [assets.route(), *(_answering(site, view.name, route) for view in shown for route in view.routes(site))]


def _answering(site: Site, name: str, route: BaseRoute) -> BaseRoute:
    """Return a route that answers the errors of its view: as JSON for a path with ``.json``, else as a page. :param name: of it."""
    if not isinstance(route, Route):
        return route
    endpoint = route.endpoint

    async def answered(request: Request) -> Response:
        try:
            reply: Response = await endpoint(request)
        except GoneError:
            return Response(status_code=499)  # nobody reads it
        except FormError as error:
            return PlainTextResponse(f"{error.message}\n", error.status)
        except StcError as error:
            error = timely(error, site.home.seconds)
            if request.url.path.endswith(".json"):
                record = {"message": error.message, "hint": error.hint, "sqlstate": error.sqlstate}
                return JSONResponse({"error": record}, status(error))
            return await page(site, request, "error.html", code=status(error), error=error, view=name, title=None)
        return reply

    return Route(route.path, answered, methods=list(route.methods or ()), name=route.name)


class GoneError(Exception):
    """The client no longer waits for the answer."""


async def while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of work, which is cancelled, with its statements, if the reader stops loading the page.

    :raises GoneError: the reader has stopped.
    """
    task, gone = asyncio.create_task(work), asyncio.create_task(_disconnected(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise GoneError
        return task.result()
    finally:
        task.cancel()
        gone.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def page(
    site: Site,
    request: Request,
    template: str,
    *,
    code: int = 200,
    last: Callable[[], Awaitable[str]] | None = None,
    **values: object,
) -> Response:
    """Return a page, or only its content if htmx requests it.

    :param template: extends ``base.html`` and has the variable ``part``, True if only the content is requested.
    :param last: makes a part that the page sends after the rest; the template has it as ``last``.
    :param values: of the template; ``note`` replaces the note on simulated data of the whole collection.
    """
    part = request.headers.get("hx-request") == "true"
    spoken = words.language()
    shown = {} if part else await _frame(site, request)
    html = render(template, **shown | {"part": part, "last": _LATER if last else None} | values)
    headers = {
        "content-security-policy": POLICY,
        "content-language": spoken,
        "cache-control": "no-cache",
        "vary": "Accept-Encoding, Accept-Language, Cookie, HX-Request",
    }
    if last is None and not assets.accepts_gzip(request):
        return HTMLResponse(html, code, headers)
    before, _, after = html.partition(_LATER)
    sent = _parts(before, last, after)
    if assets.accepts_gzip(request):
        sent, headers["content-encoding"] = _compressed(sent), "gzip"
    return StreamingResponse(sent, code, headers, media_type="text/html")


async def absent(site: Site, request: Request) -> Response:
    """Return the page for an address that no view has."""
    error = UnknownObject(later("there is no page {page}", page=request.url.path[:80]), hint=later("Select a page in the menu."))
    return await page(site, request, "error.html", code=404, error=error, view=None, title=None)


def answer(request: Request, record: Mapping[str, object], code: int = 200) -> Response:
    """Answer a script of a view with JSON, compressed if it can read that."""
    body = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
    headers = {"cache-control": "no-store", "vary": "Accept-Encoding, Accept-Language, Cookie"}
    if assets.accepts_gzip(request):
        body, headers["content-encoding"] = gzip.compress(body, 5), "gzip"
    return Response(body, code, headers, media_type="application/json")


def plain(value: Any) -> Any:
    """Return a record as JSON has it: dataclasses and named tuples with the names of their fields, times in ISO 8601."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no such number
    if isinstance(value, frozenset):
        return sorted(value)
    return value.isoformat() if isinstance(value, datetime) else value


async def _frame(site: Site, request: Request) -> dict[str, object]:
    """Return what the frame of a page shows: navigation, reader, languages, the note on simulated data."""
    desk = site.desk(request)
    own = [view for view in views() if view.guests or desk.guest is None]
    try:
        note = None if desk.guest else await desk.ask_often(collection_note, seconds=_FRESH_SECONDS)
        own = [view for view in own if view.shown is None or await view.shown(site, desk)]
    except StcError:
        note, own = None, [view for view in own if view.shown is None]
    return {
        "collection": site.title,
        "entries": entries((view.name, view.title) for view in own),
        "note": note,
        "reader": request.scope.get(WHO) if site.sign_out or desk.guest else None,
        "languages": words.LANGUAGES,
        "language": words.language(),
    }


async def _parts(before: str, last: Callable[[], Awaitable[str]] | None, after: str) -> AsyncIterator[bytes]:
    yield before.encode()
    if last is not None:
        yield (await last()).encode() + after.encode()


async def _compressed(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Compress each part so that the browser can show it before the next one comes."""
    packer = zlib.compressobj(6, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    async for part in parts:
        yield packer.compress(part) + packer.flush(zlib.Z_SYNC_FLUSH)
    yield packer.flush()

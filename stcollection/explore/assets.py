"""Static files of the server-rendered views: compressed once, and named by their content, so that browsers keep them for a year."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from stcollection.plugins import studies

FOLDER = Path(__file__).parent / "static"
PATH = "/static"
_TYPES = {
    "page.css": "text/css",
    "leaderboard.js": "text/javascript",
    "page.js": "text/javascript",
    "offline.js": "text/javascript",
    "judging.js": "text/javascript",
    "pairs.js": "text/javascript",
    "organise.js": "text/javascript",
    "htmx.min.js": "text/javascript",
    "drawing.js": "text/javascript",
    "upload.js": "text/javascript",
    "parts.js": "text/javascript",
    "map.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
_HEADERS = {"cache-control": "public, max-age=31536000, immutable", "vary": "Accept-Encoding"}


class StaticFile(NamedTuple):
    """A file, plain and compressed."""

    media_type: str
    plain: bytes
    compressed: bytes


def address(name: str) -> str:
    """Return the address of a file, with a digest of its content. :param name: such as ``page.css``."""
    return f"{PATH}/{_hashed(name)}"


async def serve(request: Request) -> Response:
    """Answer a request for a file."""
    file = _files().get(request.path_params["name"])
    if file is None:
        return PlainTextResponse("not found\n", 404)
    if accepts_gzip(request):
        return Response(file.compressed, media_type=file.media_type, headers={**_HEADERS, "content-encoding": "gzip"})
    return Response(file.plain, media_type=file.media_type, headers=_HEADERS)


def route() -> Route:
    """Return the route of the files."""
    return Route(f"{PATH}/{{name}}", serve)


def accepts_gzip(request: Request) -> bool:
    """Return True if the client can read compressed answers."""
    return "gzip" in request.headers.get("accept-encoding", "")


@cache
def paths() -> dict[str, Path]:
    """Return the files by name: those of the core, and those of studies."""
    of_studies = {name: study.folder / "page" / name for study in studies() for name in study.static}
    return of_studies | {name: FOLDER / name for name in _TYPES}


@cache
def _hashed(name: str) -> str:
    stem, _, suffix = name.rpartition(".")
    return f"{stem}.{hashlib.sha256(paths()[name].read_bytes()).hexdigest()[:12]}.{suffix}"


@cache
def _files() -> dict[str, StaticFile]:
    """Return all files by their hashed names."""
    types = {name: kind for study in studies() for name, kind in study.static.items()} | _TYPES
    contents = {name: path.read_bytes() for name, path in paths().items()}
    return {_hashed(name): StaticFile(types[name], plain, gzip.compress(plain, mtime=0)) for name, plain in contents.items()}

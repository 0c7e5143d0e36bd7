"""The page of the style sheet: its tokens, and each component with its classes. No entry of the navigation leads here."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from stcollection.errors import StateError
from stcollection.explore import assets
from stcollection.explore.navigation import STYLE as NAME
from stcollection.explore.views import Site, View, page
from stcollection.texts import later

_TOKEN = re.compile(r"--([\w-]+): ([^;]+);")
_SIZE = re.compile(r"[\d.]+(?=rem$)")
_TYPE = ("tiny", "small", "text", "large", "huge", "prose", "code")
_REM = 16  # pixels, unless the reader has chosen another size of text


def tokens() -> Mapping[str, dict[str, str]]:
    """Return the tokens of the style sheet: name and value by kind, which is space, type or colour."""
    sheet = (assets.FOLDER / "page.css").read_text(encoding="utf-8")
    found: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for name, value in _TOKEN.findall(sheet.partition(":root {")[2].partition("\n}")[0]):
        kind = "type" if name in _TYPE else "space" if value.endswith("rem") else "colour"
        found[kind][name] = value
    return found


def _routes(site: Site) -> Sequence[BaseRoute]:
    async def show(request: Request) -> Response:
        known = tokens()
        pixels = {name: _REM * float(size[0]) for name, value in known["space"].items() if (size := _SIZE.search(value))}
        error = StateError(later("no runs are stored"), hint=later("Import a run with 'stc load --as runs'."), sqlstate="IR405")
        return await page(
            site, request, "style/page.html", title=None, view=NAME, tokens=known, pixels=pixels, error=error, address=f"/{NAME}"
        )

    async def record(_: Request) -> Response:
        return JSONResponse(tokens())

    return [Route(f"/{NAME}", show), Route(f"/{NAME}.json", record)]


VIEW = View(name=NAME, title=later("Style"), routes=_routes)

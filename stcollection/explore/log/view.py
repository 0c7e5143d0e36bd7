"""The view Log: judgments, changes, downloads and sign-ins on the page, for organisers.

It reads the file of ``stc serve page --audit``.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from stcollection.db.roles import sees_all_rows
from stcollection.errors import BadArgument, StateError
from stcollection.explore.access.audit import LogEntry, LogPage
from stcollection.explore.charts import csv_file
from stcollection.explore.views import Site, View, page, plain
from stcollection.plugins import sections
from stcollection.qrels.sheets import guarded
from stcollection.qrels.sheets import plain as one_line
from stcollection.texts import later
from stcollection.web.desk import Desk
from stcollection.web.words import t

NAME = "log"
PATH = f"/{NAME}"
_SIZE, _MOST = 100, 100_000  # entries of a page and of a file
_FRESH_SECONDS = 60.0
_PLACE = re.compile("[0-9]{1,15}")
_KINDS = {
    "judgment": later("judgment"),
    "final-grade": later("final grade"),
    "review": later("review status"),
    "correction": later("correction"),
    "pool-made": later("pool made"),
    "pool-divided": later("pool divided"),
    "pool-fields": later("fields that assessors see"),
    "assessor-invited": later("assessor invited"),
    "pool-submitted": later("pool submitted"),
    "query-saved": later("query saved"),
    "run-stored": later("run stored"),
    "topics-stored": later("topics stored"),
    "judgments-stored": later("judgments stored"),
    "documents-stored": later("documents stored"),
    "download": later("download"),
    "sql": later("query in SQL"),
    "signed-in": later("signed in"),
    "sign-in-refused": later("sign-in refused"),
    "signed-out": later("signed out"),
    "invitation-used": later("invitation used"),
}


def kinds() -> dict[str, str]:
    """Return the kinds of entries with their titles, in English; those of studies last."""
    return _KINDS | {kind: title for part in sections(NAME) for kind, title in part.titles.items()}


class LogPages:
    """Answers the requests of the view."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def show(self, request: Request) -> Response:
        """Answer with the latest entries, or those before a place."""
        given = request.query_params
        kept = {name: given.get(name, "").strip()[:200] for name in ("person", "kind")}
        titles = {name: t(text) for name, text in kinds().items()}
        link = partial(_link, kept)
        found = await self._read(request, _SIZE)
        return await page(
            self._site,
            request,
            "log/page.html",
            view=NAME,
            title=None,
            path=PATH,
            kept=kept,
            kinds=titles.items(),
            keeps=self._site.home.log is not None,
            rows=[_row(entry, titles) for entry in found.entries],
            earlier=found.before and link(PATH, before=found.before),
            latest=link(PATH) if given.get("before") else None,
            file=link(f"{PATH}.csv"),
        )

    async def record(self, request: Request) -> Response:
        """Answer with the record that the page shows."""
        found = await self._read(request, _SIZE)
        return JSONResponse(plain(found))

    async def file(self, request: Request) -> Response:
        """Answer with the entries as a file, the latest first."""
        found = await self._read(request, _MOST)
        rows = [(*one[:-1], json.dumps(one.details, ensure_ascii=False)) for one in found.entries]
        return csv_file(NAME, LogEntry._fields, rows, cell=lambda value: guarded(str(value)))

    async def _read(self, request: Request, most: int) -> LogPage:
        """Read the log; it is empty if the page keeps none. :raises StateError: the reader is not an organiser."""
        desk, given, log = self._site.desk(request), request.query_params, self._site.home.log
        if desk.guest is not None or not await desk.ask(sees_all_rows):
            raise StateError(
                later("only organisers read the log"), hint=later("Ask an organiser of the collection."), sqlstate="IR410"
            )
        kind, before = given.get("kind", ""), given.get("before", "")
        for name, value, valid in (("kind", kind, kind in kinds()), ("before", before, _PLACE.fullmatch(before))):
            if value and not valid:
                raise BadArgument(
                    later("{name} is {value!r}", name=name, value=value[:50]), hint=later("Use the links of the page.")
                )
        if log is None:
            return LogPage([], None)
        person = given.get("person", "").strip()[:200]
        found: LogPage = await asyncio.to_thread(
            log.read, before=int(before) if before else None, person=person, kind=kind, most=most
        )
        return found


async def _has_log(site: Site, desk: Desk) -> bool:
    """Return True if the reader finds the view in the navigation."""
    return site.home.log is not None and desk.guest is None and await desk.ask_often(sees_all_rows, seconds=_FRESH_SECONDS)


def _link(kept: dict[str, str], path: str, **more: object) -> str:
    """Return an address with the filters of the page."""
    given = {name: value for name, value in {**kept, **more}.items() if value}
    return f"{path}?{urlencode(given)}" if given else path


def _row(entry: LogEntry, titles: Mapping[str, str]) -> tuple[str, str, str, str]:
    """Return the cells of an entry: time, the name under which somebody judged and the login, kind, and what it is about."""
    names = dict.fromkeys(one_line(name) for name in (entry.annotator, entry.role) if name)
    values = {name: ", ".join(map(str, value)) if isinstance(value, list) else value for name, value in entry.details.items()}
    about = "; ".join(f"{name}: {one_line(str(value))}" for name, value in values.items() if value is not None)
    return f"{entry.time[:10]} {entry.time[11:19]} UTC", ", ".join(names), titles.get(entry.kind, entry.kind), about


def _routes(site: Site) -> Sequence[BaseRoute]:
    pages = LogPages(site)
    return [Route(PATH, pages.show), Route(f"{PATH}.json", pages.record), Route(f"{PATH}.csv", pages.file)]


VIEW = View(name=NAME, title=later("Log"), routes=_routes, shown=_has_log)

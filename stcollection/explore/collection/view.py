"""The view Collection: documents, files, judgments, runs, sections of studies, and indexes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from math import ceil
from typing import Any, NamedTuple

from markupsafe import Markup
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from stcollection.analysis.contents import corpus, indexes, judged
from stcollection.errors import BadArgument, StcError
from stcollection.explore.charts import csv_file, svg_file
from stcollection.explore.collection import rows
from stcollection.explore.collection.rows import TableRows
from stcollection.explore.navigation import link
from stcollection.explore.views import Site, View, page, plain
from stcollection.plugins import sections
from stcollection.texts import later
from stcollection.web.words import t

NAME = "collection"
PATH = f"/{NAME}"
_PAGE = 50  # rows of a separate page
_SHORT = 12  # rows of a table on the page; a separate page has all
SECTIONS = (later("Documents"), later("Files"), later("Judgments"), later("Runs"), later("Indexes"))
# Tables with separate pages: the function that reads them, and the one that returns their rows.
_LISTS: dict[str, tuple[Callable[..., Any], Callable[[Any], TableRows]]] = {
    "files": (corpus, rows.files),
    "editions": (judged, rows.editions),
    "runs": (judged, rows.runs),
}


class ListPage(NamedTuple):
    """A page of a table. :param pages: number of pages. :param before, after: addresses of the neighbouring pages."""

    number: int
    pages: int
    before: str | None
    after: str | None


class CollectionPages:
    """Answers the requests of the view."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def contents(self, request: Request) -> Response:
        """Answer with the page. An error in one part does not hide the others."""
        desk, added = self._site.desk(request), list(sections(NAME))
        documents, stored, built, *of_studies = await asyncio.gather(
            _tried(desk.ask(corpus)),
            _tried(desk.ask(judged)),
            _tried(desk.ask(indexes)),
            *(_tried(part.html(self._site, request)) for part in added),
        )
        return await page(
            self._site,
            request,
            "collection/page.html",
            view=NAME,
            title=None,
            rows=rows,
            sections=[(name, t(name)) for name in (*SECTIONS[:-1], *(part.title for part in added), SECTIONS[-1])],
            of_studies=list(zip((part.title for part in added), of_studies, strict=True)),
            documents=documents,
            stored=stored,
            built=built,
            tiles=rows.tiles(documents.value, stored.value),
            short=_SHORT,
            tables=Markup('<a href="{}">{}</a>').format(link("tables"), t("Tables")),
        )

    async def record(self, request: Request) -> Response:
        """Answer with the record that the page shows."""
        desk = self._site.desk(request)
        documents, stored, built = await desk.ask(corpus), await desk.ask(judged), await desk.ask(indexes)
        return JSONResponse(plain({**documents._asdict(), **stored._asdict(), **built._asdict()}))

    async def listing(self, request: Request, *, what: str) -> Response:
        """Answer with a page of the files, the editions or the runs."""
        desk = self._site.desk(request)
        read, rows_of = _LISTS[what]
        number = _page(request.query_params)
        table = rows_of(await desk.ask(read))
        pages = max(1, ceil(len(table.rows) / _PAGE))
        shown = table._replace(rows=table.rows[_PAGE * (number - 1) : _PAGE * number])
        links = ListPage(
            number,
            pages,
            f"{PATH}/{what}?page={min(number - 1, pages)}" if number > 1 else None,
            f"{PATH}/{what}?page={number + 1}" if number < pages else None,
        )
        title = {"files": t("Files"), "editions": t("Editions"), "runs": t("Runs")}[what]
        return await page(self._site, request, "collection/listing.html", view=NAME, title=title, shown=shown, links=links)

    async def chart(self, request: Request, *, what: str, kind: str) -> Response:
        """Answer with a figure of the page as SVG, or with its numbers as CSV."""
        desk = self._site.desk(request)
        if what == "years":
            documents = await desk.ask(corpus)
            if kind == "csv":
                return csv_file(what, (t("year"), t("documents")), documents.years)
            return svg_file(rows.years(documents))
        stored = await desk.ask(judged)
        if kind == "csv":
            return csv_file(what, (t("edition"), t("grade"), t("judgments")), rows.grade_rows(stored))
        return svg_file(rows.grades(stored))


class PagePart(NamedTuple):
    """What was read for a part of the page, or the error."""

    value: Any
    error: StcError | None


async def _tried(work: Awaitable[Any]) -> PagePart:
    try:
        return PagePart(await work, None)
    except StcError as error:
        return PagePart(None, error)


def _page(params: QueryParams) -> int:
    """Return the page of an address. :raises BadArgument: it is not a positive number."""
    text = params.get("page", "") or "1"
    if not text.isdecimal() or not 0 < int(text) < 10**9:
        raise BadArgument(later("there is no page {page}", page=text[:80]), hint=later("The first page is 1."), sqlstate="IR201")
    return int(text)


def _routes(site: Site) -> Sequence[BaseRoute]:
    pages = CollectionPages(site)
    return [
        Route(PATH, pages.contents),
        Route(f"{PATH}.json", pages.record),
        *(Route(f"{PATH}/{what}", partial(pages.listing, what=what)) for what in _LISTS),
        *(
            Route(f"{PATH}/{what}.{kind}", partial(pages.chart, what=what, kind=kind))
            for what in ("years", "grades")
            for kind in ("svg", "csv")
        ),
        *(route for part in sections(NAME) for route in part.routes(site)),
    ]


VIEW = View(name=NAME, title=later("Collection"), routes=_routes)

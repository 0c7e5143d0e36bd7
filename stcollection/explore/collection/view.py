"""The view Collection: documents, files, judgments, runs, groups of answers, and indexes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from math import ceil
from typing import Any, NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from stcollection.analysis.contents import corpus, indexes, judged
from stcollection.errors import BadArgument, StateError, StcError
from stcollection.explore.charts import csv_file, svg_file
from stcollection.explore.collection import answers, rows
from stcollection.explore.collection.rows import TableRows
from stcollection.explore.navigation import link
from stcollection.explore.views import Site, View, failure, failure_record, page, plain
from stcollection.plots.clusters import draw_clusters
from stcollection.texts import later
from stcollection.web.desk import Desk
from stcollection.web.words import t

NAME = "collection"
PATH = f"/{NAME}"
_PAGE = 50  # rows of a separate page
_SHORT = 12  # rows of a table on the page; a separate page has all
SECTIONS = (
    later("Documents"), later("Files"), later("Judgments"), later("Runs"), later("Answers"), later("Indexes"),
)  # fmt: skip
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
        desk, state = self._site.desk(request), answers.read(request.query_params)
        documents, stored, built, grouped = await asyncio.gather(
            _tried(desk.ask(corpus)),
            _tried(desk.ask(judged)),
            _tried(desk.ask(indexes)),
            _tried(desk.ask(answers.shown_answers, state)),
        )
        return await page(
            self._site,
            request,
            "collection/page.html",
            view=NAME,
            title=None,
            rows=rows,
            sections=[(name, t(name)) for name in SECTIONS],
            documents=documents,
            stored=stored,
            built=built,
            tiles=rows.tiles(documents.value, stored.value),
            short=_SHORT,
            tables=Markup('<a href="{}">{}</a>').format(link("tables"), t("Tables")),
            answers=grouped,
            **_answer_values(grouped.value),
        )

    async def record(self, request: Request) -> Response:
        """Answer with the record that the page shows."""
        desk = self._site.desk(request)
        try:
            documents, stored, built = await desk.ask(corpus), await desk.ask(judged), await desk.ask(indexes)
        except StcError as error:
            return failure_record(self._site, error)
        return JSONResponse(plain({**documents._asdict(), **stored._asdict(), **built._asdict()}))

    async def listing(self, request: Request, *, what: str) -> Response:
        """Answer with a page of the files, the editions or the runs."""
        desk = self._site.desk(request)
        read, rows_of = _LISTS[what]
        try:
            number = _page(request.query_params)
            table = rows_of(await desk.ask(read))
        except StcError as error:
            return await failure(self._site, request, error, name=NAME)
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
        try:
            if what == "years":
                documents = await desk.ask(corpus)
                if kind == "csv":
                    return csv_file(what, (t("year"), t("documents")), documents.years)
                return svg_file(rows.years(documents))
            stored = await desk.ask(judged)
        except StcError as error:
            return await failure(self._site, request, error, name=NAME)
        if kind == "csv":
            return csv_file(what, (t("edition"), t("grade"), t("judgments")), rows.grade_rows(stored))
        return svg_file(rows.grades(stored))

    async def answers(self, request: Request, *, kind: str) -> Response:
        """Answer with groups of answers: the section of the page, their graph as SVG, or their tables as CSV or JSON."""
        desk, state = self._site.desk(request), answers.read(request.query_params)
        try:
            found = await desk.ask(answers.shown_answers, state)
            if kind != "html":
                _check_export(desk)
        except StcError as error:
            return failure_record(self._site, error) if kind == "json" else await failure(self._site, request, error, name=NAME)
        if kind == "json":
            return JSONResponse(plain(found))
        if kind == "svg" and found.graph is not None:
            return Response(draw_clusters(found.graph), media_type="image/svg+xml")
        if kind == "csv" and found.graph is not None:
            groups, relations = answers.group_table(found.graph), answers.relation_table(found.graph)
            return csv_file("answers", groups.headers, [*groups.rows, (), relations.headers, *relations.rows])
        return await page(
            self._site,
            request,
            "collection/answers.html",
            view=NAME,
            title=t("Answers"),
            answers=PagePart(found, None),
            **_answer_values(found),
        )


class PagePart(NamedTuple):
    """What was read for a part of the page, or the error."""

    value: Any
    error: StcError | None


async def _tried(work: Awaitable[Any]) -> PagePart:
    try:
        return PagePart(await work, None)
    except StcError as error:
        return PagePart(None, error)


def _answer_values(found: answers.ShownAnswers | None) -> dict[str, Any]:
    """Return what the section of answers shows."""
    if found is None or found.graph is None:
        return {"drawn": None}
    state = {"answers": found.run, "words": found.words, "question": found.graph.query}
    return {
        "drawn": Markup(draw_clusters(found.graph)),  # noqa: S704  it escapes all texts
        "groups": answers.group_table(found.graph),
        "relations": answers.relation_table(found.graph),
        "file": f"{PATH}/answers.{{}}?{urlencode(state)}".format,
    }


def _check_export(desk: Desk) -> None:
    """Check that files may have texts of all documents. :raises StateError: they may not."""
    if desk.licences:
        raise StateError(
            later("this server gives out texts of some licences only, so answers cannot be downloaded"),
            hint=later("Use the downloads of a search, which leave out other texts."),
            sqlstate="IR410",
        )


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
        Route(f"{PATH}/answers", partial(pages.answers, kind="html")),
        *(Route(f"{PATH}/answers.{kind}", partial(pages.answers, kind=kind)) for kind in ("svg", "csv", "json")),
    ]


VIEW = View(name=NAME, title=later("Collection"), routes=_routes)

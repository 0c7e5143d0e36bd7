"""The view Collection: documents, files, judgments, runs, groups of answers, indexes, and the public tables."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
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
from stcollection.db.tables import CLIPPED, MOST, PAGE, TESTS, TableRequest, export_table, public_tables, read_table
from stcollection.errors import BadArgument, StateError, StcError
from stcollection.explore.charts import csv_file, svg_file
from stcollection.explore.collection import answers, rows
from stcollection.explore.collection.rows import TableRows
from stcollection.explore.views import Site, View, failure, failure_record, page, plain
from stcollection.plots.clusters import draw_clusters
from stcollection.texts import later
from stcollection.web.desk import Desk
from stcollection.web.words import t

NAME = "collection"
PATH = f"/{NAME}"
_SHORT = 12  # rows of a table on the page; a separate page has all
SECTIONS = (
    later("Documents"), later("Files"), later("Judgments"), later("Runs"), later("Answers"), later("Indexes"), later("Tables"),
)  # fmt: skip
# Tables with separate pages: the function that reads them, and the one that returns their rows.
_LISTS: dict[str, tuple[Callable[..., Any], Callable[[Any], TableRows]]] = {
    "files": (corpus, rows.files),
    "editions": (judged, rows.editions),
    "runs": (judged, rows.runs),
}
_TEST_TITLES = {
    "contains": later("contains"), "is": later("is"), "from": later("at least"), "to": later("at most"), "empty": later("is empty"),
}  # fmt: skip


class ListPage(NamedTuple):
    """A page of a table. :param pages: number of pages; None if it is not known. :param links: to the neighbouring pages."""

    number: int
    pages: int | None
    before: str | None
    after: str | None


class CollectionPages:
    """Answers the requests of the view."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def contents(self, request: Request) -> Response:
        """Answer with the page. An error in one part does not hide the others."""
        desk, state = self._site.desk(request), answers.read(request.query_params)
        documents, stored, built, grouped, tables = await asyncio.gather(
            _tried(desk.ask(corpus)),
            _tried(desk.ask(judged)),
            _tried(desk.ask(indexes)),
            _tried(desk.ask(answers.shown_answers, state)),
            _tried(desk.ask(public_tables)),
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
            tables=tables,
            tiles=rows.tiles(documents.value, stored.value),
            short=_SHORT,
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
        pages = max(1, ceil(len(table.rows) / PAGE))
        shown = table._replace(rows=table.rows[PAGE * (number - 1) : PAGE * number])
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

    async def table(self, request: Request) -> Response:
        """Answer with a page of a public table or view."""
        desk = self._site.desk(request)
        try:
            asked = _table_request(request.query_params)
            found = await desk.ask(read_table, asked)
        except StcError as error:
            return await failure(self._site, request, error, name=NAME)
        links = ListPage(
            asked.page,
            None if found.total is None else max(1, ceil(found.total / PAGE)),
            _table_address(asked, page=asked.page - 1) if asked.page > 1 else None,
            _table_address(asked, page=asked.page + 1) if found.more else None,
        )
        return await page(
            self._site,
            request,
            "collection/table.html",
            view=NAME,
            title=found.table.name,
            asked=asked,
            found=found,
            links=links,
            most=MOST,
            clipped=CLIPPED,
            address=partial(_table_address, asked),
            tests=[(test, t(_TEST_TITLES[test])) for test in TESTS],
        )

    async def table_file(self, request: Request, *, kind: str) -> Response:
        """Answer with the rows of a table, from the first on, as CSV or JSON."""
        desk = self._site.desk(request)
        try:
            _check_export(desk)
            asked = _table_request(request.query_params)
            names, found = await desk.ask(export_table, asked)
        except StcError as error:
            return failure_record(self._site, error) if kind == "json" else await failure(self._site, request, error, name=NAME)
        if kind == "csv":
            return csv_file(asked.table, names, found)
        return JSONResponse({"table": asked.table, "rows": [dict(zip(names, row, strict=True)) for row in found]})


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
            later("this server gives out texts of some licences only, so tables cannot be downloaded"),
            hint=later("Use the downloads of a search, which leave out other texts."),
            sqlstate="IR410",
        )


def _page(params: QueryParams) -> int:
    """Return the page of an address. :raises BadArgument: it is not a positive number."""
    text = params.get("page", "") or "1"
    if not text.isdecimal() or not 0 < int(text) < 10**9:
        raise BadArgument(later("there is no page {page}", page=text[:80]), hint=later("The first page is 1."), sqlstate="IR201")
    return int(text)


def _table_request(params: QueryParams) -> TableRequest:
    """Return the rows that an address shows. :raises BadArgument: the page is invalid."""
    texts = {name: params.get(name, "") for name in ("table", "column", "value", "sort")}
    return TableRequest(**texts, test=params.get("test") or TESTS[0], descending=params.get("order") == "down", page=_page(params))


def _table_address(asked: TableRequest, path: str = f"{PATH}/rows", **changes: Any) -> str:
    """Return the address of rows. :param changes: fields that differ."""
    shown = asked.__dict__ | changes
    filtered: Mapping[str, Any] = {name: shown[name] for name in ("column", "test", "value")} if shown["column"] else {}
    state = {"table": shown["table"], **filtered, "sort": shown["sort"], "order": "down" if shown["descending"] else ""}
    return f"{path}?{urlencode({name: value for name, value in state.items() if value})}" + (
        f"&page={shown['page']}" if shown["page"] > 1 else ""
    )


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
        Route(f"{PATH}/rows", pages.table),
        *(Route(f"{PATH}/rows.{kind}", partial(pages.table_file, kind=kind)) for kind in ("csv", "json")),
    ]


VIEW = View(name=NAME, title=later("Collection"), routes=_routes)

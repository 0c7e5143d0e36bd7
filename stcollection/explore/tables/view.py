"""The view Tables: published tables and views, filtered, sorted and page by page; queries of readers who are signed in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from stcollection.db.relations import CONDITIONS, UNARY, RelationRows, relation_rows, relations, statement_rows
from stcollection.errors import BadArgument, StcError
from stcollection.explore.charts import csv_file
from stcollection.explore.tables.request import PATH, SIZES, address, parameters, read_table, suffixed
from stcollection.explore.templates import decoded
from stcollection.explore.views import Site, View, page, while_connected
from stcollection.texts import later
from stcollection.web.desk import Desk
from stcollection.web.faults import status, timely
from stcollection.web.words import t

NAME = "tables"
_SHORT = 160  # characters of a value on the page
_FILES = (".json", ".csv")


class TablePages:
    """Answers the requests of the view."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def listed(self, request: Request) -> Response:
        """Answer with the tables and views that the reader can read."""
        desk = self._site.desk(request)
        found = await desk.ask(relations)
        return await page(
            self._site, request, "tables/list.html", view=NAME, title=None, relations=found, path=PATH, writes_sql=_writes_sql(desk)
        )

    async def table(self, request: Request) -> Response:
        """Answer with rows of a table, as a page, JSON or CSV."""
        name, kind = suffixed(request.path_params["name"], _FILES)
        desk = self._site.desk(request)
        state = read_table(request.query_params)
        if request.query_params.get("_column"):
            return RedirectResponse(address(name, replace(state, page=1), kind), 303)
        longest = None if kind else _SHORT
        asked = desk.ask(relation_rows, name, longest=longest, **state.asked())
        relation, found = await while_connected(request, asked)
        if kind:
            return _download(desk, found, kind, name=name)
        turn = partial(replace, state)
        return await page(
            self._site,
            request,
            "tables/table.html",
            view=NAME,
            title=relation.name,
            relation=relation,
            found=found,
            state=state,
            chips=[(_sentence(one.column, one.kind, one.value), address(name, state.without(one))) for one in state.conditions],
            conditions=[(kind, t(words)) for kind, (words, _) in CONDITIONS.items()],
            first=(state.page - 1) * state.size + 1,
            before=address(name, turn(page=state.page - 1)) if state.page > 1 else None,
            after=address(name, turn(page=state.page + 1)) if found.more else None,
            sizes=[(size, address(name, turn(size=size, page=1))) for size in SIZES],
            sort=lambda column: address(name, state.sorted_by(column)),
            downloads=[] if desk.licences else [(ending[1:].upper(), address(name, state, ending)) for ending in _FILES],
            kept=parameters(turn(page=1)),
            short=_short,
            path=PATH,
        )

    async def query(self, request: Request, *, kind: str = "") -> Response:
        """Answer with the rows of a query that the reader wrote, as a page, JSON or CSV."""
        desk, text = self._site.desk(request), request.query_params.get("sql", "")
        found, error, code = None, None, 200
        try:
            if not _writes_sql(desk):
                raise BadArgument(
                    later("queries need a login of the database"),
                    hint=later("Start the page with --sign-in and sign in, or use 'stc psql'."),
                )
            if text.strip() or kind:
                found = await while_connected(request, desk.ask(statement_rows, text))
            if found is not None:
                desk.note("sql", statement=text)
            if found is not None and kind:
                return _download(desk, found, kind, name="query")
        except StcError as problem:
            if kind == ".json":
                raise
            error = timely(problem, self._site.home.seconds)
            code = status(error)
        downloads = [
            (ending[1:].upper(), f"{PATH}/sql{ending}?{urlencode({'sql': text})}") for ending in _FILES if not desk.licences
        ]
        return await page(
            self._site,
            request,
            "tables/query.html",
            code=code,
            view=NAME,
            title="SQL",
            text=text,
            found=found,
            error=error,
            downloads=downloads,
            writes_sql=_writes_sql(desk),
            path=PATH,
            short=_short,
        )


def _writes_sql(desk: Desk) -> bool:
    """Return True if the desk has the connections of the reader's own login: the rights of a query are then the reader's."""
    return desk.role is not None and desk.origin is not desk and desk.guest is None


def _sentence(column: str, kind: str, value: str) -> str:
    said = f"{column} {t(CONDITIONS[kind][0])}" if kind in CONDITIONS else f"{column} {kind}"
    return said if kind in UNARY else f"{said} {value}"


def _short(value: Any) -> str:
    text = decoded(str(value)) or "" if value is not None else ""
    return text if len(text) <= _SHORT else text[:_SHORT] + "…"


def _download(desk: Desk, found: RelationRows, kind: str, *, name: str) -> Response:
    if desk.licences:
        raise BadArgument(
            later("this server gives programs only texts under {licences}", licences=", ".join(desk.licences)),
            hint=later("Download the results of a search instead."),
        )
    names = [column.name for column in found.columns]
    if kind == ".csv":
        filename = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)
        return csv_file(filename, names, found.rows)
    rows = [dict(zip(names, row, strict=True)) for row in found.rows]
    text = json.dumps({"statement": found.statement, "more": found.more, "rows": rows}, default=_as_json, ensure_ascii=False)
    return Response(text, media_type="application/json")


def _as_json(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _routes(site: Site) -> Sequence[BaseRoute]:
    pages = TablePages(site)
    return [
        Route(PATH, pages.listed),
        *(Route(f"{PATH}/sql{kind}", partial(pages.query, kind=kind)) for kind in ("", *_FILES)),
        Route(f"{PATH}/{{name:path}}", pages.table),
    ]


VIEW = View(name=NAME, title=later("Tables"), routes=_routes)

"""The section Answers of the view Collection: groups of answers, as tables and as a graph."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from stcollection.errors import StateError
from stcollection.explore.charts import csv_file
from stcollection.explore.templates import render
from stcollection.explore.views import Site, StudySection, page, plain
from stcollection.studies.answers.drawing import draw_clusters
from stcollection.studies.answers.page import rows
from stcollection.texts import later
from stcollection.web.desk import Desk
from stcollection.web.words import t

_VIEW = "collection"
PATH = "/collection"


async def section(site: Site, request: Request) -> Markup:
    """Return the section: the groups of the address, else those of the first run and query."""
    found = await site.desk(request).ask(rows.shown_answers, rows.read(request.query_params))
    return Markup(render("answers/groups.html", **_values(found)))  # noqa: S704  a template escapes all texts


async def groups(site: Site, request: Request, *, kind: str) -> Response:
    """Answer with groups of answers: the section of the page, their graph as SVG, or their tables as CSV or JSON."""
    desk, state = site.desk(request), rows.read(request.query_params)
    found = await desk.ask(rows.shown_answers, state)
    if kind != "html":
        _check_export(desk)
    if kind == "json":
        return JSONResponse(plain(found))
    if kind == "svg" and found.graph is not None:
        return Response(draw_clusters(found.graph), media_type="image/svg+xml")
    if kind == "csv" and found.graph is not None:
        groups, relations = rows.group_table(found.graph), rows.relation_table(found.graph)
        return csv_file("answers", groups.headers, [*groups.rows, (), relations.headers, *relations.rows])
    return await page(
        site,
        request,
        "answers/answers.html",
        view=_VIEW,
        title=t("Answers"),
        **_values(found),
    )


def _values(found: rows.ShownAnswers) -> dict[str, Any]:
    """Return what the section of answers shows."""
    if found.graph is None:
        return {"shown": found, "drawn": None}
    state = {"answers": found.run, "words": found.words, "question": found.graph.query}
    return {
        "shown": found,
        "drawn": Markup(draw_clusters(found.graph)),  # noqa: S704  it escapes all texts
        "groups": rows.group_table(found.graph),
        "relations": rows.relation_table(found.graph),
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


def _routes(site: Site) -> Sequence[BaseRoute]:
    return [
        Route(f"{PATH}/answers", partial(groups, site, kind="html")),
        *(Route(f"{PATH}/answers.{kind}", partial(groups, site, kind=kind)) for kind in ("svg", "csv", "json")),
    ]


SECTION = StudySection(name="answers", title=later("Answers"), routes=_routes, html=section)

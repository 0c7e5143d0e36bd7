"""The view Map: documents placed by their vectors, a list of them, and the open document."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from stcollection.analysis.cluster_hypothesis import NeighbourShare
from stcollection.analysis.map.documents import OpenedDocument, grades, judged_queries, near_relevant, opened
from stcollection.analysis.map.store import STEPS
from stcollection.errors import StcError
from stcollection.explore.charts import csv_file
from stcollection.explore.map.drawing import MapGroup, groups, listed, points, titles
from stcollection.explore.templates import decoded
from stcollection.explore.views import Site, View, page
from stcollection.texts import later
from stcollection.topics.sets import ALL, expression
from stcollection.web.desk import Desk
from stcollection.web.faults import status, timely
from stcollection.web.maps import PageMap, SharedMap
from stcollection.web.words import n, t

NAME = "map"
PATH = f"/{NAME}"
COLOURS = {"cluster": later("Cluster"), "year": later("Year"), "venue": later("Venue"), "relevance": later("Relevance")}
_LISTED = 25  # documents in the list
_LONGEST = 500  # characters of a value
_STATE = ("colour", "edition", "query", "set", "cluster", "find", "doc")
_AT_ONCE_SECONDS = 0.7  # a map that takes no longer is shown at once


class MapPages:
    """Answers the requests of the view."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def documents(self, request: Request) -> Response:
        """Answer with the page: the map, or how far it is computed."""
        desk = self._site.desk(request)
        found = await _made(desk)
        queries = await desk.ask(judged_queries)
        if found is None:
            return await self._waiting(request, "map/waits.html")
        state = _state(request.query_params, found, queries)
        document, missing = await _opened(desk, state["doc"])
        drawn, problem = await _drawn(desk, found, state)
        cluster = int(state["cluster"]) - 1 if state["cluster"] else None
        some = found.find(state["find"], cluster)
        last = partial(_near, desk, state) if state["colour"] == "relevance" and problem is None else None
        return await page(
            self._site,
            request,
            "map/page.html",
            code=200 if problem is None else status(problem),
            last=last,
            view=NAME,
            title=None if document is None else decoded(document.title),
            state=state,
            counted=_counted(found),
            colours={name: t(title) for name, title in COLOURS.items()},
            queries=queries,
            clusters=found.map.names,
            groups=drawn,
            error=problem,
            some=some,
            first=listed(some, _LISTED),
            document=document,
            missing=missing,
            about=None if document is None else _about(document, found),
            address=partial(_address, state),
        )

    async def _waiting(self, request: Request, template: str) -> Response:
        done = SharedMap.of(self._site.desk(request)).steps[:]
        step = t("Reading vectors …")
        if done:
            step = t("Step {number} of {all}: {step} …", number=len(done), all=len(STEPS), step=done[-1])
        return await page(self._site, request, template, view=NAME, title=None, step=step, error=None)

    async def state(self, request: Request) -> Response:
        """Answer with the step of the computation; when it has ended, htmx loads the page again."""
        try:
            found = await _made(self._site.desk(request))
        except StcError as error:
            return await page(self._site, request, "map/state.html", view=NAME, title=None, step=None, error=error)
        return await self._waiting(request, "map/state.html") if found is None else Response(headers={"hx-refresh": "true"})

    async def file(self, request: Request, *, what: str) -> Response:
        """Answer with the marks or the titles as JSON, or with all documents as JSON or CSV, when they have been computed."""
        desk = self._site.desk(request)
        found = await SharedMap.of(desk).get()
        if what == "titles":
            return JSONResponse(titles(found), headers={"cache-control": "private, max-age=60"})
        state = _state(request.query_params, found, await desk.ask(judged_queries))
        drawn, problem = await _drawn(desk, found, state)
        if problem is not None:
            raise problem
        if what == "points":
            return JSONResponse(points(found, drawn))
        rows = [
            (*map(float, found.map.places[spot.place]), spot.doc, spot.title, spot.year, spot.venue, group.name)
            for group in drawn
            for spot in group.spots
        ]
        headers = ("x", "y", "doc", "title", "year", "venue", "group")
        if what == "csv":
            return csv_file(NAME, headers, rows)
        return JSONResponse({"total": found.map.total, "documents": [dict(zip(headers, row, strict=True)) for row in rows]})


async def _made(desk: Desk) -> PageMap | None:
    """Return the map, None while it is being computed for longer."""
    task = asyncio.ensure_future(SharedMap.of(desk).get())
    await asyncio.wait({task}, timeout=_AT_ONCE_SECONDS)
    if task.done():
        return task.result()
    task.cancel()  # the computation itself goes on
    return None


async def _drawn(desk: Desk, found: PageMap, state: Mapping[str, str]) -> tuple[list[MapGroup], StcError | None]:
    """Return the groups of an address, without grades if they cannot be read."""
    relevant: Mapping[int, int] = {}
    error = None
    if state["colour"] == "relevance" and state["edition"]:
        try:
            relevant = await desk.ask(grades, state["edition"], _queries(state))
        except StcError as raised:
            error = timely(raised, desk.seconds)
    return groups(found, state["colour"], relevant), error


async def _opened(desk: Desk, doc: str) -> tuple[OpenedDocument | None, StcError | None]:
    if not doc:
        return None, None
    try:
        return await desk.ask(opened, int(doc)), None
    except StcError as error:
        return None, error


async def _near(desk: Desk, state: Mapping[str, str]) -> str:
    """Return the result of the nearest-neighbour test, '' if it cannot be computed."""
    try:
        found: NeighbourShare | None = await desk.ask_behind(near_relevant, state["edition"], _queries(state))
    except StcError:
        return ""
    if found is None or found.corpus_share is None or found.corpus_chance is None:
        return ""
    return t(
        "Nearest-neighbour test: of the five documents nearest to a relevant one, {share:.1%} are relevant ({chance:.1%} by chance)"
        "; of the five nearest judged ones, {judged:.1%} ({judged_chance:.1%} by chance).",
        share=found.corpus_share,
        chance=found.corpus_chance,
        judged=found.judged_share,
        judged_chance=found.judged_chance,
    )


def _state(params: QueryParams, found: PageMap, queries: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the parameters of an address. Values that do not exist become the default."""
    given = {name: params.get(name, "").strip()[:_LONGEST] for name in _STATE}
    edition = given["edition"] if given["edition"] in queries else next(iter(queries), "")
    numbers = {str(at) for at in range(1, len(found.map.names) + 1)}
    return given | {
        "colour": given["colour"] if given["colour"] in COLOURS else "cluster",
        "edition": edition,
        "query": given["query"] if given["query"] in queries.get(edition, ()) else "",
        "cluster": given["cluster"] if given["cluster"] in numbers else "",
        "doc": given["doc"] if given["doc"].isascii() and given["doc"].isdecimal() and len(given["doc"]) < 19 else "",
    }


def _queries(state: Mapping[str, str]) -> str:
    """Return the set of queries whose judgments are shown."""
    return state["set"] or (expression([state["query"]]) if state["query"] else ALL)


def _address(state: Mapping[str, str], path: str = PATH, **changes: str) -> str:
    """Return an address of the view, without defaults. :param changes: parameters that differ from the state."""
    given = {**state, **changes}
    unused = ("edition", "query", "set") if given["colour"] != "relevance" else ()
    shown = {name: value for name, value in given.items() if value and name not in unused}
    if shown.get("colour") == "cluster":
        del shown["colour"]
    return f"{path}?{urlencode(shown)}" if shown else path


def _counted(found: PageMap) -> str:
    many, total = len(found.spots), found.map.total
    what = n("{count:,} document", "{count:,} documents", many)
    if many != total:
        what = t("A sample of {count:,} of the {all:,} documents with vectors", count=many, all=total)
    how = n(
        "{documents}, in {count} cluster by k-means.",
        "{documents}, in {count} clusters by k-means.",
        len(found.map.names),
        documents=what,
    )
    return how + " " + t("Places are by t-SNE: distances between clusters mean little.")


def _about(document: OpenedDocument, found: PageMap) -> str:
    spot = found.of(document.doc)
    cluster = None if spot is None else t("cluster: {name}", name=found.map.names[found.map.clusters[spot.place]])
    return " · ".join(str(part) for part in (document.year, decoded(document.venue), document.docno, cluster) if part)


def _routes(site: Site) -> Sequence[BaseRoute]:
    pages = MapPages(site)
    return [
        Route(PATH, pages.documents),
        *(Route(f"{PATH}.{kind}", partial(pages.file, what=kind)) for kind in ("json", "csv")),
        *(Route(f"{PATH}/{what}.json", partial(pages.file, what=what)) for what in ("points", "titles")),
        Route(f"{PATH}/state", pages.state),
    ]


VIEW = View(name=NAME, title=later("Map"), routes=_routes)

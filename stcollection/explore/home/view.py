"""The view Home: the collection at a glance, its state, and next steps by role."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from stcollection.analysis.contents import Overview, overview
from stcollection.explore.navigation import link
from stcollection.explore.views import Site, View, page, plain
from stcollection.texts import later
from stcollection.web.words import n, t

NAME = "home"
_FRESH_SECONDS = 10.0


class Card(NamedTuple):
    """Links for a role. :param links: text and address; the first is the main step."""

    title: str
    text: str
    links: list[tuple[str, str]]


class HomePages:
    """Answers the requests of the view."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def glance(self, request: Request) -> Response:
        """Answer with the page."""
        seen = await self._site.desk(request).ask_often(overview, seconds=_FRESH_SECONDS)
        return await page(
            self._site,
            request,
            "home/page.html",
            view=NAME,
            title=None,
            seen=seen,
            summary=summary(seen),
            cards=cards(seen),
            following=seen.next[len(seen.problems) :],
            link=link,
        )

    async def record(self, request: Request) -> Response:
        """Answer with the record that the page shows."""
        return JSONResponse(plain(await self._site.desk(request).ask_often(overview, seconds=_FRESH_SECONDS)))


def summary(seen: Overview) -> str:
    """Return one or two sentences: documents, years, queries, judgments, runs."""
    documents, abstracts = seen.size.documents, seen.size.abstracts
    first, last = seen.years
    what = n("{count:,} document", "{count:,} documents", documents)
    if first is not None and first != last:
        what = t("{documents} from {first} to {last}", documents=what, first=first, last=last)
    elif first is not None:
        what = t("{documents} from {year}", documents=what, year=first)
    queries = n("{count:,} query", "{count:,} queries", seen.queries)
    if seen.topics:
        queries = t("{queries} on {topics}", queries=queries, topics=n("{count:,} topic", "{count:,} topics", seen.topics))
    exact = later("{documents}, {abstracts:,} with an abstract. {queries}, {judgments} in {editions}, {runs}.")
    estimated = later("{documents}, about {abstracts:,} with an abstract. {queries}, {judgments} in {editions}, {runs}.")
    return t(
        estimated if seen.size.estimated else exact,
        documents=what,
        abstracts=abstracts,
        queries=queries,
        judgments=n("{count:,} judgment", "{count:,} judgments", sum(edition.judgments for edition in seen.editions)),
        editions=n("{count:,} edition", "{count:,} editions", len(seen.editions)),
        runs=n("{count:,} run", "{count:,} runs", seen.runs),
    )


def cards(seen: Overview) -> list[Card]:
    """Return the cards for participants, organisers and researchers."""
    board = link("leaderboard", **({"edition": seen.editions[0].edition} if seen.editions else {}))
    judged = t("Judge documents") if seen.pools else t("Judge documents (no pool yet)")
    return [
        Card(
            t("Take part"),
            t("Search the documents, then compare your run with others."),
            [(t("Search"), link("search")), (t("Leaderboard"), board), (t("Upload a run"), link("upload"))],
        ),
        Card(
            t("Organise"),
            t("Judge pooled documents, follow the progress, check what is loaded."),
            [
                (judged, link("judging")),
                (t("Upload topics, judgments, documents"), link("upload")),
                (t("Files, editions, runs, indexes"), link("collection")),
            ],
        ),
        Card(
            t("Study"),
            t("Find the topics that documents cover, and what distinguishes systems."),
            [
                (t("Topic coverage"), link("coverage")),
                (t("Map of the documents"), link("map")),
                (t("Significance and readability"), link("leaderboard")),
            ],
        ),
    ]


def _routes(site: Site) -> Sequence[BaseRoute]:
    pages = HomePages(site)
    return [Route(f"/{NAME}", pages.glance), Route(f"/{NAME}.json", pages.record)]


VIEW = View(name=NAME, title=later("Home"), routes=_routes)

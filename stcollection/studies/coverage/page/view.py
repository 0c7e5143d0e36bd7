"""The view Topic coverage: topics of the abstracts nearest to a text, and their frequency in the corpus."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any, cast

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from stcollection.errors import StcError
from stcollection.explore.charts import csv_file, svg_file
from stcollection.explore.views import Site, View, page, plain
from stcollection.studies.coverage.cover import STEPS
from stcollection.studies.coverage.page.asking import CoverageJobs, holding, warm
from stcollection.studies.coverage.page.request import COMMON, PATH, WITHIN, address, read, read_state
from stcollection.studies.coverage.page.rows import HEADERS, KINDS, file_rows, lattice, summary, topic_rows
from stcollection.studies.coverage.records import Coverage, CoverageOptions, Kind
from stcollection.studies.coverage.store import CoverageRequest, long_queries
from stcollection.texts import later
from stcollection.web.desk import Desk
from stcollection.web.faults import status, timely
from stcollection.web.words import t

NAME = "coverage"
_AT_ONCE_SECONDS = 0.7  # a coverage that takes no longer is shown at once


class CoveragePages:
    """Answers the requests of the view."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def topics(self, request: Request) -> Response:
        """Answer with the page: the form, and the topics of the address or how far they are."""
        desk, state = self._site.desk(request), read_state(request.query_params)
        texts = await _stored_texts(desk)
        asked, options = read(state, texts)
        values = self._values(state, texts, asked, options)
        if asked is None or request.query_params.get("cancelled"):
            warm()
            told = t("Cancelled.") if asked else t("Select a stored query or enter a text, then select Find topics.")
            return await page(self._site, request, "coverage/page.html", **values | {"summary": told})
        job = CoverageJobs.of(desk).get(asked, options)
        await asyncio.wait({job.task}, timeout=_AT_ONCE_SECONDS)
        if not job.task.done():
            return await page(self._site, request, "coverage/page.html", **values | {"step": _step(job.work.steps)})
        if job.task.cancelled():
            return await page(self._site, request, "coverage/page.html", **values | {"summary": t("Cancelled.")})
        try:
            found = job.task.result()
            held = await self._held(desk, found, state["topic"])
        except StcError as error:
            error = timely(error, desk.seconds)
            return await page(self._site, request, "coverage/page.html", code=status(error), **values | {"error": error})
        kind = cast(Kind, values["kind"])
        shown = {
            "summary": summary(found),
            "found": found,
            "rows": topic_rows(found, kind),
            "lattice": lattice(found) if kind == "concept" else None,
            "held": held,
        }
        return await page(self._site, request, "coverage/page.html", **values | shown)

    def _values(
        self, state: dict[str, str], texts: dict[str, str], asked: CoverageRequest | None, options: CoverageOptions
    ) -> dict[str, Any]:
        """Return what the form shows, and empty results."""
        return {
            "view": NAME,
            "title": (asked.query or asked.text[:60]) if asked else None,
            "state": state,
            "kind": state["kind"] if state["kind"] in KINDS else "lda",
            "kinds": {kind: (t(short), t(long)) for kind, (short, long) in KINDS.items()},
            "sources": list(texts),
            "asked": asked,
            "options": options,
            "default": CoverageOptions(),
            "within": {name: t(title) for name, title in WITHIN.items()},
            "common": {name: t(title) for name, title in COMMON.items()},
            "address": partial(address, state),
            "summary": None,
            "step": None,
            "error": None,
            "found": None,
            "held": None,
        }

    async def _held(self, desk: Desk, found: Coverage, topic: str) -> dict[str, Any] | None:
        """Return the documents with the words of a topic, None without such a topic."""
        kind, _, place = topic.partition(" ")
        words = next((one.words for one in found.topics if (one.kind, str(one.place)) == (kind, place)), None)
        if words is None:
            return None
        documents, ids = await desk.ask(holding, words, found.options.within)
        return {"words": words, "documents": documents, "ids": ids, "total": documents[0].total if documents else 0}

    async def state(self, request: Request) -> Response:
        """Answer with the step of the computation; when it has ended, htmx loads the results."""
        desk, state = self._site.desk(request), read_state(request.query_params)
        asked, options = read(state, await _stored_texts(desk))
        job = None if asked is None else CoverageJobs.of(desk).find(asked, options)
        step = None if job is None or job.task.done() else _step(job.work.steps)
        return await page(
            self._site, request, "coverage/state.html", view=NAME, title=None, step=step, address=partial(address, state)
        )

    async def cancel(self, request: Request) -> Response:
        """Cancel a computation."""
        desk, state = self._site.desk(request), read_state(request.query_params)
        asked, options = read(state, await _stored_texts(desk))
        if asked is not None:
            CoverageJobs.of(desk).cancel(asked, options)
        return RedirectResponse(address(state, cancelled="1"), 303)

    async def file(self, request: Request, *, kind: str) -> Response:
        """Answer with the topics as JSON or CSV, or with their lattice as SVG, when they have been computed."""
        desk, state = self._site.desk(request), read_state(request.query_params)
        asked, options = read(state, await _stored_texts(desk))
        if asked is None:
            return JSONResponse({"topics": None}) if kind == "json" else RedirectResponse(PATH, 303)
        found = await asyncio.shield(CoverageJobs.of(desk).get(asked, options).task)
        if kind == "json":
            return JSONResponse(plain(found))
        drawn = lattice(found) if kind == "svg" else None
        return csv_file(NAME, HEADERS, file_rows(found)) if drawn is None else svg_file(drawn)


async def _stored_texts(desk: Desk) -> dict[str, str]:
    """Return the texts of the stored queries; none if they cannot be read, because custom texts still work."""
    try:
        return {one.query: one.text for one in await desk.ask(long_queries) if one.query is not None}
    except StcError:
        return {}


def _step(begun: Sequence[str]) -> str:
    """Return how far a computation is. :param begun: steps begun so far."""
    return t("Step {number} of {all}: {step} …", number=max(len(begun), 1), all=len(STEPS), step=begun[-1] if begun else STEPS[0])


def _routes(site: Site) -> Sequence[BaseRoute]:
    pages = CoveragePages(site)
    return [
        Route(PATH, pages.topics),
        *(Route(f"{PATH}.{kind}", partial(pages.file, kind=kind)) for kind in ("json", "csv")),
        Route(f"{PATH}/lattice.svg", partial(pages.file, kind="svg")),
        Route(f"{PATH}/state", pages.state),
        Route(f"{PATH}/cancel", pages.cancel, methods=["POST"]),
    ]


VIEW = View(name=NAME, title=later("Topic coverage"), routes=_routes)

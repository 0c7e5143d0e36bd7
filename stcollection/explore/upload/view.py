"""The view Upload: a file is checked, previewed and scored, and stored after that. Its key in the address names the file."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from stcollection.errors import StcError
from stcollection.explore.access.form import read_form
from stcollection.explore.navigation import link
from stcollection.explore.upload import report
from stcollection.explore.upload.jobs import UploadJob, UploadJobs
from stcollection.explore.views import Site, View, page, plain
from stcollection.texts import later
from stcollection.web.uploads.examine import KINDS, Examined
from stcollection.web.uploads.files import MB, Uploads
from stcollection.web.uploads.loading import REJECTS, LoadCancelled
from stcollection.web.uploads.storing import StoredDocuments, StoredRun, StoreForm
from stcollection.web.words import t

NAME = "upload"
PATH = f"/{NAME}"
_NOTHING: Mapping[str, Any] = {"done": None, "result": [], "stored_error": None}
_AT_ONCE_SECONDS = 0.7  # checks and loads that take no longer are shown at once


class UploadPages:
    """Answers the requests of the view."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def file(self, request: Request) -> Response:
        """Answer with the page: where to drop a file, or what is known about one."""
        desk, params = self._site.desk(request), request.query_params
        uploads, key, kind = Uploads.of(desk), params.get("file", ""), _kind(params)
        if not key:
            return await self._page(request, uploads.admit() if uploads.limit else "", kind=kind)
        try:
            job = UploadJobs.of(desk).find(key)
        except StcError as gone:
            message = report.failure(gone, "\0")
            return await self._page(request, uploads.admit() if uploads.limit else "", code=409, error=message, kind=kind)
        if job.storing is not None:
            await asyncio.wait({job.storing}, timeout=_AT_ONCE_SECONDS)
        found, error = await self._checked(request, job, kind)
        values: dict[str, Any] = {"job": job, "kind": kind, "found": found, "every": params.get("every") == "1"}
        values |= {"error": error and report.failure(error, job.file.name), **_result(job)}
        return await self._page(request, job.file.ticket, **values)

    async def _checked(self, request: Request, job: UploadJob, kind: str) -> tuple[Examined | None, StcError | None]:
        """Return the result of a check, or its error; neither while it goes on."""
        if job.stored is not None and (job.at_work or job.is_stored):
            return job.stored, None
        desk = self._site.desk(request)
        check = UploadJobs.of(desk).check(desk, job, kind)
        await asyncio.wait({check}, timeout=_AT_ONCE_SECONDS)
        if not check.done() or check.cancelled():
            return None, None
        error = check.exception()
        if error is None:
            return check.result(), None
        job.checks.pop(kind, None)  # the next visit checks it again
        if not isinstance(error, StcError):
            raise error
        return None, error

    async def _page(self, request: Request, ticket: str, *, code: int = 200, **values: Any) -> Response:
        uploads = Uploads.of(self._site.desk(request))
        kinds = [("", t("recognise it")), *((str(kind), t(what)) for kind, what in KINDS.items())]
        job: UploadJob | None = values.get("job")
        empty: dict[str, Any] = {"job": None, "found": None, "error": None, "every": False, **_NOTHING}
        state = {"file": job.file.key if job else "", "kind": values.get("kind", "")}
        return await page(
            self._site,
            request,
            "upload/page.html",
            code=code,
            view=NAME,
            title=job.file.name if job else None,
            ticket=ticket,
            limit=uploads.limit,
            most=uploads.limit // MB,
            kinds=kinds,
            titles=KINDS,
            href=link,
            report=report,
            listed=REJECTS,
            is_run=job is not None and job.is_stored and isinstance(_done(job), StoredRun),
            state=state,
            address=lambda path=PATH, **more: _address(path, state, **more),
            **(empty | values),
        )

    async def state(self, request: Request) -> Response:
        """Answer with how far the check or the load is; when it has ended, htmx loads the page again."""
        desk, kind = self._site.desk(request), _kind(request.query_params)
        try:
            job = UploadJobs.of(desk).find(request.query_params.get("file", ""))
        except StcError:
            return Response(headers={"hx-refresh": "true"})
        check = job.checks.get(kind)
        if not job.at_work and (job.storing is not None or check is None or check.done()):
            return Response(headers={"hx-refresh": "true"})
        return await page(
            self._site,
            request,
            "upload/state.html",
            view=NAME,
            title=job.file.name,
            job=job,
            report=report,
            address=lambda path=PATH, **more: _address(path, {"file": job.file.key, "kind": kind}, **more),
        )

    async def record(self, request: Request) -> Response:
        """Answer with what is known about a file."""
        desk, kind = self._site.desk(request), _kind(request.query_params)
        if not request.query_params.get("file"):
            return JSONResponse({"limit": Uploads.of(desk).limit, "kinds": list(KINDS)})
        job = UploadJobs.of(desk).find(request.query_params["file"])
        found, error = await self._checked(request, job, kind)
        if error is not None:
            raise error
        state = "stored" if job.is_stored else "storing" if job.at_work else "checked" if found else "checking"
        made: dict[str, Any] = {"name": job.file.name, "state": state}
        if found is not None:
            passes, sentences = report.verdict(found)
            scores = [] if found.run is None else [plain(one) | {"measures": [*map(str, one.measures)]} for one in found.run.scores]
            lines, _ = report.messages(found, every=True)
            made |= {"kind": found.kind, "passes": passes, "verdict": sentences, "messages": plain(lines), "scores": scores}
        return JSONResponse(made | {"result": _result(job)["result"]})

    async def store(self, request: Request) -> Response:
        """Begin to store a checked file."""
        desk = self._site.desk(request)
        fields = await read_form(request.scope, request.receive)
        jobs, kind = UploadJobs.of(desk), fields.get("kind", "")
        job = jobs.find(fields.get("file", ""))
        found, failed = await self._checked(request, job, kind)
        if failed is not None:
            raise failed
        if found is not None and report.storable(found):
            jobs.store(desk, job, found, _form(fields))
        return _back(fields)

    async def cancel(self, request: Request) -> Response:
        """Cancel a load."""
        fields = await read_form(request.scope, request.receive)
        jobs = UploadJobs.of(self._site.desk(request))
        jobs.cancel(jobs.find(fields.get("file", "")))
        return _back(fields)


def _result(job: UploadJob) -> Mapping[str, Any]:
    """Return what came of storing a file: sentences, or an error."""
    if job.storing is None or not job.storing.done():
        return _NOTHING
    error = None if job.storing.cancelled() else job.storing.exception()
    if job.storing.cancelled() or isinstance(error, LoadCancelled):
        return {"done": None, "result": [report.cancelled(job.progress.documents)], "stored_error": None}
    if isinstance(error, StcError):
        return {"done": None, "result": [], "stored_error": report.failure(error, job.file.name)}
    if error is not None:
        raise error
    done = _done(job)
    return {"done": done if isinstance(done, StoredDocuments) else None, "result": report.result(done), "stored_error": None}


def _done(job: UploadJob) -> Any:
    assert job.storing is not None  # noqa: S101
    return job.storing.result()


def _kind(params: QueryParams) -> str:
    """Return the kind of file that an address selects, '' to recognise it. Links of version 0.2 name it upload."""
    kind = params.get("kind") or params.get("upload", "")
    return kind if kind in KINDS else ""


def _form(fields: Mapping[str, str]) -> StoreForm:
    texts = {name: fields.get(name, "") for name in ("name", "team", "edition", "split")}
    return StoreForm(**texts, best_first="best_first" in fields, replace="replace" in fields)


def _address(path: str, state: Mapping[str, str], **more: str) -> str:
    given = {name: value for name, value in {**state, **more}.items() if value}
    return f"{path}?{urlencode(given)}" if given else path


def _back(fields: Mapping[str, str]) -> Response:
    return RedirectResponse(_address(PATH, {name: fields.get(name, "") for name in ("file", "kind")}), 303)


def _routes(site: Site) -> Sequence[BaseRoute]:
    pages = UploadPages(site)
    return [
        Route(PATH, pages.file),
        Route(f"{PATH}.json", pages.record),
        Route(f"{PATH}/state", pages.state),
        Route(f"{PATH}/store", pages.store, methods=["POST"]),
        Route(f"{PATH}/cancel", pages.cancel, methods=["POST"]),
    ]


VIEW = View(name=NAME, title=later("Upload"), routes=_routes)

"""The routes for files: check a run, topics, judgments or documents without storing anything, and store them.

The body of a request is the file, unchanged: type ``application/octet-stream``, plain or compressed. It is removed when the request
ends. Checks, limits and rights are those of the page's tab *Upload*.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any, Literal

import psycopg
from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.requests import ClientDisconnect

from stcollection.counts import counted
from stcollection.errors import BadInput, StateError
from stcollection.evaluation.files.editions import EditionPreview
from stcollection.http import answers, sheets
from stcollection.http.faults import Conflict
from stcollection.http.records import Number, answer, listed, served
from stcollection.io.formats import Kind
from stcollection.runs.faults import RunFault, brief
from stcollection.web.desk import Desk
from stcollection.web.guard import media_type
from stcollection.web.shares import TimedOut
from stcollection.web.uploads.endpoint import BYTES, declared, drain
from stcollection.web.uploads.examine import Examined, RunReport, examine
from stcollection.web.uploads.files import UploadedFile, UploadRefused, Uploads
from stcollection.web.uploads.loading import LoadCancelled, LoadProgress
from stcollection.web.uploads.preview import DataPreview
from stcollection.web.uploads.storing import Stored, StoreForm, store

_MESSAGES = 1000  # of a check
_Name = Annotated[sheets.Text, Query(min_length=1, max_length=200)]
_File = Annotated[sheets.Text, Query(max_length=200, description="Name of the file, for messages.")]
_BODY = {"requestBody": {"required": True, "content": {BYTES: {"schema": {"type": "string", "format": "binary"}}}}}


#: The means of a run on an edition that is not hidden, over its judged queries. Judgments of subtopics are a separate entry.
OpenEdition = served(EditionPreview, omit=("measures",), means=dict[str, Number])
#: A checked run. faults: messages that are no notes; a run with faults is not stored. run, team: suggested by the file.
CheckedRunFile = served(
    RunReport,
    omit=("checked",),
    layout=str,
    ranked=int,
    faults=int,
    messages=listed(RunFault, omit=("kind",)),
    scores=list.__class_getitem__(OpenEdition),
)


class RejectedRecord(BaseModel):
    line: int
    docno: str | None
    reason: str


CheckedData = answer(
    "CheckedData",
    "A preview of topics, judgments or documents. problem: why the file cannot be stored unchanged.",
    format=str,
    counts=dict[str, int],
    rejects=list[RejectedRecord],
    notes=list[str],
    problem=str | None,
    grades=list[int],
)
CheckedUpload = answer(
    "CheckedUpload",
    "A checked file; nothing was stored. why_not: why this login may not store it, or empty. team: the only team it may use.",
    kind=str,
    size=int,
    sha256=str,
    team=str | None,
    why_not=str,
    run=CheckedRunFile | None,
    data=CheckedData | None,
)


class StoredUpload(BaseModel):
    """What was stored. already: the same run was stored before, and nothing changed. counts: of topics, judgments or documents."""

    kind: str
    run: str | None = None
    team: str | None = None
    edition: str | None = None
    already: bool = False
    counts: dict[str, int] = Field(default_factory=dict)
    rejects: list[RejectedRecord] = Field(default_factory=list)


def router(desk: Desk) -> APIRouter:
    """Return the routes. :param desk: decides what a caller may store."""
    routes = APIRouter(responses=answers.WRITE_FAULTS, tags=["uploads"], generate_unique_id_function=answers.operation)
    uploads = Uploads.of(desk)

    @routes.post(
        "/api/uploads/check",
        summary="Check a file; nothing is stored",
        openapi_extra=_BODY,
        response_model=CheckedUpload,
    )
    async def check_file(
        request: Request,
        kind: Annotated[
            Literal["runs", "topics", "qrels", "corpus"] | None, Query(description="What the file is; null recognises it.")
        ] = None,
        file: _File = "file",
    ) -> dict[str, Any]:
        own = desk.serving()
        async with _received(request, uploads, file) as taken:
            return _checked(await examine(own, uploads, taken, kind or ""))

    async def stored(request: Request, kind: Kind, file: str, form: StoreForm) -> StoredUpload:
        own = desk.serving()
        async with _received(request, uploads, file) as taken:
            found = await examine(own, uploads, taken, kind)
            _allowed(found, form)
            if found.run is not None and found.run.stored is not None:
                await own.ask(_known, found.run.stored, form)
            try:
                return _told(kind, await store(own, uploads, found, form, LoadProgress()), found)
            except LoadCancelled:
                raise TimedOut("the server stops; a part of the documents is stored", hint="Send the file again later.") from None

    @routes.post("/api/uploads/run", summary="Store a run of a team", openapi_extra=_BODY)
    async def store_run(request: Request, name: _Name, team: _Name, file: _File = "file") -> StoredUpload:
        return await stored(request, "runs", file, StoreForm(name=name, team=team))

    @routes.post("/api/uploads/topics", summary="Store topics and queries", openapi_extra=_BODY)
    async def store_topics(
        request: Request,
        replace: Annotated[bool, Query(description="Replace stored texts that differ.")] = False,
        file: _File = "file",
    ) -> StoredUpload:
        return await stored(request, "topics", file, StoreForm(replace=replace))

    @routes.post("/api/uploads/judgments", summary="Add judgments to an edition", openapi_extra=_BODY)
    async def store_judgments(
        request: Request,
        edition: _Name,
        split: Annotated[
            Literal["train", "test"] | None, Query(description="Split of a new edition; test is hidden until it is released.")
        ] = None,
        best_first: Annotated[bool, Query(description="1 is the best grade.")] = False,
        file: _File = "file",
    ) -> StoredUpload:
        return await stored(request, "qrels", file, StoreForm(edition=edition, split=split or "", best_first=best_first))

    @routes.post("/api/uploads/documents", summary="Load documents", openapi_extra=_BODY)
    async def store_documents(
        request: Request,
        replace: Annotated[bool, Query(description="Replace stored documents that differ.")] = False,
        file: _File = "file",
    ) -> StoredUpload:
        return await stored(request, "corpus", file, StoreForm(replace=replace))

    return routes


@asynccontextmanager
async def _received(request: Request, uploads: Uploads, name: str) -> AsyncIterator[UploadedFile]:
    """Receive the file of a request, and remove it at the end. :raises StcError: it is refused."""
    kind = media_type(request.headers)
    ticket = uploads.admit()
    try:
        try:
            if kind != BYTES:
                raise UploadRefused(415, f"the body has the type {kind[:80] or 'none'!r}", f"Send the file as {BYTES}.")
            uploads.check(ticket, declared(request.headers.get("content-length")))
            file = await uploads.receive(ticket, name, request.stream())
        except UploadRefused:
            await drain(request)
            raise
        except ClientDisconnect:
            raise UploadRefused(400, "the file is incomplete", "Send it again.") from None
        yield file
    finally:
        uploads.dismiss(ticket)


def _allowed(found: Examined, form: StoreForm) -> None:
    """Check what the page's form does not offer. :raises StcError: the file cannot be stored."""
    own = found.rights.team
    if found.run is not None and own is not None and form.team.strip() != own:
        raise StateError(
            f"this login stores runs of the team {own!r}, not {form.team[:60]!r}", hint=f"Use team={own}.", sqlstate="IR410"
        )
    if found.run is not None and found.run.checked.bad:
        first = next(fault for fault in found.run.checked.faults if not fault.note)
        where = f", line {first.line}" if first.line else ""
        raise BadInput(
            f"{found.file.name}{where}: {first.what} ({counted(found.run.checked.bad, 'fault')})",
            hint="/api/uploads/check lists all messages. Nothing was stored.",
        )
    if found.kind == "qrels" and found.data is not None and found.data.problem is not None:
        raise found.data.problem


def _known(conn: psycopg.Connection, run: str, form: StoreForm) -> None:
    """Check that a stored run has the name and the team of a request. :raises Conflict: it has not."""
    row = conn.execute("SELECT team FROM st1_runs WHERE run = %s", [run]).fetchone()
    if (run, row[0] if row else None) != (form.name.strip(), form.team.strip()):
        raise Conflict(f"this file is already stored as run {run}", hint="/api/runs lists the runs.")


def _checked(found: Examined) -> dict[str, Any]:
    rights, size, sha256 = found.rights, found.file.size, found.file.sha256
    return {
        "kind": found.kind,
        "size": size,
        "sha256": sha256,
        "team": rights.team,
        "why_not": rights.why_no_runs if found.kind == "runs" else rights.why_no_data,
        "run": None if found.run is None else _run(found.run),
        "data": None if found.data is None else _data(found.data),
    }


def _run(report: RunReport) -> dict[str, Any]:
    checked = report.checked
    scores = [
        vars(preview) | {"means": dict(zip(map(str, preview.measures), preview.means, strict=True))} for preview in report.scores
    ]
    messages = list(brief(checked.faults))[:_MESSAGES]
    counts = {"layout": checked.layout, "ranked": checked.rows, "faults": checked.bad}
    return vars(report) | counts | {"messages": messages, "scores": scores}


def _data(found: DataPreview) -> dict[str, Any]:
    problem = None if found.problem is None else found.problem.message
    return vars(found) | {"counts": dict(found.counts), "rejects": _rejects(found.rejects), "problem": problem}


def _told(kind: Kind, done: Stored, found: Examined) -> StoredUpload:
    """Return the answer for a stored file."""
    values: dict[str, Any] = {name: getattr(done, name) for name in ("run", "team", "edition") if hasattr(done, name)}
    counts = getattr(done, "counts", done)
    numbers = {name: value for name in _COUNTS if isinstance(value := getattr(counts, name, None), int)}
    already = found.run is not None and found.run.stored is not None
    return StoredUpload(kind=kind, counts=numbers, already=already, rejects=_rejects(getattr(done, "rejects", [])), **values)


_COUNTS = ("topics", "queries", "judgments", "documents", "added", "filled", "changed", "unchanged", "duplicates", "replaced")


def _rejects(rows: list[tuple[int, str | None, str]]) -> list[RejectedRecord]:
    return [RejectedRecord(line=line, docno=docno, reason=reason) for line, docno, reason in rows]

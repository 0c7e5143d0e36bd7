"""The search service: its routes for searches and documents, and errors."""

from __future__ import annotations

import re
from contextlib import suppress
from copy import deepcopy
from difflib import get_close_matches
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response

from stcollection.errors import StcError
from stcollection.http import (
    answers,
    board,
    compatible,
    contents,
    evaluation,
    judging,
    pools,
    service,
    topics,
    uploads,
    vectors,
)
from stcollection.http.declared import LISTED_BY, SYSTEMS, endpoint
from stcollection.http.handbook import POLICY, handbook
from stcollection.http.limits import CHARACTERS, SIZE, WINDOW, refused
from stcollection.http.records import listed, served
from stcollection.plugins import parts
from stcollection.retrieval.explain import Explanation, FacetCount
from stcollection.retrieval.explain import facets as count_facets
from stcollection.retrieval.filters import TypedFilter, conditions
from stcollection.retrieval.search import Search, excluded_note, search
from stcollection.retrieval.systems import runnable_systems, systems
from stcollection.web.desk import Desk
from stcollection.web.embedding import Embedding, needed
from stcollection.web.faults import status, timely
from stcollection.web.uploads.files import UploadRefused

#: Commands in hints, whose rows a route lists.
_LISTED = re.compile(r"'stc show (editions|pools|runs|systems)'")
_K = Annotated[int, Query(ge=1, le=SIZE, description="Number of documents.")]


def _search(asked: dict[str, Any]) -> Search:
    """Return the search of a request, from the arguments of :func:`search`."""
    return Search(**{"text": asked["query"], "filter": None, "model": None} | {key: asked[key] for key in asked if key != "query"})


def add(app: FastAPI, desk: Desk, title: str) -> None:
    """Add the endpoints for programs to the application. :param title: name of the collection."""
    for router in (
        _router,
        evaluation.router,
        judging.sheet_router,
        board.router,
        judging.organising_router,
        pools.router,
        topics.router,
        contents.router,
        *(router for _, router in parts("routes")),
        uploads.router,
    ):
        app.include_router(router(desk), dependencies=[Depends(_known_only)])
    app.include_router(compatible.router(desk, title))

    @app.get("/api", include_in_schema=False)
    async def described() -> HTMLResponse:
        return HTMLResponse(handbook(await _description(app, desk)), headers={"content-security-policy": POLICY})

    @app.get("/openapi.json", include_in_schema=False)
    async def description() -> JSONResponse:
        return JSONResponse(await _description(app, desk))

    _fail_in_json(app, desk)


async def _description(app: FastAPI, desk: Desk) -> dict[str, Any]:
    """Return the OpenAPI description with the systems that the collection has now."""
    description = deepcopy(app.openapi())
    with suppress(StcError):  # without the database, the rest
        names = await desk.ask(runnable_systems)
        for methods in description["paths"].values():
            for parameter in (each for operation in methods.values() for each in operation.get("parameters", ())):
                if parameter["schema"].get(LISTED_BY) == SYSTEMS:  # no enum: clients made of it would refuse later systems
                    parameter["description"] += f" One of {', '.join(names)}."
    return description


def guests(desk: Desk) -> FastAPI:
    """Return the application of invited assessors: the endpoints of their own sheet, without the page."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.include_router(judging.sheet_router(desk), dependencies=[Depends(_known_only)])
    _fail_in_json(app, desk)
    return app


def _known_only(request: Request) -> None:
    """Refuse parameters that the route does not have: ignored, a misspelled ``measures`` would be answered with other measures."""
    if not request.url.path.startswith("/api/"):
        return  # an address of programs that are older than this rule
    known = [parameter.alias for parameter in request.scope["route"].dependant.query_params]
    for name in request.query_params:
        if name not in known:
            meant = [f"Did you mean {close}?" for close in get_close_matches(name, known, n=1)]
            offers = f"The parameters are {', '.join(known)}." if known else "The route has no parameters."
            raise refused(f"there is no parameter {name[:40]!r}", " ".join([*meant, offers]))


def _fail_in_json(app: FastAPI, desk: Desk) -> None:
    """Answer errors in JSON, and requests for unknown endpoints."""

    @app.get("/api/{rest:path}", include_in_schema=False)
    async def unknown(rest: str) -> Response:
        return _failed(404, f"there is no endpoint /api/{rest[:80]}", "See /api for the endpoints.")

    @app.exception_handler(StcError)
    async def told(_: Request, problem: Exception) -> Response:
        assert isinstance(problem, StcError)  # noqa: S101
        problem = timely(problem, desk.seconds)
        hint = problem.hint and _LISTED.sub(r"/api/\1", problem.hint)
        answer = _failed(status(problem), problem.message, hint, problem.sqlstate)
        if isinstance(problem, UploadRefused):  # a rest of the body may not have been read
            answer.headers["connection"] = "close"
        return answer

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, problem: Exception) -> Response:
        assert isinstance(problem, RequestValidationError)  # noqa: S101
        first = problem.errors()[0]
        return _failed(400, f"{first['loc'][-1]}: {first['msg']}", "See /api for the parameters.", "IR202")


def _failed(code: int, message: str, hint: str | None = None, sqlstate: str | None = None) -> Response:
    return JSONResponse({"error": {"message": message, "hint": hint, "sqlstate": sqlstate}}, code)


def _router(desk: Desk) -> APIRouter:
    router = APIRouter(responses=answers.FAULTS, generate_unique_id_function=answers.operation)
    embedding = Embedding.of(desk)

    searching = partial(
        endpoint, search, names={"query": "q"}, most={"query": CHARACTERS, "system": CHARACTERS, "k": SIZE, "model": 100}
    )

    async def vector_of(wanted: Search) -> Any:
        blank = not wanted.text.strip()
        return (
            None
            if blank or not await needed(desk, wanted.system)
            else await embedding.vector(wanted.text, wanted.model, system=wanted.system)
        )

    async def hits(
        asked: dict[str, Any],
        *,
        offset: Annotated[int, Query(ge=0, le=WINDOW, description="Documents to skip; offset + k is at most 10,000.")] = 0,
    ) -> dict[str, Any]:
        wanted = _search(asked)
        vector = await vector_of(wanted)
        documents = await desk.ask(service.found, wanted, offset=offset, vector=vector, licences=desk.licences)
        narrowed = conditions(wanted.filter) if isinstance(wanted.filter, TypedFilter) else None
        note = await desk.ask(excluded_note, wanted.text, wanted.filter)
        return {"query": wanted.text, "system": wanted.system, "filter": narrowed or None, "documents": documents, "note": note}

    async def facets(asked: dict[str, Any]) -> list[FacetCount]:
        wanted = _search(asked)
        return await desk.ask(count_facets, wanted, await vector_of(wanted))

    async def why(asked: dict[str, Any], *, docno: Annotated[str, Query(max_length=1000, description="The document.")]) -> Any:
        wanted = _search(asked)
        explained = await desk.ask(service.why, wanted, docno, await vector_of(wanted), desk.licences)
        return {"docno": docno} | explained._asdict()

    router.get("/api/search", summary="Search", tags=["search"])(searching(hits, name="search", returns=answers.Hits))
    router.get("/api/facets", summary="Number of documents of a search by year, venue, type, readability, judged", tags=["search"])(
        searching(facets, name="facets", returns=listed(FacetCount))
    )
    router.get("/api/why", summary="Why a system retrieves a document", tags=["search"])(
        searching(why, name="why", returns=served(Explanation, docno=str))
    )

    @router.get("/api/systems", summary="The retrieval systems", tags=["search"])
    async def system_names() -> list[str]:
        return [one.system for one in await desk.ask(systems)]

    # A docno can contain a slash, so the longer route comes first.
    @router.get(
        "/api/documents/{docno:path}/neighbours",
        summary="The nearest neighbours of a document",
        tags=["documents"],
        response_model=answers.Neighbours,
    )
    async def neighbours(
        docno: Annotated[str, Path()],
        field: Annotated[
            str, Query(description="Field of the vectors.", json_schema_extra={"enum": list(vectors.CORPORA)})
        ] = "title",
        k: _K = 10,
    ) -> dict[str, Any]:
        return {"docno": docno, "field": field, "documents": await desk.ask(service.neighbours, docno, field=field, k=k)}

    @router.get("/api/documents/{docno:path}", summary="A document", tags=["documents"], response_model=answers.ServedDocument)
    async def document(docno: Annotated[str, Path()]) -> dict[str, Any]:
        return await desk.ask(service.document, docno, desk.licences)

    @router.get("/stvir_test", summary="The documents nearest to a phrase", tags=["compatible endpoints"])
    async def stvir_test(
        corpus: Annotated[str | None, Query(description="Field of the vectors: title or abstract.")] = None,
        phrase: Annotated[str | None, Query(description="Any text.")] = None,
        length: Annotated[str | None, Query(description=f"Number of documents, at most {SIZE}.")] = None,
    ) -> list[answers.Nearest]:
        field, text, k = vectors.checked(corpus, phrase, length)
        near = await desk.ask(vectors.nearest, field, await embedding.vector(text, None), k)
        return [answers.Nearest.model_validate(one) for one in near]

    return router

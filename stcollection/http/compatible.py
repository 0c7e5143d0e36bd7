"""ElasticSearch endpoints for scripts and for its Python client, version 7: search, count, get a document. All are read-only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import orjson
from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Scope

from stcollection.errors import StcError
from stcollection.http import elastic
from stcollection.http.limits import BODY, checked_text, refused, unreadable
from stcollection.web.desk import Desk
from stcollection.web.faults import timely

_READ, _SEARCH, _WRITE = ["GET", "HEAD"], ["GET", "POST", "HEAD"], ["PUT", "POST", "DELETE", "PATCH"]
Answer = Callable[[Request], Awaitable[Response]]


class ForClients(APIRoute):
    """A route for ``/`` that matches only ElasticSearch clients and requests for JSON; others get the page."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        headers = dict(scope.get("headers", ()))
        by_name = headers.get(b"user-agent", b"").lower().startswith((b"elasticsearch", b"elastic-transport"))
        if not by_name and not headers.get(b"accept", b"").lower().startswith(b"application/json"):
            return Match.NONE, {}
        return super().matches(scope)


def router(desk: Desk, title: str) -> APIRouter:
    """Return the router. :param title: name of the collection, which is accepted as the name of the index, like dblp1."""
    router = APIRouter(include_in_schema=False)
    names = {elastic.INDEX, title, "_all", "*"}

    def answered(answer: object, request: Request, *, code: int = 200, told: list[str] | None = None) -> Response:
        headers = {**elastic.HEADERS, **({"Warning": elastic.warning(told)} if told else {})}
        pretty = request.query_params.get("pretty", "false").lower() in ("", "true")
        return Response(elastic.packed(answer, pretty=pretty), code, headers, "application/json; charset=UTF-8")

    def telling(address: Answer) -> Answer:
        """Wrap an endpoint: reject unknown indexes and return errors in ElasticSearch's format."""

        async def safe(request: Request) -> Response:
            index = request.path_params.get("index", elastic.INDEX)
            if index not in names:
                reason = f"no such index [{index[:80]}]; use {elastic.INDEX}"
                code, answer = elastic.fault(404, "index_not_found_exception", reason)
                return answered(answer, request, code=code)
            try:
                return await address(request)
            except StcError as problem:
                code, answer = elastic.error(timely(problem, desk.seconds))
                return answered(answer, request, code=code)

        return safe

    async def info(request: Request) -> Response:
        return answered(elastic.info(title), request)

    async def search(request: Request) -> Response:
        if "scroll" in request.query_params:
            raise refused("scroll is not supported", "Use from and size, up to 10,000 documents.")
        asked = elastic.request(request.query_params, await _body(request))
        answer = await desk.ask(elastic.search, asked, elastic.INDEX, desk.licences)
        return answered(answer, request, told=asked.told)

    async def count(request: Request) -> Response:
        asked = elastic.request(request.query_params, await _body(request))
        return answered(await desk.ask(elastic.count, asked), request, told=asked.told)

    async def document(request: Request) -> Response:
        asked = elastic.request(request.query_params, None)
        docno = checked_text(request.path_params["docno"], "id")
        answer = await desk.ask(elastic.document, elastic.INDEX, docno, asked, desk.licences)
        return answered(answer, request, code=200 if answer["found"] else 404)

    async def source(request: Request) -> Response:
        asked = elastic.request(request.query_params, None)
        docno = checked_text(request.path_params["docno"], "id")
        answer = await desk.ask(elastic.document, elastic.INDEX, docno, asked, desk.licences)
        if not answer["found"]:
            reason = f"Document not found [{elastic.INDEX}]/[{answer['_id']}]"
            code, fault = elastic.fault(404, "resource_not_found_exception", reason)
            return answered(fault, request, code=code)
        return answered(answer.get("_source", {}), request)

    async def there(request: Request) -> Response:
        return answered({}, request)

    async def read_only(request: Request) -> Response:
        code, answer = elastic.fault(
            405, "illegal_argument_exception", f"{request.method} {request.url.path[:80]}: this service is read-only"
        )
        return answered(answer, request, code=code)

    async def no_handler(request: Request) -> Response:
        code, answer = elastic.fault(
            400, "illegal_argument_exception", f"no handler found for uri [{request.url.path[:80]}] and method [{request.method}]"
        )
        return answered(answer, request, code=code)

    router.routes.append(ForClients("/", info, methods=_READ, include_in_schema=False))
    for path in ("/_search", "/{index}/_search", "/{index}/_doc/_search"):
        router.add_api_route(path, telling(search), methods=_SEARCH)
    for path in ("/_count", "/{index}/_count"):
        router.add_api_route(path, telling(count), methods=_SEARCH)
    router.add_api_route("/{index}/_doc/{docno:path}", telling(document), methods=_READ)
    router.add_api_route("/{index}/_source/{docno:path}", telling(source), methods=_READ)
    for name in sorted({elastic.INDEX, title}):
        router.routes.append(APIRoute(f"/{name}", there, methods=["HEAD"], include_in_schema=False))
    # Report all other addresses in ElasticSearch's format. No address of the page starts with an underscore.
    for path in ("/_{rest:path}", "/{index}/_{rest:path}"):
        router.add_api_route(path, read_only, methods=_WRITE)
    router.add_api_route("/{index}", read_only, methods=["PUT", "DELETE"])
    for path in ("/_{rest:path}", f"/{elastic.INDEX}/{{rest:path}}"):
        router.add_api_route(path, no_handler, methods=_READ)
    return router


async def _body(request: Request) -> Any:
    """Return the body as JSON, None if it is empty. :raises BadArgument: it is too long, or not JSON."""
    read = bytearray()
    async for part in request.stream():
        read += part
        if len(read) > BODY:
            raise refused(f"the body has more than {BODY:,} bytes", "Split the request into smaller ones.")
    if not read.strip():
        return None
    try:
        return orjson.loads(read)
    except orjson.JSONDecodeError as error:
        raise unreadable(f"Failed to parse query: the body is not JSON: {error}") from error

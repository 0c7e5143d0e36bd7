"""The embedding service as an ASGI application."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from stcollection.counts import counted
from stcollection.serve import Limits
from stcollection.serve.measures import ServiceMetrics
from stcollection.serve.protocol import EmbeddingRequest, RefusedRequest, StoredRecipe, answer, error_body, read_request
from stcollection.vectors.batcher import Batcher, Busy, Embedded, Stopped
from stcollection.vectors.model import Encoder, different
from stcollection.web.guard import HEADERS, Accepted, Guard, media_type

Loader = Callable[[], Sequence[Encoder]]


class Service:
    """The models and the thread that embeds texts.

    :param load: returns the models. It is called in a separate thread, so that /health can report that they are loading.
    """

    def __init__(self, load: Loader, limits: Limits) -> None:
        self.limits = limits
        self.measures = ServiceMetrics()
        self.encoders: Sequence[Encoder] = ()
        self.started = int(time.time())
        self._load = load
        self._batcher: Batcher | None = None

    async def start(self) -> None:
        """Load the models and embed one text with each, since the first pass through a model is slow."""
        self.encoders = await asyncio.to_thread(self._warm)
        self._batcher = Batcher(self.measures, queue=self.limits.queue, batch=self.limits.batch)
        self.measures.ready()

    def _warm(self) -> Sequence[Encoder]:
        encoders = self._load()
        for encoder in encoders:
            encoder.encode(["warm"], query=True)
        return encoders

    async def stop(self) -> None:
        if self._batcher is not None:
            await asyncio.to_thread(self._batcher.close)

    @property
    def ready(self) -> bool:
        return self._batcher is not None

    def encoder(self, name: str, recipe: StoredRecipe | None = None) -> Encoder:
        """Return a model by full or short name, or the one of these that embeds in a given way.

        :raises RefusedRequest: 404 it is not served, 409 it embeds in another way, 503 models are loading.
        """
        named = [encoder for encoder in self.encoders if name in (encoder.name, encoder.short)]
        if recipe is not None:
            named.sort(key=lambda encoder: encoder.short != recipe.model)
        differences = [None if recipe is None else different(encoder, recipe) for encoder in named]
        for encoder, difference in zip(named, differences, strict=True):
            if difference is None:
                return encoder
        if named:
            raise RefusedRequest(409, f"the served model has {differences[0]}", param="recipe", code="another_recipe")
        if not self.ready:
            raise RefusedRequest(503, "the models are still loading", code="not_ready")
        served = ", ".join(encoder.short for encoder in self.encoders)
        message = f"the model {name!r} is not served; available models: {served}"
        raise RefusedRequest(404, message, param="model", code="model_not_found")

    async def embed(self, encoder: Encoder, texts: list[str], *, query: bool, gone: Callable[[], Any]) -> Embedded | None:
        """Embed texts. Return None if the client disconnected before.

        :param gone: a coroutine function that returns when the client has disconnected.
        :raises RefusedRequest: 503 the queue is full, or the service is starting or stopping.
        """
        if self._batcher is None:
            raise RefusedRequest(503, "the models are still loading", code="not_ready")
        try:
            waited = asyncio.wrap_future(self._batcher.submit(encoder, texts, query=query))
            left = asyncio.ensure_future(gone())
            await asyncio.wait((waited, left), return_when=asyncio.FIRST_COMPLETED)
            if not waited.done():
                waited.cancel()
                return None
            left.cancel()
            return waited.result()
        except Busy as error:
            raise RefusedRequest(503, f"the queue is full: {error.message}", code="queue_full") from error
        except Stopped as error:
            raise RefusedRequest(503, error.message, code="stopping") from error


def make_app(
    load: Loader,
    *,
    limits: Limits | None = None,
    accepted: Accepted | None = None,
    on_ready: Callable[[Sequence[Encoder]], Any] | None = None,
) -> FastAPI:
    """Create the application.

    If the models cannot be loaded, it calls ``app.state.failed`` and stores the error in ``app.state.error``.

    :param load: returns the models to serve. :param accepted: host names to accept; default: those of loopback.
    :param on_ready: called when the models are loaded.
    """
    service = Service(load, limits or Limits())

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async def start() -> None:
            await service.start()
            if on_ready is not None:
                on_ready(service.encoders)

        async def started() -> None:
            try:
                await start()
            except Exception as error:  # the service cannot work without its models
                app.state.error = error
                app.state.failed()

        starting = asyncio.create_task(started())
        yield
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
        await service.stop()

    # No documentation pages: FastAPI's load scripts from other servers. /openapi.json is still served.
    app = FastAPI(
        title="stcollection embeddings", version=version("stcollection"), lifespan=lifespan, docs_url=None, redoc_url=None
    )
    app.state.service, app.state.error, app.state.failed = service, None, lambda: None
    _routes(app, service)
    _errors(app)
    headers = {**HEADERS, "content-security-policy": "default-src 'none'; frame-ancestors 'none'"}
    app.add_middleware(Guard, accepted=accepted or Accepted(), headers=headers, refuse=_refuse)
    return app


def _routes(app: FastAPI, service: Service) -> None:
    @app.post("/v1/embeddings", openapi_extra=_documented(EmbeddingRequest))
    async def embeddings(request: Request) -> Response:
        body = await _body(request, service.limits.body)
        params, texts = read_request(body, service.limits)
        encoder = service.encoder(params.model, params.recipe)
        if params.dimensions not in (None, encoder.dim):
            message = f"dimensions: vectors of {encoder.short} have {counted(encoder.dim, 'dimension')}; got {params.dimensions}"
            raise RefusedRequest(400, message, param="dimensions", code="unsupported_dimensions")
        embedded = await service.embed(encoder, texts, query=params.input_type == "query", gone=request.receive)
        if embedded is None:
            return Response(status_code=499)  # nginx's status for a client that disconnected; nobody reads it
        return Response(answer(params, encoder, embedded.vectors, embedded.tokens), media_type="application/json")

    @app.get("/v1/models")
    async def models() -> dict[str, object]:
        return {"object": "list", "data": [_model(encoder, service.started) for encoder in service.encoders]}

    @app.get("/v1/models/{name:path}")
    async def model(name: str) -> dict[str, object]:
        return _model(service.encoder(name), service.started)

    @app.get("/health")
    async def health() -> Response:
        state = "ok" if service.ready else "loading"
        names = [encoder.short for encoder in service.encoders]
        return JSONResponse({"status": state, "models": names}, 200 if service.ready else 503)

    @app.get("/metrics")
    async def metrics() -> Response:
        return PlainTextResponse(service.measures.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    app.add_middleware(_Measured, measures=service.measures)


def _documented(model: type[EmbeddingRequest]) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": model.model_json_schema()}}}}


def _model(encoder: Encoder, created: int) -> dict[str, object]:
    return {
        "id": encoder.name, "object": "model", "created": created, "owned_by": "stcollection",
        "short": encoder.short, "dimensions": encoder.dim, "max_tokens": encoder.max_tokens,
    }  # fmt: skip


async def _body(request: Request, most: int) -> bytes:
    """Read the body, up to the maximum length.

    :raises RefusedRequest: 413 the body is too long; 415 its type is not JSON. Foreign web pages cannot send JSON without a
        preflight request, so requiring it protects against them.
    """
    if media_type(request.headers) != "application/json":
        raise RefusedRequest(415, "the Content-Type must be application/json", code="unsupported_media_type")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise RefusedRequest(413, f"the request body is longer than {counted(most, 'byte')}", code="request_too_large")
    return bytes(body)


def _refuse(status: int, message: str, code: str) -> Response:
    return JSONResponse(error_body(status, message, code=code), status)


def _errors(app: FastAPI) -> None:
    @app.exception_handler(RefusedRequest)
    async def refused(_: Request, error: RefusedRequest) -> Response:
        headers = {"Retry-After": "1"} if error.status == 503 else None
        content = error_body(error.status, error.message, param=error.param, code=error.code)
        return JSONResponse(content, error.status, headers=headers)

    @app.exception_handler(HTTPException)
    async def no_route(_: Request, error: HTTPException) -> Response:
        return JSONResponse(error_body(error.status_code, str(error.detail)), error.status_code, headers=error.headers)

    @app.exception_handler(Exception)
    async def failed(_: Request, error: Exception) -> Response:
        return JSONResponse(error_body(500, f"the model failed: {type(error).__name__}", code="internal_error"), 500)


class _Measured:
    """Counts requests by route and status."""

    def __init__(self, app: ASGIApp, measures: ServiceMetrics) -> None:
        self._app = app
        self._measures = measures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 500

        async def noted(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            route = getattr(scope.get("route"), "path", "none")
            self._measures.answered(path=route, status=status, seconds=time.perf_counter() - started)

"""The HTTP endpoint that receives files: ``POST /upload``, the bytes of one file as the body.

The guard of the server checks host, origin and token. A page of another site cannot call it: the headers below are not those of a
form, so that a browser asks first, and the guard refuses; and it does not know the ticket of the page's session.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import unquote

from fastapi import FastAPI
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from stcollection.web.uploads.files import UploadRefused, Uploads

PATH = "/upload"
TICKET, NAME = "x-stc-upload", "x-stc-name"
BYTES = "application/octet-stream"
_DRAINED = 2**20  # bytes of a refused upload that are read, so that the browser reads the answer


def add(app: FastAPI, uploads: Uploads) -> None:
    """Add the endpoint to the application."""

    async def upload(request: Request) -> Response:
        try:
            return await _received(request, uploads)
        except UploadRefused as refused:
            await drain(request)
            told = {"message": refused.message, "hint": refused.hint}
            return JSONResponse({"error": told}, refused.status, {"connection": "close"})
        except ClientDisconnect:  # the reader cancelled the upload; nobody reads the answer
            return Response(status_code=400)

    app.add_route(PATH, upload, methods=["POST"], include_in_schema=False)


async def _received(request: Request, uploads: Uploads) -> Response:
    headers = request.headers
    if headers.get("content-type") != BYTES or TICKET not in headers:
        raise UploadRefused(403, "uploads are accepted from the upload page only", "Open the page and choose a file there.")
    uploads.check(headers[TICKET], declared(headers.get("content-length")))
    file = await uploads.receive(headers[TICKET], unquote(headers.get(NAME, "")), request.stream())
    return JSONResponse({"key": file.key, "name": file.name, "size": file.size})


def declared(length: str | None) -> int | None:
    """Return the size of a body from the header Content-Length, None if it is missing or malformed."""
    return int(length) if length is not None and length.isdigit() and len(length) < 20 else None


async def drain(request: Request) -> None:
    """Read a small rest of the body."""
    read = 0
    try:
        stream: AsyncIterator[bytes] = request.stream()
        async for piece in stream:
            read += len(piece)
            if read > _DRAINED:
                break
    except (ClientDisconnect, RuntimeError):  # the body was read before
        pass

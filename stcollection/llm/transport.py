"""The HTTP transport of the client, which limits the length of responses."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from stcollection.llm.limits import LONGEST_BODY, TooLongError


class _Bounded(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._stream:
            size += len(piece)
            if size > LONGEST_BODY:
                raise TooLongError(f"the response is longer than {LONGEST_BODY >> 20} MiB")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


class _Transport(httpx.AsyncHTTPTransport):
    """The HTTP transport of the openai package, within our limits.

    :ivar send_key: if False, remove the header with the key, which the openai package always sends.
    """

    send_key = True

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if not self.send_key:
            request.headers.pop("Authorization", None)
        response = await super().handle_async_request(request)
        assert isinstance(response.stream, httpx.AsyncByteStream)  # noqa: S101
        response.stream = _Bounded(response.stream)
        return response


def http_client(url: str, *, timeout: float, connections: int, loopback: bool, send_key: bool) -> httpx.AsyncClient:
    """Return an HTTP client for one endpoint. It follows no redirects, so that the key is not sent to another server.

    It uses the proxies of the environment, except for connections to this machine.
    """
    parts = urlsplit(url)
    proxy = None if loopback or proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)
    limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
    transport = _Transport(limits=limits, proxy=proxy)
    transport.send_key = send_key
    return httpx.AsyncClient(transport=transport, timeout=timeout, follow_redirects=False, headers={"Accept-Encoding": "identity"})

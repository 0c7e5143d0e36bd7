"""What lies below the client: connections that read no endless body. httpx is imported here, with the client that asks."""

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
        seen = 0
        async for piece in self._stream:
            seen += len(piece)
            if seen > LONGEST_BODY:
                raise TooLongError(f"an answer of more than {LONGEST_BODY >> 20} MiB")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


class _Transport(httpx.AsyncHTTPTransport):
    """The HTTP transport of the openai package, within our limits.

    :ivar send_key: else the openai package's header for it, which it insists on, is left out.
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
    """An HTTP client for one endpoint that follows no redirect: a key must not go elsewhere.

    It takes the environment's proxies, but none to this machine.
    """
    parts = urlsplit(url)
    proxy = None if loopback or proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)
    limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
    transport = _Transport(limits=limits, proxy=proxy)
    transport.send_key = send_key
    return httpx.AsyncClient(transport=transport, timeout=timeout, follow_redirects=False, headers={"Accept-Encoding": "identity"})

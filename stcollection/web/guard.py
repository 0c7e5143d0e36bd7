"""Checks of every request: the host name by which it calls the server, and the web page that sends it.

A web page anywhere can make its reader's browser send requests to this machine, and DNS rebinding lets it read the answers. Two
headers that no page can forge tell such requests apart: ``Host``, the name by which the browser calls the server, and ``Origin``,
where the page comes from.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stcollection.errors import BadArgument

HEADERS: Mapping[str, str] = {
    "x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin",
}  # fmt: skip
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_PORTS = {"http": 80, "https": 443}
_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?\.?")
_AUTHORITY = re.compile(r"(\[[^\[\]]*\]|[^\[\]:@/?#\\\s]+)(?::([0-9]{1,5}))?")
_ABSOLUTE = re.compile(r"(https?)://([^/?#]*)(.*)", re.IGNORECASE | re.DOTALL)
_SHOWN = 80  # characters of a header that an answer repeats


class Authority(NamedTuple):
    """The name or address and port of a server. :param port: None is the scheme's default."""

    host: str
    port: int | None

    def at(self, scheme: str) -> WebOrigin:
        """The origin of a page that this server sends by this scheme."""
        return WebOrigin(scheme, self.host, self.port or _PORTS[scheme])


class WebOrigin(NamedTuple):
    """Where a page comes from, as browsers compare it: scheme, host and port, all three."""

    scheme: str
    host: str
    port: int

    def address(self) -> str:
        """Return it as a browser shows it, without the usual port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + ("" if self.port == _PORTS[self.scheme] else f":{self.port}")


def read_authority(text: str) -> Authority:
    """Read ``host[:port]`` as a Host header has it.

    Upper case, one dot at the end, and spellings of an IPv6 address make no difference.

    :raises ValueError: it has another form.
    """
    match = _AUTHORITY.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} does not have the form HOST or HOST:PORT")
    port = None if match[2] is None else int(match[2])
    if port is not None and not 1 <= port <= 65535:
        raise ValueError(f"{port} is not a port")
    return Authority(_host(match[1]), port)


def _host(text: str) -> str:
    if text.startswith("["):
        address = ipaddress.IPv6Address(text[1:-1])  # its error is a ValueError
        return str(address.ipv4_mapped or address)
    name = text.lower()
    if _NAME.fullmatch(name) is None:
        raise ValueError(f"{text!r} is not the name of a host")
    return name.removesuffix(".")


def read_origin(text: str) -> WebOrigin:
    """Read ``scheme://host[:port]`` as an Origin header has it. :raises ValueError: it has another form, ``null`` for example."""
    scheme, _, rest = text.partition("://")
    if scheme.lower() not in ("http", "https"):
        raise ValueError(f"{text!r} is not an origin")
    return read_authority(rest).at(scheme.lower())


@dataclass(frozen=True)
class Accepted:
    """The host names that a server accepts.

    :param names: host names and addresses, in lower case.
    :param addresses: also every IP address. No DNS name leads a browser to send one, so it is safe from rebinding.
    :param every: also every name. Only for a server that requires a token.
    :param public: the address behind a reverse proxy; pages from there are then the only ones whose requests are accepted.
    """

    names: frozenset[str] = LOOPBACK
    addresses: bool = False
    every: bool = False
    public: WebOrigin | None = None

    def host(self, name: str) -> bool:
        """Return True if a request may call the server by this name."""
        return self.every or name in self.names or (self.addresses and _is_address(name))

    def origin(self, origin: WebOrigin, own: WebOrigin) -> bool:
        """Return True if a page from ``origin`` may send requests. :param own: the origin that the request itself names."""
        return origin == (self.public or own)


def accept(
    *, host: str, loopback: bool, allowed: Iterable[str] = (), public_url: str | None = None, every: bool = False
) -> Accepted:
    """Return the host names that a server accepts.

    :param host: the address it listens on. :param loopback: only this machine can reach that address.
    :param allowed: further names. :param public_url: its address behind a reverse proxy. :param every: see :class:`Accepted`.
    :raises BadArgument: one of them is not a host name or a web address.
    """
    names = set(LOOPBACK)
    for name in (host, *allowed):
        try:
            names.add(_host(f"[{name}]" if name.count(":") > 1 and not name.startswith("[") else name))
        except ValueError as error:
            message = f"{name!r} is not the name of a host"
            raise BadArgument(message, hint="Give the name or address alone, without a port.") from error
    public = None if public_url is None else read_public(public_url)
    if public is not None:
        names.add(public.host)
    return Accepted(frozenset(names), addresses=not loopback, every=every and not loopback, public=public)


def read_public(url: str) -> WebOrigin:
    """Read the address behind a reverse proxy. :raises BadArgument: it is not ``http(s)://host[:port]``."""
    try:
        return read_origin(url.removesuffix("/"))
    except ValueError as error:
        raise BadArgument(
            f"the public address {url!r} is not of the form https://HOST or https://HOST:PORT",
            hint="Give scheme, host and, unless it is the default, port, without a path.",
        ) from error


def host_of(url: str) -> list[str]:
    """The host that a client names in the Host header when it calls a web address; empty if the address cannot be read."""
    match = _ABSOLUTE.fullmatch(url)
    try:
        return [read_authority(match[2]).host] if match else []
    except ValueError:
        return []


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def media_type(headers: Headers) -> str:
    """Return the type of a request's body in lower case, without parameters such as the encoding; empty if none is stated."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _plain(status: int, message: str, code: str) -> Response:
    return PlainTextResponse(f"{message}\n", status)


class Guard:
    """ASGI middleware that refuses requests for other host names and requests from other web pages.

    It also rewrites the absolute form ``GET http://host/path`` to ``GET /path``, as a server must (RFC 9112, 3.2.2), and adds
    headers to every answer.

    :param accepted: the host names to accept. :param headers: added to responses that do not have them.
    :param refuse: makes the response from a status, a message and a code.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        accepted: Accepted,
        headers: Mapping[str, str] = HEADERS,
        refuse: Callable[[int, str, str], Response] = _plain,
    ) -> None:
        self._app, self._accepted, self._headers, self._refuse = app, accepted, headers, refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # nothing here uses one: the handshake answers 403
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            scope = self._checked(scope)
        except _RefusedError as error:
            await self._refuse(error.status, error.message, error.code)(scope, receive, self._sender(send))
            return
        await self._app(scope, receive, self._sender(send))

    def _checked(self, scope: Scope) -> Scope:
        """Return the request in origin form. :raises _RefusedError: the request is refused."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1:
            raise _RefusedError(400, f"a request has one Host header; this one has {len(hosts)}", "bad_host")
        called = self._authority(hosts[0])
        absolute = _ABSOLUTE.fullmatch(scope["path"])
        if absolute is not None:  # its host name overrides the Host header
            called = self._authority(absolute[2])
            path = absolute[3] if absolute[3].startswith("/") else f"/{absolute[3]}"
            scope = {**scope, "path": path, "raw_path": path.encode()}
        if not self._accepted.host(called.host):
            raise _RefusedError(421, f"this server is not called {called.host[:_SHOWN]!r}", "unknown_host")
        # Our servers speak plain http, whatever a header says of a proxy: its address is Accepted.public.
        self._check_page(headers, called.at("http"))
        return scope

    @staticmethod
    def _authority(text: str) -> Authority:
        try:
            return read_authority(text)
        except ValueError as error:
            raise _RefusedError(400, f"{text[:_SHOWN]!r} is not the name of a server", "bad_host") from error

    def _check_page(self, headers: Headers, own: WebOrigin) -> None:
        """Check which page sends the request.

        :raises _RefusedError: it is not a page of this server.
        """
        refused = _RefusedError(403, "another page may not send requests to this server", "foreign_origin")
        for origin in headers.getlist("origin"):
            try:
                if not self._accepted.origin(read_origin(origin), own):
                    raise refused
            except ValueError as error:
                raise refused from error
        # Requests for images and scripts have no Origin, but browsers set this header. Links that people follow are accepted.
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate":
            raise refused

    def _sender(self, send: Send) -> Send:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        return sent


class _RefusedError(Exception):
    """A refused request."""

    def __init__(self, status: int, message: str, code: str) -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code

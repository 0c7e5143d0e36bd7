"""Address and key of a language model's endpoint, which must speak OpenAI's protocol.

The key is read only from the environment, so it does not appear in process lists or shell histories. It is never printed or stored.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from stcollection.errors import BadArgument

URL_VARIABLES = ("STC_LLM_ENDPOINT", "OPENAI_BASE_URL")
KEY_VARIABLES = ("STC_LLM_API_KEY", "OPENAI_API_KEY")


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """The address of a language model, and its key.

    :param url: ``scheme://host[:port]/path``, without a slash at the end. :param key: None if no key is sent.
    :param loopback: the endpoint is on this machine.
    """

    url: str
    loopback: bool
    key: str | None = field(default=None, repr=False)

    def without_key(self, text: str) -> str:
        """Mask the key in a text of the endpoint: some endpoints repeat it in error messages."""
        return text.replace(self.key, "***") if self.key else text


def read_endpoint(
    url: str | None = None,
    *,
    key_variable: str | None = None,
    send_key: bool = True,
    plain_http: bool = False,
    environ: Mapping[str, str] = os.environ,
) -> Endpoint:
    """Read the endpoint from options and the environment.

    :param url: overrides STC_LLM_ENDPOINT, which overrides OPENAI_BASE_URL.
    :param key_variable: the variable with the key; by default STC_LLM_API_KEY, else OPENAI_API_KEY.
    :param plain_http: allow sending the key unencrypted over a network.
    :raises BadArgument: the address is missing or invalid, the variable is not set, or a key would be sent over plain http.
    """
    address = url or next((environ[name] for name in URL_VARIABLES if environ.get(name)), None)
    if not address:
        raise BadArgument(
            "no endpoint is given",
            hint="Set --endpoint or STC_LLM_ENDPOINT: http://localhost:8000/v1, or https://api.openai.com/v1 for OpenAI.",
        )
    try:
        parts = urlsplit(address.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    if "@" in address:
        raise BadArgument("the endpoint's address contains a user or password", hint=f"Put the key into {KEY_VARIABLES[0]}.")
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise BadArgument(
            f"{address.split('?')[0]!r} is not the address of an endpoint",
            hint="Example: http://localhost:8000/v1, without a query.",
        )
    name = f"[{host}]" if ":" in host else host
    base = f"{parts.scheme}://{name}{f':{port}' if port else ''}{parts.path.rstrip('/')}"
    loopback = _is_loopback(host)
    key = _key(key_variable, environ) if send_key else None
    if key and parts.scheme == "http" and not loopback and not plain_http:
        raise BadArgument(
            f"the key would be sent unencrypted over the network to {base}",
            hint="Use https, --no-key if the endpoint needs no key, or --plain-http if the network is trusted.",
        )
    return Endpoint(url=base, loopback=loopback, key=key)


def _key(variable: str | None, environ: Mapping[str, str]) -> str | None:
    if variable is not None and not environ.get(variable):
        raise BadArgument(f"the environment variable {variable} is not set", hint="Set it to the endpoint's key.")
    names = KEY_VARIABLES if variable is None else (variable,)
    key = next((environ[name].strip() for name in names if environ.get(name)), None)
    if key and (not key.isascii() or not key.isprintable() or " " in key):
        raise BadArgument("the endpoint's key has characters not allowed in a header", hint="Check that it was copied correctly.")
    return key or None


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost" or host.lower().endswith(".localhost")

"""Where a language model is: the address of an endpoint that speaks OpenAI's protocol, and the key it wants.

The key comes from the environment alone, where no list of processes and no history shows it; it is never printed nor stored.
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

    :param url: ``scheme://host[:port]/path``, without a slash at the end. :param key: None sends none.
    :param loopback: it is on this machine.
    """

    url: str
    loopback: bool
    key: str | None = field(default=None, repr=False)

    def without_key(self, text: str) -> str:
        """A text of the endpoint's, fit to be shown: some tell the key they were given."""
        return text.replace(self.key, "***") if self.key else text


def read_endpoint(
    url: str | None = None,
    *,
    key_variable: str | None = None,
    send_key: bool = True,
    plain_http: bool = False,
    environ: Mapping[str, str] = os.environ,
) -> Endpoint:
    """The endpoint of options and environment.

    :param url: goes before STC_LLM_ENDPOINT, that before OPENAI_BASE_URL.
    :param key_variable: the variable that holds the key; None is STC_LLM_API_KEY, else OPENAI_API_KEY.
    :param plain_http: send the key also unencrypted over a network.
    :raises BadArgument: no address or none that can be, the named variable is not set, a key would go over plain http.
    """
    address = url or next((environ[name] for name in URL_VARIABLES if environ.get(name)), None)
    if not address:
        raise BadArgument(
            "no endpoint is named",
            hint="Give its address by --endpoint or STC_LLM_ENDPOINT: http://localhost:8000/v1; OpenAI's is https://api.openai.com/v1.",
        )
    try:
        parts = urlsplit(address.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    if "@" in address:
        raise BadArgument("the endpoint's address holds a user or password", hint=f"Put the key into {KEY_VARIABLES[0]}.")
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise BadArgument(
            f"{address.split('?')[0]!r} is no address of an endpoint", hint="It is like http://localhost:8000/v1, without a query."
        )
    name = f"[{host}]" if ":" in host else host
    base = f"{parts.scheme}://{name}{f':{port}' if port else ''}{parts.path.rstrip('/')}"
    loopback = _is_loopback(host)
    key = _key(key_variable, environ) if send_key else None
    if key and parts.scheme == "http" and not loopback and not plain_http:
        raise BadArgument(
            f"the key would go over the network unencrypted, to {base}",
            hint="Take https; or --no-key where the endpoint wants none, --plain-http where the network is trusted.",
        )
    return Endpoint(url=base, loopback=loopback, key=key)


def _key(variable: str | None, environ: Mapping[str, str]) -> str | None:
    if variable is not None and not environ.get(variable):
        raise BadArgument(f"the environment has no {variable}", hint="It is the variable that holds the endpoint's key.")
    names = KEY_VARIABLES if variable is None else (variable,)
    key = next((environ[name].strip() for name in names if environ.get(name)), None)
    if key and (not key.isascii() or not key.isprintable() or " " in key):
        raise BadArgument("the endpoint's key has characters that no header can carry", hint="Was it copied with something else?")
    return key or None


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost" or host.lower().endswith(".localhost")

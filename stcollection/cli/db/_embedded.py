"""The embedded server."""

from __future__ import annotations

from stcollection.db.embedded import EmbeddedServer
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument


def embedded(settings: Settings) -> EmbeddedServer:
    if not settings.embedded:
        raise BadArgument(
            "the server is the one that STC_DSN or PG* names, not the embedded one", hint="Start and stop it with its own tools."
        )
    return EmbeddedServer(settings.home)

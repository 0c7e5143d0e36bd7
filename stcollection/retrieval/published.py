"""Systems of the publication, with its settings."""

from __future__ import annotations

import psycopg

from stcollection.errors import BadArgument, StateError, translate
from stcollection.published import RUN_SYSTEMS


@translate()
def published_systems(conn: psycopg.Connection, system: str | None) -> list[str]:
    """Return the systems of the collection that search as published. :param system: one of ``RUN_SYSTEMS``; None: all.

    :raises BadArgument: the publication has no settings for the system.
    :raises StateError: the vector index of a dense system has other settings.
    """
    if system is not None and system not in RUN_SYSTEMS and system not in RUN_SYSTEMS.values():
        raise BadArgument(
            f"--published has no settings for {system}",
            hint=f"It makes runs of {', '.join(RUN_SYSTEMS)}. Omit it for other systems.",
        )
    systems = list(RUN_SYSTEMS.values()) if system is None else [RUN_SYSTEMS.get(system, system)]
    for name in systems:
        field = name.partition("-")[2]
        row = conn.execute("SELECT stc.published_index(%s)", [field]).fetchone() if field else None
        if row is not None and row[0] is not None:
            raise StateError(
                f"{name}: the {field} vectors have {row[0]}, not the published settings",
                hint=f"Build the published index: stc vectors index --published --field {field}.",
                sqlstate="IR402",
            )
    return systems

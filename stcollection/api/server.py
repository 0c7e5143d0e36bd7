"""Functions that need no open collection: list the collections of a server, and the measures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stcollection.api.face import speaking
from stcollection.api.frames import frame_of
from stcollection.api.settings import settings_of
from stcollection.evaluation.kinds import described


@speaking
def collections(dsn: str | None, home: str | Path | None) -> list[str]:
    """Return the names of the collections on the server."""
    from stcollection.db.collections import collections  # imports Alembic, which opening a collection does not need

    return [one.name for one in collections(settings_of(None, dsn, home))]


def measures(frame: str) -> Any:
    """Return the measures as a frame."""
    return frame_of(["ir_measures", "trec_eval", "definition", "in", "source"], described(), frame)

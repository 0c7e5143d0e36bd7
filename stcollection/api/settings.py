"""Connection settings from the arguments of a call and the environment."""

from __future__ import annotations

import os
from pathlib import Path

from stcollection.db.settings import Settings, read_settings


def settings_of(db: str | None, dsn: str | None, home: str | Path | None) -> Settings:
    """Return the settings; None uses the value from the environment."""
    given = {"STC_DSN": dsn, "STC_HOME": None if home is None else str(home)}
    environ = {**os.environ, **{name: value for name, value in given.items() if value is not None}}
    return read_settings(db=db, environ=environ)

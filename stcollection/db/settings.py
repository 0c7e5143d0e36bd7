"""Where the collection is: from options and environment to one answer.

``--db`` / ``STC_DB`` name the database (one database is one collection), ``STC_DSN`` or libpq's ``PG*`` name a server; without
them the embedded server under ``STC_HOME`` serves.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import platformdirs
import psycopg
from psycopg.conninfo import conninfo_to_dict

from stcollection.errors import BadArgument

DEFAULT_DB = "stcollection"
# libpq variables that name a server; PGUSER, PGDATABASE and the like alone do not.
_SERVER_VARIABLES = ("PGHOST", "PGHOSTADDR", "PGPORT", "PGSERVICE")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to reach a database.

    :param db: name of the database.
    :param home: folder of the embedded server.
    :param dsn: libpq connection string of a server; empty takes libpq's ``PG*``; None is the embedded server.
    """

    db: str
    home: Path
    dsn: str | None

    @property
    def embedded(self) -> bool:
        return self.dsn is None


def default_home() -> Path:
    """``STC_HOME``'s default: the user's data folder; for root /var/lib: the server's own user cannot enter /root."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Path("/var/lib/stcollection")
    return platformdirs.user_data_path("stcollection", appauthor=False)


def read_settings(*, db: str | None = None, environ: Mapping[str, str] = os.environ) -> Settings:
    """Settings of this process.

    :param db: the ``--db`` option; it goes before ``STC_DB``, that before the database named in the DSN.
    :raises BadArgument: ``STC_DSN`` is not a connection string, or the name cannot be one of a database.
    """
    dsn = environ.get("STC_DSN")
    if dsn is None and any(environ.get(name) for name in _SERVER_VARIABLES):
        dsn = ""
    name = db or environ.get("STC_DB")
    if dsn is not None:
        try:
            told = conninfo_to_dict(dsn)
        except (psycopg.ProgrammingError, UnicodeError):  # its text quotes a part of the string, perhaps of the password
            raise BadArgument(
                "STC_DSN is not a connection string",
                hint="Write it like 'host=localhost user=me dbname=demo'; quote a value with blanks, as in password='a b'.",
            ) from None
        name = name or str(told.get("dbname") or environ.get("PGDATABASE") or "")
    name = name or DEFAULT_DB
    _check(name)
    home = Path(environ["STC_HOME"]) if environ.get("STC_HOME") else default_home()
    return Settings(db=name, home=home.expanduser().absolute(), dsn=dsn)


def named(settings: Settings, name: str | None) -> Settings:
    """The same with another collection, if one is named.

    :raises BadArgument: the name cannot be one of a database.
    """
    if not name:
        return settings
    _check(name)
    return replace(settings, db=name)


def _check(name: str) -> None:
    if len(name.encode()) > 63 or "\0" in name or name in {"template0", "template1"}:
        raise BadArgument(f"{name!r} cannot be the name of a collection", hint="Take a name of at most 63 bytes.")

"""Read the location of the collection from options and environment.

``--db`` / ``STC_DB`` name the database (one database is one collection), ``STC_DSN`` or libpq's ``PG*`` name a server; the default
is the embedded server in ``STC_HOME``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from stcollection.errors import BadArgument

DEFAULT_DB = "stcollection"
# The comments on a database that mark it as a collection: created by stcollection, or adopted.
MARK = "stcollection"
ADOPTED = "contains a collection of stcollection"
# The databases with such a comment, on any database of their server.
COLLECTIONS = f"""
SELECT d.datname
  FROM pg_database d CROSS JOIN LATERAL (SELECT shobj_description(d.oid, 'pg_database')) AS c (comment)
 WHERE starts_with(c.comment, '{MARK}') OR c.comment = '{ADOPTED}'
"""  # noqa: S608
# libpq variables that name a server; PGUSER, PGDATABASE and others do not.
_SERVER_VARIABLES = ("PGHOST", "PGHOSTADDR", "PGPORT", "PGSERVICE")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to reach a database.

    :param db: name of the database.
    :param home: folder of the embedded server.
    :param dsn: libpq connection string of a server; empty uses libpq's ``PG*``; None means the embedded server.
    """

    db: str
    home: Path
    dsn: str | None

    @property
    def embedded(self) -> bool:
        return self.dsn is None


def default_home() -> Path:
    """Return the default of ``STC_HOME``: the user's data folder; for root /var/lib, as the server's user cannot enter /root."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Path("/var/lib/stcollection")
    from platformdirs import user_data_path

    return user_data_path("stcollection", appauthor=False)


def read_settings(*, db: str | None = None, environ: Mapping[str, str] = os.environ) -> Settings:
    """Read the settings of this process.

    :param db: the ``--db`` option; it takes precedence over ``STC_DB``, and that over the database in the DSN.
    :raises BadArgument: ``STC_DSN`` is not a connection string, or the name cannot be a database name.
    """
    dsn = environ.get("STC_DSN")
    if dsn is None and any(environ.get(name) for name in _SERVER_VARIABLES):
        dsn = ""
    name = db or environ.get("STC_DB")
    if dsn is not None:
        from psycopg import ProgrammingError  # not at module level: the embedded server needs none
        from psycopg.conninfo import conninfo_to_dict

        try:
            options = conninfo_to_dict(dsn)
        except (ProgrammingError, UnicodeError):  # its message may quote part of the password
            raise BadArgument(
                "STC_DSN is not a connection string",
                hint="Write it like 'host=localhost user=me dbname=demo'; quote values with spaces: password='a b'.",
            ) from None
        name = name or str(options.get("dbname") or environ.get("PGDATABASE") or "")
    name = name or DEFAULT_DB
    _check(name)
    home = Path(environ["STC_HOME"]) if environ.get("STC_HOME") else default_home()
    try:
        home = home.expanduser().absolute()
    except (RuntimeError, OSError) as error:  # a user without a home; a working folder that was removed
        raise BadArgument(f"STC_HOME is {str(home)!r}: {error}", hint="Set STC_HOME to an absolute path.") from error
    return Settings(db=name, home=home, dsn=dsn)


def named(settings: Settings, name: str | None) -> Settings:
    """Return the settings with another collection if a name is given.

    :raises BadArgument: the name cannot be a database name.
    """
    if not name:
        return settings
    _check(name)
    return replace(settings, db=name)


def _check(name: str) -> None:
    if len(name.encode()) > 63 or "\0" in name or name in {"template0", "template1"}:
        raise BadArgument(f"{name!r} cannot be the name of a collection", hint="Use a name of at most 63 bytes.")

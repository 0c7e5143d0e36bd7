"""stcollection: a retrieval test collection in one PostgreSQL database."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from stcollection import moved

if TYPE_CHECKING:
    from pathlib import Path

    from stcollection.api.collection import Collection

moved.install()

try:
    __version__ = version("stcollection")
except PackageNotFoundError:  # run from a checkout that was not installed
    __version__ = "0"


def open(  # noqa: A001
    db: str | None = None, *, dsn: str | None = None, home: str | Path | None = None, frame: str = "pandas"
) -> Collection:
    """Open a collection from Python; ``with stcollection.open("demo") as collection: …``.

    :param db: its name; None is that of ``STC_DB``, else the database of the DSN, else ``stcollection``.
    :param dsn: libpq connection string of a server; None is ``STC_DSN``, else libpq's ``PG*``, else the embedded server.
    :param home: folder of the embedded server; None is ``STC_HOME``, else the user's data folder.
    :param frame: the frames its methods return where they are not asked for others: ``pandas`` or ``polars``.
    :raises UnknownObject: there is no such collection.
    :raises StateError: it is not in step with this version.
    :raises DatabaseError: the server is not there, or refuses.
    """
    from stcollection.api.collection import Collection  # when called for: importing the package stays cheap

    return Collection.open(db, dsn=dsn, home=home, frame=frame)


def create(
    db: str, *, dsn: str | None = None, home: str | Path | None = None, frame: str = "pandas", exist_ok: bool = False
) -> Collection:
    """Make an empty collection and open it; the parameters are those of :func:`open`.

    :param exist_ok: open the one that is there.
    :raises BadArgument: there is one already, or no database can have that name.
    :raises DatabaseError: the server is not there, or refuses.
    """
    from stcollection.api.collection import Collection

    return Collection.create(db, dsn=dsn, home=home, frame=frame, exist_ok=exist_ok)


__all__ = ["__version__", "create", "open"]

"""Put a database in step with this version: Alembic's revisions for the tables, then sql/, then the roles, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass

from alembic import command
from alembic.script import ScriptDirectory
from psycopg import sql
from sqlalchemy import create_engine

from stcollection.db.connection import connect
from stcollection.db.objects import sync
from stcollection.db.roles import ensure_roles
from stcollection.db.settings import Settings
from stcollection.db.step import configuration, head, revision
from stcollection.errors import StateError, translate

# One upgrade at a time: a second one waits and then finds nothing to do.
_LOCK = 0x57C0


@dataclass(frozen=True)
class Step:
    """How far a database is.

    :param objects: files of sql/ that were put in or taken out.
    :param roles: why there are none, in a sentence; None: they are there.
    """

    before: str | None
    after: str
    objects: int
    roles: str | None = None


@translate()
def upgrade(settings: Settings, *, force: bool = False) -> Step:
    """Put the collection in step; all of it or nothing.

    :param force: put every function and view in anew, so that nothing changed by hand stays.
    :raises StateError: pgvector is not installed on the server, the database is newer than this version, or an object of the user
        depends on one that must change.
    """
    conn = connect(settings, check=False)
    # SQLAlchemy leads the transaction that Alembic and sync share; closing the engine's connection closes ours.
    engine = create_engine("postgresql+psycopg://", creator=lambda: conn)
    try:
        with engine.begin() as connection:
            conn.execute(sql.SQL("SELECT pg_advisory_xact_lock({})").format(_LOCK))
            before = revision(conn)
            known = {script.revision for script in ScriptDirectory.from_config(configuration()).walk_revisions()}
            if before is not None and before not in known:
                raise StateError(
                    f"the collection {settings.db!r} was made by a newer version (revision {before})",
                    hint="Install that version: pip install --upgrade stcollection.",
                )
            if conn.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'").fetchone() is None:
                raise StateError("the server does not have pgvector", hint="Install pgvector 0.8 or later there.", sqlstate="IR404")
            config = configuration()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
            if force:
                conn.execute("UPDATE stc_objects SET fingerprint = ''")
            objects = sync(conn)
            return Step(before, head(), objects, ensure_roles(conn))
    finally:
        engine.dispose()
        conn.close()

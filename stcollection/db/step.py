"""How far a database is: the revision of its tables, and whether it is in step with this version."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from stcollection.db.files import folder
from stcollection.db.objects import changes, read
from stcollection.errors import StateError

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import ScriptDirectory


def configuration() -> Config:
    """Alembic's, for the migrations of this version."""
    from alembic.config import Config  # takes longer to import than all else of a command's help

    config = Config()
    config.set_main_option("script_location", str(folder("migrations")).replace("%", "%%"))
    return config


def _scripts() -> ScriptDirectory:
    from alembic.script import ScriptDirectory

    return ScriptDirectory.from_config(configuration())


@cache
def revisions() -> tuple[tuple[str, Path], ...]:
    """The revisions of migrations/ with their files, newest first."""
    scripts = _scripts().walk_revisions()
    return tuple((str(script.revision), Path(script.path)) for script in scripts)


@cache
def head() -> str:
    """The newest revision of migrations/."""
    newest = _scripts().get_current_head()
    if newest is None:
        raise StateError(f"no migration in {folder('migrations')}", hint="The installation is incomplete: install it again.")
    return str(newest)


def revision(conn: psycopg.Connection) -> str | None:
    """The revision of the database; None where it is no collection. A table alembic_version alone may be another application's."""
    there = conn.execute("SELECT to_regclass('public.alembic_version') IS NULL OR to_regclass('public.stc_objects') IS NULL")
    if there.fetchone() == (True,):
        return None
    row = conn.execute("SELECT version_num FROM public.alembic_version").fetchone()
    return None if row is None else str(row[0])


def in_step(conn: psycopg.Connection) -> bool:
    """Whether tables and functions are those of this version."""
    return revision(conn) == head() and changes(conn, read()) == ([], [])

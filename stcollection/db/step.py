"""Find the revision of a database, and the revisions of this version."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from stcollection.db.files import folder
from stcollection.errors import StateError

if TYPE_CHECKING:
    from alembic.config import Config

_REVISION = re.compile(r'^revision = "(?P<own>\w+)"$\s^down_revision = (?:"(?P<before>\w+)"|None)$', re.MULTILINE)


def configuration() -> Config:
    """Return Alembic's configuration for the migrations of this version."""
    from alembic.config import Config  # slow to import, and only upgrades need it

    config = Config()
    config.set_main_option("script_location", str(folder("migrations")).replace("%", "%%"))
    return config


@cache
def revisions() -> tuple[tuple[str, Path], ...]:
    """Return the revisions of migrations/ with their files, newest first; read without Alembic, as every connection needs them.

    :raises StateError: no migration was found.
    """
    newest_first = chain(folder("migrations") / "versions")
    if not newest_first:
        raise StateError(f"no migration in {folder('migrations')}", hint="The installation is incomplete: reinstall it.")
    return newest_first


def chain(migrations: Path) -> tuple[tuple[str, Path], ...]:
    """Return the revisions of a folder with their files, newest first."""
    after: dict[str | None, tuple[str, Path]] = {}
    for path in migrations.glob("*.py"):
        if (match := _REVISION.search(path.read_text(encoding="utf-8"))) is not None:
            after[match["before"]] = match["own"], path
    newest_last: list[tuple[str, Path]] = []
    while (step := after.get(newest_last[-1][0] if newest_last else None)) is not None:
        newest_last.append(step)
    return tuple(reversed(newest_last))


def head() -> str:
    """Return the newest revision of migrations/."""
    return revisions()[0][0]


def sources(path: Path) -> str:
    """Return the text of a revision: its module, and the SQL file with the same name."""
    return "\n".join(file.read_text(encoding="utf-8") for file in (path, path.with_suffix(".sql")) if file.exists())


def oldest() -> str:
    """Return the revision of version 0.2, with which migrations/ begins."""
    return revisions()[-1][0]


def is_too_old(at: str | None) -> bool:
    """Return True for a revision before that of version 0.2."""
    return at is not None and at.isdigit() and at < oldest()


def check_upgradable(at: str | None, db: str) -> None:
    """Check that this version can upgrade a collection of a revision.

    :raises StateError: version 0.1 made the collection, or a newer version. Nothing was changed.
    """
    if is_too_old(at):
        raise StateError(
            f"the collection {db!r} is of version 0.1 (revision {at}); this version upgrades collections of version 0.2",
            hint=f"Upgrade it with version 0.2: pip install stcollection==0.2.0, then 'stc --db {db} db upgrade'. Then install this"
            " version again and run the same command. Nothing was changed.",
        )
    if at is not None and at not in dict(revisions()):
        raise StateError(
            f"the collection {db!r} was made by a newer version (revision {at})",
            hint="Install that version: pip install --upgrade stcollection.",
        )


def revision(conn: psycopg.Connection) -> str | None:
    """Return the revision of the database; None if it is not a collection. (Other applications can have alembic_version too.)"""
    missing = conn.execute("SELECT to_regclass('public.alembic_version') IS NULL OR to_regclass('public.stc_objects') IS NULL")
    if missing.fetchone() == (True,):
        return None
    row = conn.execute("SELECT version_num FROM public.alembic_version").fetchone()
    return None if row is None else str(row[0])

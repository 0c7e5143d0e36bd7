"""Put a database in step with this version: Alembic's revisions for the tables, then sql/, then the roles, in one transaction.

Before anything changes, versions of server and extensions are checked, and objects of others that are in the way are listed.

Readers go on meanwhile. Where one of them, or a load, holds what must change, the upgrade waits for a moment only, since whoever
comes after it would wait behind it; then it lets all go, and tries again.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import cast

import psycopg
from alembic import command
from sqlalchemy import Engine, create_engine
from sqlalchemy.exc import DBAPIError

from stcollection.db import catalogue, collisions, dryrun, versions
from stcollection.db.connection import connect
from stcollection.db.objects import changes, read, sync
from stcollection.db.roles import close_new, ensure_roles, names, open_to_all
from stcollection.db.settings import Settings
from stcollection.db.step import configuration, head, revision, revisions
from stcollection.db.waits import Wait, waits
from stcollection.errors import DatabaseError, StateError, translate

# So long it waits for a lock: less than deadlock_timeout, so that of an upgrade and a reader in each other's way it is the one
# that gives way.
_TURN = "800ms"
_PAUSES = (0.5, 3.0)  # seconds between two attempts, at random: what waited behind it is done by then
PATIENCE = 60.0  # seconds of attempts
# Another session is in the way, or has just made the same: two upgrades of one empty database.
_AGAIN = (
    psycopg.errors.LockNotAvailable,
    psycopg.errors.DeadlockDetected,
    psycopg.errors.UniqueViolation,
    psycopg.errors.DuplicateTable,
    psycopg.errors.DuplicateObject,
)
_ON = {True: "on", False: ""}

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Step:
    """How far a database is.

    :param objects: files of sql/ that were put in or taken out.
    :param roles: why there are none, in a sentence; None: they are there.
    :param notes: for the user: rows that cannot be repaired, rights of PUBLIC that were left, known defects,
        extensions to request.
    :param repairs: rows that broke a new rule, and what became of them; a sentence each.
    """

    before: str | None
    after: str
    objects: int
    roles: str | None = None
    notes: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()


@translate()
def upgrade(
    settings: Settings,
    *,
    force: bool = False,
    restrict: bool = False,
    patience: float = PATIENCE,
    tell: Tell | None = None,
    dry_run: Tell | None = None,
) -> Step:
    """Put the collection in step; all of it or nothing.

    :param force: put every function and view in anew, so that nothing changed by hand stays.
    :param restrict: take the rights of PUBLIC from the database and its schema public, also where stcollection did not make it.
    :param patience: seconds to go on trying while other sessions hold what must change.
    :param tell: is called with the session that holds it, before another attempt.
    :param dry_run: is called with each statement, and all of them are rolled back.
    :raises StateError: PostgreSQL or pgvector is missing or too old, objects of others have names that are needed, the database is
        newer than this version, or an object of the user depends on one that must change.
    :raises DatabaseError: another session held what must change all the time; it is named.
    """
    conn = connect(settings, check=False)
    # SQLAlchemy leads the transaction that Alembic and sync share; closing the engine's connection closes ours.
    engine = create_engine("postgresql+psycopg://", creator=lambda: conn)
    deadline = time.monotonic() + patience
    told: int | None = None
    if dry_run is not None:
        dryrun.record(conn, dry_run)
    try:
        while True:
            with _Holder(settings, conn) as holder:
                try:
                    return _attempt(engine, conn, settings, force=force, restrict=restrict, dry=dry_run is not None)
                except dryrun.Undone as done:
                    return cast("Step", done.result)
                except DBAPIError as error:  # a revision's
                    refused = error.orig
                except psycopg.Error as error:
                    refused = error
            if not isinstance(refused, _AGAIN):
                assert refused is not None  # noqa: S101
                raise refused
            if time.monotonic() > deadline:
                raise _in_the_way(settings, holder.found, patience) from refused
            if tell is not None and holder.found is not None and holder.found.holder != told:
                told = holder.found.holder
                tell(f"waiting for {holder.found.what}, held by {holder.found.whom}")
            time.sleep(random.uniform(*_PAUSES))  # noqa: S311
    finally:
        engine.dispose()
        conn.close()


def _attempt(engine: Engine, conn: psycopg.Connection, settings: Settings, *, force: bool, restrict: bool, dry: bool) -> Step:
    with engine.begin() as connection:
        # The path of the role or the database may lead elsewhere first.
        conn.execute("SET LOCAL search_path = public, pg_temp")
        conn.execute("SELECT set_config('lock_timeout', %s, true), set_config('stc.restrict', %s, true)", [_TURN, _ON[restrict]])
        # One upgrade at a time, and none while a run is made (sql/runs/claim_run.sql). Only owners can take this lock.
        if revision(conn) is not None:
            conn.execute("LOCK TABLE public.stc_objects IN EXCLUSIVE MODE")
        before = revision(conn)
        if before is not None and before not in dict(revisions()):
            raise StateError(
                f"the collection {settings.db!r} was made by a newer version (revision {before})",
                hint="Install that version: pip install --upgrade stcollection.",
            )
        versions.check_database(conn)
        files = read()
        collisions.check(conn, files, db=settings.db)
        work = force or before != head() or changes(conn, files) != ([], [])
        stored = catalogue.snapshot(conn) if work else {}
        config = configuration()
        config.attributes["connection"] = connection
        there = names(conn)
        with _warnings(conn) as warned:
            command.upgrade(config, "head")
        if force:
            conn.execute("UPDATE stc_objects SET fingerprint = ''")
        objects = sync(conn, files)
        if dry:
            dryrun.hear(conn)
        conn.execute("SELECT stc.copy_comments()")
        roles = ensure_roles(conn)
        if work:
            close_new(conn, there)
        if work or catalogue.outdated(conn):
            catalogue.record(conn, stored, rights=force)
        step = Step(before, head(), objects, roles, (*warned, *_notes(conn, settings)), tuple(config.attributes.get("repairs", ())))
        if dry:
            raise dryrun.Undone(step)
        return step


@contextmanager
def _warnings(conn: psycopg.Connection) -> Iterator[list[str]]:
    """Collect what revisions raise as WARNING: rows that they cannot repair."""
    found: list[str] = []

    def hear(one: psycopg.errors.Diagnostic) -> None:
        if one.severity_nonlocalized == "WARNING":
            found.append(one.message_primary or "")

    conn.execute("SET LOCAL client_min_messages = warning")
    conn.add_notice_handler(hear)
    try:
        yield found
    finally:
        conn.remove_notice_handler(hear)


def _notes(conn: psycopg.Connection, settings: Settings) -> list[str]:
    found = [f"{one.extension} {one.version}: {one.sentence}. {one.action}." for one in versions.defects(conn)]
    found += versions.requests(conn)
    if (may := open_to_all(conn)) is not None:
        found.append(
            f"{may} in {settings.db!r}, which stcollection did not make:"
            f" 'stc --db {settings.db} db upgrade --restrict' revokes that"
        )
    return found


def _in_the_way(settings: Settings, found: Wait | None, patience: float) -> DatabaseError:
    again = f"Then run 'stc --db {settings.db} db upgrade' again; nothing was changed."
    if found is None:
        return DatabaseError(
            f"other sessions held what must change for {patience:.0f} s", hint=f"Let them end. {again}", sqlstate="55P03"
        )
    return DatabaseError(
        f"the upgrade waited {patience:.0f} s for {found.what}, held by {found.whom}",
        hint=f"{found.way_on}. {again}",
        sqlstate="55P03",
    )


class _Holder:
    """Looks, while an attempt is made, for the session that is in its way; a context manager.

    :ivar found: the last one seen.
    """

    def __init__(self, settings: Settings, conn: psycopg.Connection) -> None:
        self._settings = settings
        self._pid = conn.info.backend_pid
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, name="stc-upgrade-holder", daemon=True)
        self.found: Wait | None = None

    def __enter__(self) -> _Holder:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        if self._done.wait(0.2):  # nothing is in the way of most upgrades, nor a second connection needed
            return
        # It tells who, no more: without it (no connection left) the attempt's own error stands.
        with suppress(psycopg.Error, DatabaseError), connect(self._settings, autocommit=True, check=False) as own:
            while not self._done.wait(0.1):
                self.found = next(iter(waits(own, pids=[self._pid])), self.found)

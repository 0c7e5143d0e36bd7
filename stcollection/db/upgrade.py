"""Upgrade a database to this version: Alembic's revisions for the tables, then sql/, then the roles, in one transaction.

The versions of server and extensions, and foreign objects with conflicting names, are checked before anything changes. Readers
continue during the upgrade. If a reader or a load holds a lock that the upgrade needs, it waits only briefly, because later
sessions would queue behind it; then it rolls back and tries again.
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

# Maximum wait for a lock: less than deadlock_timeout, so that in a deadlock with a reader the upgrade gives way.
_TURN = "800ms"
_PAUSES = (0.5, 3.0)  # random seconds between two attempts, in which sessions queued behind it can finish
PATIENCE = 60.0  # total seconds of attempts
# Errors caused by another session: it holds a lock, or has just created the same objects (two upgrades of an empty database).
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
    """The result of an upgrade.

    :param objects: number of applied or removed files of sql/.
    :param roles: a sentence on why the roles are missing; None if they exist.
    :param notes: notes for the user: rows that cannot be repaired, remaining rights of PUBLIC, known defects, extensions to
        request.
    :param repairs: a sentence for each kind of repaired row that violated a new rule.
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
    """Upgrade the collection to this version, in one transaction.

    :param force: replace every function and view, to undo manual changes.
    :param restrict: revoke the rights of PUBLIC on the database and its schema public, even if stcollection did not create it.
    :param patience: seconds to keep trying while other sessions hold locks.
    :param tell: called with the session that holds a lock, before another attempt.
    :param dry_run: called with each statement; all are rolled back.
    :raises StateError: PostgreSQL or pgvector is missing or too old, foreign objects have conflicting names, the database is newer
        than this version, or an object of the user depends on one that must change.
    :raises DatabaseError: another session held a lock all the time; the message names it.
    """
    conn = connect(settings, check=False)
    # SQLAlchemy manages the transaction that Alembic and sync share; disposing its engine closes our connection.
    engine = create_engine("postgresql+psycopg://", creator=lambda: conn)
    deadline = time.monotonic() + patience
    reported: int | None = None
    if dry_run is not None:
        dryrun.record(conn, dry_run)
    try:
        while True:
            with _Holder(settings, conn) as holder:
                try:
                    return _attempt(engine, conn, settings, force=force, restrict=restrict, dry=dry_run is not None)
                except dryrun.Undone as done:
                    return cast("Step", done.result)
                except DBAPIError as error:  # raised by a revision
                    refused = error.orig
                except psycopg.Error as error:
                    refused = error
            if not isinstance(refused, _AGAIN):
                assert refused is not None  # noqa: S101
                raise refused
            if time.monotonic() > deadline:
                raise _blocked(settings, holder.found, patience) from refused
            if tell is not None and holder.found is not None and holder.found.holder != reported:
                reported = holder.found.holder
                tell(f"waiting for {holder.found.what}, held by {holder.found.whom}")
            time.sleep(random.uniform(*_PAUSES))  # noqa: S311
    finally:
        engine.dispose()
        conn.close()


def _attempt(engine: Engine, conn: psycopg.Connection, settings: Settings, *, force: bool, restrict: bool, dry: bool) -> Step:
    with engine.begin() as connection:
        # Do not use the search path of the role or the database.
        conn.execute("SET LOCAL search_path = public, pg_temp")
        conn.execute("SELECT set_config('lock_timeout', %s, true), set_config('stc.restrict', %s, true)", [_TURN, _ON[restrict]])
        # Serialise upgrades, also with the creation of runs (sql/runs/claim_run.sql). Only owners can take this lock.
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
    """Collect the WARNINGs of revisions: rows that they cannot repair."""
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
    found = [str(one) for one in versions.defects(conn)]
    found += versions.requests(conn)
    if (may := open_to_all(conn)) is not None:
        found.append(
            f"{may} in {settings.db!r}, which stcollection did not create:"
            f" 'stc --db {settings.db} db upgrade --restrict' revokes these rights"
        )
    return found


def _blocked(settings: Settings, found: Wait | None, patience: float) -> DatabaseError:
    again = f"Then run 'stc --db {settings.db} db upgrade' again. Nothing was changed."
    if found is None:
        return DatabaseError(
            f"other sessions held locks on its objects for {patience:.0f} s", hint=f"Wait for them. {again}", sqlstate="55P03"
        )
    return DatabaseError(
        f"the upgrade waited {patience:.0f} s for {found.what}, held by {found.whom}",
        hint=f"{found.way_on}. {again}",
        sqlstate="55P03",
    )


class _Holder:
    """Context manager that looks for the session blocking an attempt.

    :ivar found: the last blocking session.
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
        if self._done.wait(0.2):  # most upgrades are not blocked and need no second connection
            return
        # Only informational: if no connection is available, the attempt still raises its error.
        with suppress(psycopg.Error, DatabaseError), connect(self._settings, autocommit=True, check=False) as own:
            while not self._done.wait(0.1):
                self.found = next(iter(waits(own, pids=[self._pid])), self.found)

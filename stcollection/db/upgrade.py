"""Upgrade a database to this version: Alembic's revisions for the tables, then sql/, then the roles, in one transaction.

Checks and indexes of large tables follow after this transaction (:mod:`stcollection.db.online`), in statements that do not block
readers. If the upgrade is interrupted there, the collection works, and the next upgrade adds what is missing.

The versions of server and extensions, and foreign objects with conflicting names, are checked before anything changes. Readers
continue during the upgrade. If a reader or a load holds a lock that the upgrade needs, it waits only briefly, because later
sessions would queue behind it; then it rolls back and tries again.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar, cast

import psycopg
from alembic import command
from psycopg import sql
from sqlalchemy import Engine, create_engine
from sqlalchemy.exc import DBAPIError

from stcollection.counts import counted, first_of
from stcollection.db import adoption, catalogue, collisions, dryrun, online, plan, rules, studies, versions
from stcollection.db.check import code_problems
from stcollection.db.connection import connect
from stcollection.db.distribution import EXPECTED_DRIFT, state
from stcollection.db.left_out import OmittedObjects
from stcollection.db.objects import ALL_ROWS, Applied, SqlFile, changes, is_apart, read, registered, replace_functions, sync
from stcollection.db.roles import close_new, ensure_roles, names, open_to_all
from stcollection.db.settings import Settings
from stcollection.db.step import check_upgradable, configuration, head, oldest, revision
from stcollection.db.waits import Wait, waits
from stcollection.errors import DatabaseError, StateError, translate

# Maximum wait for a lock: less than deadlock_timeout, so that in a deadlock with a reader the upgrade gives way.
_TURN = "800ms"
_ALL = "400ms"  # maximum wait for all locks of pending revisions together
_ALL_SHARDS = "1500ms"  # the same if each lock is also taken on the shards of several servers
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
NOTHING_CHANGED = "Nothing was changed."
UNFINISHED = "The collection has the new version and can be used; some checks and indexes are missing."

_NAMED = 5  # maximum number of objects in a note

Tell = Callable[[str], None]
T = TypeVar("T")


@dataclass(frozen=True)
class Step:
    """The result of an upgrade.

    :param objects: number of applied or removed files of sql/.
    :param roles: a sentence on why the roles are missing; None if they exist.
    :param notes: notes for the user: rows that cannot be repaired, remaining rights of PUBLIC, known defects, extensions to
        request.
    :param repairs: a sentence for each kind of repaired row that violated a new rule.
    :param code: a sentence for each function of the collection that someone replaced, or that shares its name with another.
    """

    before: str | None
    after: str
    objects: int
    roles: str | None = None
    notes: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    code: tuple[str, ...] = ()


@translate()
def upgrade(
    settings: Settings,
    *,
    force: bool = False,
    restrict: bool = False,
    adopt: bool = False,
    patience: float = PATIENCE,
    tell: Tell | None = None,
    dry_run: Tell | None = None,
) -> Step:
    """Upgrade the collection to this version: in one transaction, except checks and indexes of large tables, which follow it.

    :param force: replace every function and view, to undo manual changes.
    :param restrict: revoke the rights of PUBLIC on the database and its schema public, even if stcollection did not create it.
    :param adopt: install a collection in a database that contains objects of others.
    :param patience: seconds to keep trying while other sessions hold locks.
    :param tell: called with the session that holds a lock, before another attempt.
    :param dry_run: called with each statement; all are rolled back.
    :raises StateError: the database is not a collection and not empty; PostgreSQL or pgvector is missing or too old, foreign
        objects have conflicting names, the database is newer than this version, or an object of the user depends on one that must
        change.
    :raises DatabaseError: another session held a lock all the time; the message names it and says what is done.
    """
    conn = connect(settings, check=False)
    # SQLAlchemy manages the transaction that Alembic and sync share; disposing its engine closes our connection.
    engine = create_engine("postgresql+psycopg://", creator=lambda: conn)
    if dry_run is not None:
        dryrun.record(conn, dry_run)
    attempts = _Attempts(settings, conn, patience, tell)
    try:
        step = attempts.of(
            lambda: _attempt(engine, conn, settings, attempts, force=force, restrict=restrict, adopt=adopt, dry=dry_run),
            left=NOTHING_CHANGED,
        )
        return _online(conn, settings, step, attempts)
    except dryrun.Undone as undone:
        return cast("Step", undone.result)
    finally:
        engine.dispose()
        conn.close()


@dataclass
class _Attempts:
    """Repeat statements that wait for the locks of other sessions: each waits briefly, then lets others through.

    :param conn: the session that waits. :param patience: total seconds of attempts for one lock.
    """

    settings: Settings
    conn: psycopg.Connection
    patience: float
    tell: Tell | None
    reported: int | None = None

    def of(self, attempt: Callable[[], T], *, left: str) -> T:
        """Call ``attempt`` until no other session is in its way. :param left: what an error says about the collection's state."""
        deadline = time.monotonic() + self.patience
        while True:
            with _Holder(self.settings, self.conn) as holder:
                try:
                    return attempt()
                except DBAPIError as error:  # raised by a revision
                    refused = error.orig
                except psycopg.Error as error:
                    refused = error
            if not isinstance(refused, _AGAIN):
                assert refused is not None  # noqa: S101
                raise refused
            if time.monotonic() > deadline:
                raise _blocked(self.settings, holder.wait, self.patience, left) from refused
            if self.tell is not None and holder.wait is not None and holder.wait.holder != self.reported:
                self.reported = holder.wait.holder
                self.tell(f"waiting for {holder.wait.what}, held by {holder.wait.whom}")
            time.sleep(random.uniform(*_PAUSES))  # noqa: S311


def _attempt(
    engine: Engine,
    conn: psycopg.Connection,
    settings: Settings,
    attempts: _Attempts,
    *,
    force: bool,
    restrict: bool,
    adopt: bool,
    dry: Tell | None,
) -> Step:
    with engine.begin() as connection:
        # Do not use the search path of the role or the database.
        conn.execute("SET LOCAL search_path = public, pg_temp")
        conn.execute("SELECT set_config('lock_timeout', %s, true), set_config('stc.restrict', %s, true)", [_TURN, _ON[restrict]])
        # Serialise upgrades, also with the creation of runs (sql/runs/claim_run.sql). Only owners can take this lock.
        if revision(conn) is not None:
            conn.execute("LOCK TABLE public.stc_objects IN EXCLUSIVE MODE")
            if conn.execute("SELECT to_regclass('stc.removals') IS NOT NULL").fetchone() == (True,):
                conn.execute("LOCK TABLE stc.removals IN SHARE MODE")
        before = revision(conn)
        had = adoption.describe_before(conn) if before is None else None
        if had is not None and not adopt:
            adoption.check_unused(conn, settings.db)
        check_upgradable(before, settings.db)
        studies.check_upgradable(studies.recorded(conn), settings.db)
        _check_finished(conn, before, settings.db)
        left_out = OmittedObjects(conn)
        left_out.prepare(dry=dry is not None)
        versions.check_database(conn)
        files = read(distributed=left_out.distributed)
        collisions.check(conn, files, db=settings.db)
        stored_studies = studies.recorded(conn)
        in_step = before == head() and studies.in_step(stored_studies) and stored_studies.keys() >= studies.installed()
        work = force or not in_step or changes(conn, files) != ([], [])
        stored = catalogue.snapshot(conn) if work else {}
        config = configuration()
        config.attributes["connection"] = connection
        existing = names(conn)
        with _warnings(conn) as warned:
            applied = _before_locks(conn, attempts, before, files, force=force)
            left_out.hear(connection)
            with left_out.refusing():
                config.attributes["fresh"] = before is None
                command.upgrade(config, "head")
                study_notes = studies.upgrade(connection, conn)
        with left_out.refusing():
            objects = sync(conn, files, applied=applied, left_out=left_out)
        conn.execute(f"SET LOCAL search_path = {ALL_ROWS}".encode())
        conn.execute("SELECT stc.copy_views(), stc.copy_editions()")
        if dry is not None:
            dryrun.hear(conn)
        if before is None or dry is not None:
            conn.execute("SELECT stc.copy_comments()")
        if had is not None:
            adoption.record(conn, had)
        if restrict:
            adoption.record_restriction(conn)
        roles = ensure_roles(conn)
        if work:
            close_new(conn, existing)
        if before is None:
            online.create(conn, head())
            conn.execute("CALL stc.compute_text('english', 'split')")  # no rows yet
        if work or catalogue.outdated(conn):
            catalogue.record(conn, stored, rights=force, keep=EXPECTED_DRIFT if left_out.tables else ())
            left_out.record_keys()
        notes = [*warned, *study_notes]
        if work and before is not None:
            owed = adoption.set_search_effort(conn)
            notes += [f"plain SQL searches vector indexes less precisely until the database's owner runs: {line}" for line in owed]
        repairs = tuple(config.attributes.get("repairs", ()))
        step = Step(before, head(), objects, roles, tuple(notes), repairs)
        if dry is not None:
            conn.execute(f"SET LOCAL search_path = {ALL_ROWS}".encode())
            for missing in online.steps(conn, online.pending(conn, head())):
                for statement in missing.statements:
                    dry(f"{statement.strip()};")
            raise dryrun.Undone(_report(conn, settings, step, code=False))
        return step


def _report(conn: psycopg.Connection, settings: Settings, step: Step, *, code: bool) -> Step:
    """Return the step with what reading shows, for which no reader needs to wait. :param code: also look for replaced functions."""
    notes = [*step.notes, *_notes(conn, settings)]
    if step.before is not None and step.before < "0037":  # later restores give no role with rights any code
        notes += _foreign_code(conn)
    replaced = code_problems(conn) if code and step.before else []
    return replace(step, notes=tuple(notes), code=tuple(f"{row.problem}: {row.relation}. {row.advice}" for row in replaced))


def _check_finished(conn: psycopg.Connection, before: str | None, db: str) -> None:
    """Check that the rows of a collection of version 0.2 were compared with the rules of that version.

    :raises StateError: its upgrade from 0.1 was interrupted. Nothing was changed.
    """
    if before == oldest() and (checks := online.pending(conn, before).checks):
        raise StateError(
            f"{db!r} lacks {counted(len(checks), 'check')} of version 0.2, such as {checks[0].name}: an upgrade did not finish",
            hint=f"Finish it with version 0.2: pip install stcollection==0.2.0, then 'stc --db {db} db upgrade'. Then install this"
            " version again and run the same command. Nothing was changed.",
        )


def _before_locks(
    conn: psycopg.Connection, attempts: _Attempts, before: str | None, files: Sequence[SqlFile], *, force: bool
) -> Applied:
    """Replace functions, which takes most of the time; then lock the tables of pending revisions, all at once.

    A reader that holds one table and waits for another one would stop an upgrade that locks the second table first. Partitioned
    tables are locked before their partitions, as readers do. If a revision has moved rows before, which can take longer than all
    attempts, only the locks are tried again.

    :returns: the files that were applied.
    """
    if before is None:
        return Applied()
    if force:
        kept = [path for path in registered(conn) if is_apart(path)]
        conn.execute("UPDATE public.stc_objects SET fingerprint = '' WHERE file <> ALL (%s)", [kept])
    early = plan.early(before)
    for statement in early:
        conn.execute(statement.encode())
    applied = replace_functions(conn, files)
    if relations := plan.locked(conn, before):
        lock = partial(_lock, conn, relations)
        if early:
            attempts.of(lock, left=NOTHING_CHANGED)
        else:
            lock()
    return applied


def _lock(conn: psycopg.Connection, relations: Sequence[str]) -> None:
    """Lock relations one after another, and give up when that takes too long in total: others wait for the first ones meanwhile.

    One LOCK TABLE with all of them would not keep the order: Citus locks distributed tables before the others of a statement.
    """
    limit = _ALL if state(conn) is None else _ALL_SHARDS
    try:
        with conn.transaction():  # a savepoint
            limits = conn.execute("SELECT current_setting('statement_timeout'), set_config('statement_timeout', %s, true)", [limit])
            row = limits.fetchone()
            locks = " ".join(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE;" for table in relations)
            conn.execute(f"DO $$ BEGIN {locks} END $$".encode())  # one statement, for the time limit
            conn.execute("SELECT set_config('statement_timeout', %s, true)", [row[0] if row else "0"])
    except psycopg.errors.QueryCanceled as error:
        raise psycopg.errors.LockNotAvailable(str(error)) from error


def _online(conn: psycopg.Connection, settings: Settings, step: Step, attempts: _Attempts) -> Step:
    """Add the checks and indexes that are missing, one statement at a time. :returns: the step with further notes and repairs."""
    conn.autocommit = True
    conn.execute(f"SET search_path = {ALL_ROWS}".encode())
    attempts.of(partial(_brief, conn, "SELECT stc.copy_comments()"), left=UNFINISHED)
    step = _report(conn, settings, step, code=True)
    [(lost,)] = attempts.of(lambda: conn.execute("SELECT cardinality(stc.verify_text_index())").fetchall(), left=UNFINISHED)
    if lost:
        note = f"the BM25 index did not find {counted(lost, 'document')}: BM25 raises an error until 'stc index' has rebuilt it"
        step = replace(step, notes=(*step.notes, note))
    if not online.pending(conn, head()) and not online.unrecorded(conn):
        return step
    repairs: list[str] = []
    with connect(settings, check=False) as own, _warnings(conn) as warned:
        replace(attempts, conn=own).of(lambda: _take_turn(own), left=UNFINISHED)
        for missing in online.steps(conn, online.pending(conn, head())):
            if attempts.tell is not None and missing.bytes > online.SMALL:
                attempts.tell(missing.sentence)
            again = partial(attempts.of, partial(_execute, conn, missing, attempts.patience), left=UNFINISHED)
            try:
                again()
            except psycopg.errors.CheckViolation:
                repairs += attempts.of(lambda: _repair(conn), left=UNFINISHED)
                again()
        attempts.of(lambda: _record(conn), left=UNFINISHED)
        return replace(step, notes=(*step.notes, *warned), repairs=(*step.repairs, *repairs))


def _take_turn(own: psycopg.Connection) -> None:
    """Wait for another upgrade that adds checks and indexes. Only owners can take this lock, and nobody else needs it."""
    own.rollback()
    own.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
    own.execute("SELECT set_config('lock_timeout', %s, true)", [_TURN])
    own.execute("LOCK TABLE public.stc_catalogue IN SHARE UPDATE EXCLUSIVE MODE")


def _execute(conn: psycopg.Connection, step: online.OnlineStep, patience: float) -> None:
    if step.concurrent:  # nobody queues behind it, and an attempt that gives up must start from the beginning
        conn.execute("SELECT set_config('lock_timeout', %s, false)", [f"{max(1, round(patience * 1000))}ms"])
        for statement in step.statements:
            conn.execute(statement.encode())
        return
    _brief(conn, *step.statements)


@contextmanager
def _turn(conn: psycopg.Connection) -> Iterator[None]:
    """A transaction that waits for a lock only briefly."""
    with conn.transaction():
        conn.execute("SELECT set_config('lock_timeout', %s, true)", [_TURN])
        yield


def _brief(conn: psycopg.Connection, *statements: str) -> None:
    with _turn(conn):
        for statement in statements:
            conn.execute(statement.encode())


def _repair(conn: psycopg.Connection) -> list[str]:
    with _turn(conn):
        return rules.repair(conn)


def _record(conn: psycopg.Connection) -> None:
    with conn.transaction():
        catalogue.record(conn, online.recorded(catalogue.snapshot(conn), catalogue.stored(conn)))


@contextmanager
def _warnings(conn: psycopg.Connection) -> Iterator[list[str]]:
    """Collect the WARNINGs of revisions: rows that they cannot repair."""
    warned: list[str] = []

    def hear(notice: psycopg.errors.Diagnostic) -> None:
        if notice.severity_nonlocalized == "WARNING":
            warned.append(notice.message_primary or "")

    conn.execute("SELECT set_config('client_min_messages', 'warning', false)")
    conn.add_notice_handler(hear)
    try:
        yield warned
    finally:
        conn.remove_notice_handler(hear)


def _notes(conn: psycopg.Connection, settings: Settings) -> list[str]:
    notes = [str(defect) for defect in versions.defects(conn)]
    notes += versions.requests(conn)
    if (may := open_to_all(conn)) is not None:
        notes.append(
            f"{may} in {settings.db!r}, which stcollection did not create:"
            f" 'stc --db {settings.db} db upgrade --restrict' revokes these rights"
        )
    return notes


def _foreign_code(conn: psycopg.Connection) -> Iterator[str]:
    """Name code that a role with rights owns and stcollection did not create: an earlier restore may have brought it."""
    for schema, owner, objects in conn.execute("SELECT schema, owner, objects FROM stc.foreign_code()").fetchall():
        dropped = f"DROP SCHEMA {sql.Identifier(schema).as_string(conn)} CASCADE"
        remove = "drop these objects" if schema in ("public", "stc") else dropped
        yield (
            f"the schema {schema} has code of {owner} that stcollection did not create: {first_of(objects, _NAMED)}."
            f" Autovacuum runs functions of indexes with the rights of {owner}. If {owner} did not write this code, as after a"
            f" restore --with-schemas by an earlier version, remove it: {remove}"
        )


def _blocked(settings: Settings, wait: Wait | None, patience: float, left: str) -> DatabaseError:
    again = f"Then run 'stc --db {settings.db} db upgrade' again. {left}"
    if wait is None:
        return DatabaseError(
            f"other sessions held locks on its objects for {patience:.0f} s", hint=f"Wait for them. {again}", sqlstate="55P03"
        )
    return DatabaseError(
        f"the upgrade waited {patience:.0f} s for {wait.what}, held by {wait.whom}",
        hint=f"{wait.way_on}. {again}",
        sqlstate="55P03",
    )


class _Holder:
    """Context manager that looks for the session blocking an attempt.

    :ivar wait: the last blocking session.
    """

    def __init__(self, settings: Settings, conn: psycopg.Connection) -> None:
        self._settings = settings
        self._pid = conn.info.backend_pid
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._look, name="stc-upgrade-holder", daemon=True)
        self.wait: Wait | None = None

    def __enter__(self) -> _Holder:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _look(self) -> None:
        if self._stopped.wait(0.2):  # most upgrades are not blocked and need no second connection
            return
        # Only informational: if no connection is available, the attempt still raises its error.
        with suppress(psycopg.Error, DatabaseError), connect(self._settings, autocommit=True, check=False) as own:
            while not self._stopped.wait(0.1):
                self.wait = next(iter(waits(own, pids=[self._pid])), self.wait)

"""What an upgrade would do: its revisions, the files of sql/, checks and indexes, with locks and estimated times.

A revision declares its locks in ``LOCKS``, mode by table, without those of tables that it creates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from types import ModuleType
from typing import cast

import psycopg
from alembic.script import ScriptDirectory

from stcollection import plugins
from stcollection.counts import counted
from stcollection.db import online, studies, versions
from stcollection.db.connection import connect
from stcollection.db.left_out import OmittedObjects
from stcollection.db.objects import ALL_ROWS, changes, read
from stcollection.db.settings import Settings
from stcollection.db.step import check_upgradable, configuration, head, revision, revisions
from stcollection.errors import translate

# Lock modes, weakest first. ACCESS EXCLUSIVE is the only one that blocks readers.
MODES = ("ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE ROW EXCLUSIVE", "EXCLUSIVE",
         "ACCESS EXCLUSIVE")  # fmt: skip
ACCESS_EXCLUSIVE = MODES[-1]

# Seconds of the transaction: functions, for which readers do not wait, and the rest. Then rough seconds per million rows. On
# 2 cores an upgrade with 2,000,000 rankings and 2,000,000 judgments took 9.3 s (python -m benchmarks upgrade).
FUNCTIONS_SECONDS, TABLES_SECONDS = 1.0, 0.5
_SMALL_ROWS = 10_000  # the plan summarises checks and indexes of smaller tables
_PER_MILLION = {"validate": 0.8, "build": 1.2}
_STAGES = {
    "revision": "in one transaction, tables:",
    "sql": "in the same transaction, functions and views:",
    "online": "after the transaction, one at a time (readers continue):",
}


@dataclass(frozen=True)
class TableLock:
    """A lock of a step. :param rows: estimated rows of the table."""

    table: str
    mode: str
    rows: int = 0


@dataclass(frozen=True)
class PlanStep:
    """A step of an upgrade.

    :param stage: revision, sql or online. :param what: for the user. :param locks: on tables and views that exist.
    :param seconds: estimated duration. :param blocking: estimated seconds in which readers wait.
    """

    stage: str
    what: str
    locks: tuple[TableLock, ...]
    seconds: float
    blocking: float = 0.0


@translate()
def plan(settings: Settings) -> list[PlanStep]:
    """Return the steps of an upgrade to this version, in order. Changes nothing and takes no lock that blocks others.

    :raises StateError: the database was made by a newer version, or PostgreSQL or pgvector is too old.
    """
    with connect(settings, check=False) as conn:
        conn.execute("SET TRANSACTION READ ONLY")
        conn.execute(f"SET LOCAL search_path = {ALL_ROWS}".encode())
        before = revision(conn)
        if before is None:
            return [PlanStep("revision", f"create the tables (revision {head()})", (), 2.0)]
        check_upgradable(before, settings.db)
        versions.check_database(conn)
        rows = {table.rpartition(".")[2]: count for table, (count, _) in online.sizes(conn).items()}
        return [*_revisions(before, rows), *_studies(conn), *_files(conn, before, rows), *_online(conn, rows)]


def format_plan(steps: Sequence[PlanStep], *, db: str) -> Iterator[str]:
    """Yield the plan as text: each step with its locks, strongest first, then the totals."""
    if not steps:
        yield f"{db!r} is up to date"
        return
    stage = ""
    small: dict[str, None] = {}
    for step in steps:
        if step.stage != stage:
            stage = step.stage
            yield _STAGES[stage]
        if stage == "online" and sum(lock.rows for lock in step.locks) < _SMALL_ROWS:
            small |= dict.fromkeys(lock.table for lock in step.locks)
            continue
        yield f"  {step.what}" + (f", about {step.seconds:.1f} s" if stage == "online" else "")
        yield from _locks_of(step.locks)
    if small:
        yield f"  adding, validating and building those of {counted(len(small), 'small table')}"
        yield from _locks_of([TableLock(table, ACCESS_EXCLUSIVE) for table in sorted(small)])
    transaction = [step for step in steps if step.stage != "online"]
    after = sum(step.seconds for step in steps if step.stage == "online")
    yield (
        f"estimated: {sum(step.seconds for step in transaction):.1f} s in one transaction (readers wait for"
        f" {sum(step.blocking for step in transaction):.1f} s of it), then {after:.1f} s for checks and indexes"
    )


def _locks_of(table_locks: Sequence[TableLock]) -> Iterator[str]:
    for mode in reversed(MODES):
        tables = [f"{lock.table} ({lock.rows:,})" if lock.rows else lock.table for lock in table_locks if lock.mode == mode]
        if tables:
            yield from wrap(f"{mode}: {', '.join(tables)}", 118, initial_indent="    ", subsequent_indent="      ")


def _revisions(before: str, rows: Mapping[str, int]) -> Iterator[PlanStep]:
    for number, module in _pending(before):
        title = (module.__doc__ or "").strip().splitlines()[0]
        table_locks = tuple(TableLock(table, mode, rows[table]) for table, mode in sorted(locks(number).items()) if table in rows)
        yield PlanStep("revision", f"{number}: {title}", table_locks, 0.05, 0.05 if _blocks(table_locks) else 0.0)


def _studies(conn: psycopg.Connection) -> Iterator[PlanStep]:
    stored = studies.recorded(conn)
    for study in plugins.studies():
        for number, _ in studies.lacking(study, stored):
            yield PlanStep("revision", f"{study.name} {number}: tables of the study", (), 0.05)


def _files(conn: psycopg.Connection, before: str, rows: Mapping[str, int]) -> Iterator[PlanStep]:
    changed, gone = changes(conn, read(distributed=OmittedObjects(conn).distributed))
    if not changed and not gone:
        return
    views = {obj.split()[1].rpartition(".")[2] for file in changed for obj in file.creates if obj.startswith("view")}
    triggers = {obj.rpartition(" ")[2] for file in changed for obj in file.creates if obj.startswith("trigger")}
    needed = [TableLock(view, ACCESS_EXCLUSIVE) for view in sorted(views & _there(conn))]
    needed += [TableLock(table, "SHARE ROW EXCLUSIVE", rows[table]) for table in sorted(triggers & rows.keys())]
    share = min(1.0, len(changed) / 500)
    count = f"{counted(len(changed), 'changed file')} of sql/" + (f", {len(gone)} removed" if gone else "")
    blocking = TABLES_SECONDS if before != head() else max(0.05, TABLES_SECONDS * share)
    yield PlanStep("sql", count, tuple(needed), max(0.1, FUNCTIONS_SECONDS * share) + blocking, blocking if needed else 0.0)


def _online(conn: psycopg.Connection, rows: Mapping[str, int]) -> Iterator[PlanStep]:
    for step in online.steps(conn, online.pending(conn, head())):
        table = step.table.rpartition(".")[2]
        seconds = 0.02 + (_PER_MILLION.get(step.what, 0.0) * step.rows / 1e6 if step.lock != "SHARE" else 0.0)
        yield PlanStep(
            "online",
            step.sentence,
            (TableLock(table, step.lock, step.rows or rows.get(table, 0)),),
            seconds,
            0.02 if step.lock == ACCESS_EXCLUSIVE else 0.0,
        )


def _there(conn: psycopg.Connection) -> set[str]:
    rows = conn.execute(
        "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname IN ('public', 'stc') AND c.relkind = 'v'"
    ).fetchall()
    return {name for (name,) in rows}


def _blocks(table_locks: tuple[TableLock, ...]) -> bool:
    return any(lock.mode == ACCESS_EXCLUSIVE for lock in table_locks)


def _pending(before: str) -> list[tuple[str, ModuleType]]:
    scripts = ScriptDirectory.from_config(configuration())
    pairs = [(number, scripts.get_revision(number)) for number, _ in reversed(revisions()) if number > before]
    return [(number, cast("ModuleType", script.module)) for number, script in pairs if script is not None]


def locks(number: str) -> dict[str, str]:
    """Return the tables that a revision locks, with the strongest mode."""
    return dict(getattr(dict(_pending(""))[number], "LOCKS", {}))


def early(before: str) -> list[str]:
    """Return statements of pending revisions that an upgrade executes before it locks tables."""
    return [statement for _, module in _pending(before) for statement in getattr(module, "EARLY", ())]


_LOCKED = """
SELECT format('%%I.%%I', n.nspname, c.relname)
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname IN ('public', 'stc', 'stc_all') AND NOT c.relispartition
   AND (c.relkind IN ('r', 'p') AND c.relname = ANY (%(tables)s) OR c.relkind = 'v' AND c.relname = ANY (%(views)s))
 ORDER BY c.relkind <> 'v', n.nspname <> 'stc', c.relname
"""


def locked(conn: psycopg.Connection, before: str) -> list[str]:
    """Return the relations that pending revisions lock against readers, in the order in which readers lock them.

    Views come first, then the tables of schema stc: a search reads the state of its index before it reads documents.
    """
    tables: set[str] = set()
    views: set[str] = set()
    for number, module in _pending(before):
        tables |= {table for table, mode in locks(number).items() if mode == ACCESS_EXCLUSIVE}
        if getattr(module, "LOCKS_VIEWS", False):
            rows = conn.execute("SELECT unnest(creates) FROM public.stc_objects").fetchall()
            views |= {obj.split()[1].rpartition(".")[2] for (obj,) in rows if obj.startswith("view")}
    relations = conn.execute(_LOCKED, {"tables": sorted(tables), "views": sorted(views)}).fetchall()
    return [name for (name,) in relations]

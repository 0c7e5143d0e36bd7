"""What an upgrade would do: its revisions, the files of sql/, checks and indexes, with locks and estimated times.

Locks are read from the SQL that Alembic prints for a revision (offline mode). A revision declares those of its DO blocks in
``LOCKS``.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from types import ModuleType
from typing import cast

import psycopg
from alembic import command
from alembic.script import ScriptDirectory

from stcollection.counts import counted
from stcollection.db import created, online, versions
from stcollection.db.connection import connect
from stcollection.db.objects import ALL_ROWS, changes, read
from stcollection.db.settings import Settings
from stcollection.db.step import check_upgradable, configuration, head, revision, revisions
from stcollection.errors import StateError, translate

# Lock modes, weakest first. ACCESS EXCLUSIVE is the only one that blocks readers.
MODES = ("ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE ROW EXCLUSIVE", "EXCLUSIVE",
         "ACCESS EXCLUSIVE")  # fmt: skip
ACCESS_EXCLUSIVE = MODES[-1]
_NAME = r"(?:ONLY\s+)?(?:IF\s+EXISTS\s+)?(?:(?:public|stc|stc_all)\.)?\"?(\w+)\"?"
# The first pattern that matches a statement tells the lock on the table that it names.
_LOCKS = tuple(
    (re.compile(pattern.replace("<name>", _NAME), re.IGNORECASE), mode)
    for pattern, mode in (
        (r"ALTER\s+TABLE\s+<name>\s+VALIDATE\b", "SHARE UPDATE EXCLUSIVE"),
        (r"ALTER\s+TABLE\s+<name>\s+(?:DISABLE|ENABLE)\s+TRIGGER\b", "SHARE ROW EXCLUSIVE"),
        (r"ALTER\s+TABLE\s+<name>", ACCESS_EXCLUSIVE),
        (r"DROP\s+TABLE\s+<name>", ACCESS_EXCLUSIVE),
        (r"CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+\w+\s+ON\s+<name>", "SHARE UPDATE EXCLUSIVE"),
        (r"CREATE\s+(?:UNIQUE\s+)?INDEX\s+\w+\s+ON\s+<name>", "SHARE"),
        (r"CREATE\s+(?:OR\s+REPLACE\s+)?TRIGGER\s+\w+\s.*?\sON\s+<name>", "SHARE ROW EXCLUSIVE"),
        (r"COMMENT\s+ON\s+TABLE\s+<name>", "SHARE UPDATE EXCLUSIVE"),
        (r"COMMENT\s+ON\s+COLUMN\s+<name>\.\"?\w+\"?\s", "SHARE UPDATE EXCLUSIVE"),
        (r"(?:UPDATE|DELETE\s+FROM|INSERT\s+INTO|WITH\b.*?\bUPDATE)\s+<name>", "ROW EXCLUSIVE"),
        (r"LOCK\s+TABLE\s+<name>", ACCESS_EXCLUSIVE),
    )
)
_REFERENCES = re.compile(r"REFERENCES\s+(?:(?:public|stc|stc_all)\.)?(\w+)", re.IGNORECASE)
_TRUNCATE = re.compile(r"TRUNCATE\s+(?:TABLE\s+)?([\w., ]+)", re.IGNORECASE)
_DROP_INDEX = re.compile(r"DROP\s+INDEX\s+(?:\w+\.)?(\w+)", re.IGNORECASE)

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
        return [*_revisions(before, rows), *_files(conn, before, rows), *_online(conn, rows)]


def lines(steps: Sequence[PlanStep], *, db: str) -> Iterator[str]:
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
        if stage == "online" and sum(one.rows for one in step.locks) < _SMALL_ROWS:
            small |= dict.fromkeys(one.table for one in step.locks)
            continue
        yield f"  {step.what}" + (f", about {step.seconds:.1f} s" if stage == "online" else "")
        yield from _locks_of(step.locks)
    if small:
        yield f"  adding, validating and building those of {counted(len(small), 'small table')}"
        yield from _locks_of([TableLock(one, ACCESS_EXCLUSIVE) for one in sorted(small)])
    transaction = [one for one in steps if one.stage != "online"]
    after = sum(one.seconds for one in steps if one.stage == "online")
    yield (
        f"estimated: {sum(one.seconds for one in transaction):.1f} s in one transaction (readers wait for"
        f" {sum(one.blocking for one in transaction):.1f} s of it), then {after:.1f} s for checks and indexes"
    )


def _locks_of(found: Sequence[TableLock]) -> Iterator[str]:
    for mode in reversed(MODES):
        tables = [f"{one.table} ({one.rows:,})" if one.rows else one.table for one in found if one.mode == mode]
        if tables:
            yield from wrap(f"{mode}: {', '.join(tables)}", 118, initial_indent="    ", subsequent_indent="      ")


def _revisions(before: str, rows: Mapping[str, int]) -> Iterator[PlanStep]:
    for number, module in _pending(before):
        title = (module.__doc__ or "").strip().splitlines()[0]
        found = tuple(
            TableLock(one, mode, rows[one])
            for one, mode in sorted(locks(number).items())
            if one in rows and one != "alembic_version"
        )
        yield PlanStep("revision", f"{number}: {title}", found, 0.05, 0.05 if _blocks(found) else 0.0)


def _files(conn: psycopg.Connection, before: str, rows: Mapping[str, int]) -> Iterator[PlanStep]:
    changed, gone = changes(conn, read())
    if not changed and not gone:
        return
    views = {one.split()[1].rpartition(".")[2] for file in changed for one in file.creates if one.startswith("view")}
    triggers = {one.rpartition(" ")[2] for file in changed for one in file.creates if one.startswith("trigger")}
    found = [TableLock(one, ACCESS_EXCLUSIVE) for one in sorted(views & _there(conn))]
    found += [TableLock(one, "SHARE ROW EXCLUSIVE", rows[one]) for one in sorted(triggers & rows.keys())]
    share = min(1.0, len(changed) / 500)
    count = f"{counted(len(changed), 'changed file')} of sql/" + (f", {len(gone)} removed" if gone else "")
    blocking = TABLES_SECONDS if before != head() else max(0.05, TABLES_SECONDS * share)
    yield PlanStep("sql", count, tuple(found), max(0.1, FUNCTIONS_SECONDS * share) + blocking, blocking if found else 0.0)


def _online(conn: psycopg.Connection, rows: Mapping[str, int]) -> Iterator[PlanStep]:
    for one in online.steps(conn, online.pending(conn, head())):
        table = one.table.rpartition(".")[2]
        seconds = 0.02 + (_PER_MILLION.get(one.what, 0.0) * one.rows / 1e6 if one.lock != "SHARE" else 0.0)
        yield PlanStep(
            "online",
            one.sentence,
            (TableLock(table, one.lock, one.rows or rows.get(table, 0)),),
            seconds,
            0.02 if one.lock == ACCESS_EXCLUSIVE else 0.0,
        )


def _there(conn: psycopg.Connection) -> set[str]:
    rows = conn.execute(
        "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname IN ('public', 'stc') AND c.relkind = 'v'"
    ).fetchall()
    return {name for (name,) in rows}


def _blocks(found: tuple[TableLock, ...]) -> bool:
    return any(one.mode == ACCESS_EXCLUSIVE for one in found)


def _pending(before: str) -> list[tuple[str, ModuleType]]:
    scripts = ScriptDirectory.from_config(configuration())
    found = [(number, scripts.get_revision(number)) for number, _ in reversed(revisions()) if number > before]
    return [(number, cast("ModuleType", script.module)) for number, script in found if script is not None]


def statements(number: str) -> str:
    """Return the SQL of a revision, without a database.

    :raises StateError: the revision reads rows in Python.
    """
    numbers = ["base", *(one for one, _ in reversed(revisions()))]
    config = configuration()
    config.output_buffer = printed = io.StringIO()
    try:
        command.upgrade(config, f"{numbers[numbers.index(number) - 1]}:{number}", sql=True)
    except AttributeError as error:
        raise StateError(
            f"revision {number} cannot be printed as SQL: {error}", hint="Use op.execute, and a DO block to read rows."
        ) from error
    return printed.getvalue()


def locks(number: str) -> dict[str, str]:
    """Return the tables that a revision locks, with the strongest mode; without tables that it creates."""
    text = re.sub(r"--[^\n]*", "", statements(number))
    text = re.sub(r"\bDO\s+(\$\w*\$).*?\1", "", text, flags=re.DOTALL)
    text = re.sub(r"'(?:[^']|'')*'", "''", text)
    found: dict[str, str] = {}
    made: set[str] = set()
    for statement in filter(None, (one.strip() for one in text.split(";"))):
        if new := re.match(rf"CREATE\s+TABLE\s+{_NAME}", statement, re.IGNORECASE):
            made.add(new[1])
        for table, mode in _locks(statement):
            if table not in made and MODES.index(mode) > MODES.index(found.get(table, MODES[0])):
                found[table] = mode
    module = dict(_pending(""))[number]
    for table, mode in getattr(module, "LOCKS", {}).items():
        if MODES.index(mode) > MODES.index(found.get(table, MODES[0])):
            found[table] = mode
    return found


def _locks(statement: str) -> Iterator[tuple[str, str]]:
    if truncated := _TRUNCATE.match(statement):
        yield from ((one.strip().rpartition(".")[2], ACCESS_EXCLUSIVE) for one in truncated[1].split(","))
    if dropped := _DROP_INDEX.match(statement):
        yield from ((one, ACCESS_EXCLUSIVE) for one in created.tables() if dropped[1].startswith(f"{one}_"))
    yield from ((one, "SHARE ROW EXCLUSIVE") for one in _REFERENCES.findall(statement))
    for pattern, mode in _LOCKS:
        if found := re.match(pattern.pattern, statement, re.IGNORECASE | re.DOTALL):
            yield found[1], mode
            return


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
            views |= {one.split()[1].rpartition(".")[2] for (one,) in rows if one.startswith("view")}
    found = conn.execute(_LOCKED, {"tables": sorted(tables), "views": sorted(views)}).fetchall()
    return [name for (name,) in found]

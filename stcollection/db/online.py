"""Checks and indexes that an upgrade adds to large tables after its transaction, so that readers and writers continue.

Checks are added as NOT VALID, which takes a moment, and then validated without blocking anybody. JSON values that violate them are
replaced (:mod:`stcollection.db.rules`). Indexes are built CONCURRENTLY. The catalogue shows what is left to do, so that an
interrupted upgrade continues where it stopped. The tables work without these objects: deletes are slower, and older values are not
replaced yet.

A revision that drops one of these objects removes it here, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

import psycopg

from stcollection.counts import counted
from stcollection.db import catalogue, created, rules
from stcollection.db.catalogue import Catalogue

# Tables below this size get their indexes by a plain CREATE INDEX, which blocks writers for some milliseconds. A concurrent
# build waits for every open transaction that has read any table.
SMALL = 8 << 20
# Lock modes as pg_locks names them, and what PostgreSQL's manual calls them.
ADD, VALIDATE, BUILD, SHARE = "ACCESS EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE"


@dataclass(frozen=True)
class Check:
    """A check of a table. :param since: the revision that introduced it."""

    since: str
    table: str
    name: str
    rule: str


@dataclass(frozen=True)
class Index:
    """An index of one column.

    :param since: the revision that introduced it. :param where: condition of a partial index.
    :param include: a column that an index-only scan also returns.
    """

    since: str
    table: str
    column: str
    where: str | None = None
    name: str = ""
    include: str | None = None

    def definition(self, table: str, name: str, *, concurrently: bool = False, only: bool = False) -> str:
        condition = f" WHERE {self.where}" if self.where else ""
        included = f" INCLUDE ({self.include})" if self.include else ""
        return (
            f"CREATE INDEX {'CONCURRENTLY ' if concurrently else ''}{name} ON {'ONLY ' if only else ''}{table}"
            f" ({self.column}){included}{condition}"
        )


def _index(since: str, table: str, column: str, where: str | None = None) -> Index:
    return Index(since, table, column, where, f"{table}_{column}_idx")


CHECKS = (
    *(
        Check("0035", table, f"{table}_{column}_name_check", rules.is_name(table, column))
        for table, columns in rules.NAMES.items()
        for column in columns
    ),
    *(
        Check("0035", table, f"{table}_{column}_finite_check", rules.is_finite(column))
        for table, columns in rules.FINITE.items()
        for column in columns
    ),
    *(
        Check("0037" if table.startswith("unfinished_") else "0035", table, f"{table}_{column}_size_check", rules.is_small(column))
        for table, columns in rules.SIZED.items()
        for column in columns
    ),
    *(
        Check("0037", table, f"{table}_{column}_object_check", rules.is_object(column))
        for table, columns in rules.OBJECTS.items()
        for column in columns
    ),
)
# Indexes of foreign keys: without one, PostgreSQL reads the whole table for each document or query that is deleted. dblp_docnos_idx
# returns the docnos of a ranking without reading dblp, whose rows are large: each would be another page, often from disk.
INDEXES = (
    _index("0035", "qrels_judgments", "doc"),
    _index("0035", "qrels_judgments", "query"),
    _index("0035", "qrels_preferences", "doc"),
    _index("0035", "qrels_preferences", "query"),
    _index("0035", "st1_scores", "query"),
    _index("0044", "judged_queries", "query"),
    _index("0035", "llm_answers", "doc"),
    _index("0035", "llm_answers", "query"),
    _index("0035", "qrels_pool_documents", "doc"),
    _index("0035", "qrels_pool_documents", "query"),
    _index("0035", "query_cuts", "query"),
    _index("0035", "qrels_judgments", "source_doc", "source_doc IS NOT NULL"),
    _index("0035", "st1_queries", "source", "source IS NOT NULL"),
    Index("0035", "dblp", "id", "stub", "dblp_stub_idx"),
    _index("0035", "dblp_facts", "first_date"),
    Index("0035", "dblp", "id", name="dblp_docnos_idx", include="docno"),
)


@dataclass(frozen=True)
class OnlineStep:
    """A part of the work after the transaction.

    :param what: add, validate, build or attach. :param table: as in the statements.
    :param lock: the lock that it takes on the table.
    :param statements: executed in order, in one transaction unless ``concurrent``. :param index: the index that it builds, if any.
    :param rows: estimated rows of the table. :param bytes: size of the table.
    """

    what: str
    table: str
    lock: str
    statements: tuple[str, ...]
    concurrent: bool = False
    index: str = ""
    rows: int = 0
    bytes: int = 0

    @property
    def sentence(self) -> str:
        """What it does, for the user."""
        about = f"{self.table} ({counted(self.rows, 'row')})"
        return {
            "add": f"adding checks to {about}",
            "validate": f"validating the checks of {about}",
            "attach": f"attaching the index {self.index} of {about}",
        }.get(self.what, f"building the index {self.index} of {about}")


@dataclass(frozen=True)
class OnlineWork:
    """Checks and indexes that a collection lacks. :param invalid: checks that exist, but are not validated."""

    checks: tuple[Check, ...]
    invalid: frozenset[str]
    indexes: tuple[Index, ...]

    def __bool__(self) -> bool:
        return bool(self.checks or self.indexes)


_CHECKS = """
SELECT k.conname, k.convalidated FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
 WHERE k.contype = 'c' AND NOT c.relispartition AND k.conname = ANY (%s)
   AND c.relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('public', 'stc', 'stc_all'))
"""
_INDEXES = """
SELECT x.relname, i.indisvalid FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_class c ON c.oid = i.indrelid
 WHERE NOT c.relispartition AND x.relname = ANY (%s)
   AND c.relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('public', 'stc', 'stc_all'))
"""


def pending(conn: psycopg.Connection, revision: str) -> OnlineWork:
    """Return the checks and indexes of a revision that the database lacks."""
    checks = [check for check in CHECKS if check.since <= revision]
    indexes = [index for index in INDEXES if index.since <= revision]
    valid: dict[str, bool] = dict(conn.execute(_CHECKS, [[check.name for check in checks]]).fetchall())
    built: dict[str, bool] = dict(conn.execute(_INDEXES, [[index.name for index in indexes]]).fetchall())
    return OnlineWork(
        tuple(check for check in checks if not valid.get(check.name)),
        frozenset(name for name, is_valid in valid.items() if not is_valid),
        tuple(index for index in indexes if not built.get(index.name)),
    )


def create(conn: psycopg.Connection, revision: str) -> None:
    """Add all checks and indexes in the caller's transaction, to tables that nobody reads yet."""
    todo = pending(conn, revision)
    for table, checks in _by_table(todo.checks):
        conn.execute(f"ALTER TABLE {table} {', '.join(_added(check) for check in checks)}".encode())
    for index in todo.indexes:
        conn.execute(index.definition(index.table, index.name).encode())


_SIZES = """
SELECT c.oid::regclass::text, coalesce(sum(greatest(r.reltuples, 0)), 0)::bigint, coalesce(sum(pg_table_size(r.oid)), 0)::bigint
  FROM pg_class c LEFT JOIN pg_inherits i ON i.inhparent = c.oid JOIN pg_class r ON r.oid = coalesce(i.inhrelid, c.oid)
 WHERE c.relkind IN ('r', 'p') AND c.relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('public', 'stc', 'stc_all'))
 GROUP BY c.oid
"""


def sizes(conn: psycopg.Connection) -> dict[str, tuple[int, int]]:
    """Return the estimated rows and the bytes of each table. Needs a search path with the schemas of the collection."""
    return {table: (rows, size) for table, rows, size in conn.execute(_SIZES).fetchall()}


def steps(conn: psycopg.Connection, work: OnlineWork) -> Iterator[OnlineStep]:
    """Yield the statements that add what is missing, in order. The collection works after each of them."""
    measured = sizes(conn)
    for step in _steps(conn, work):
        rows, size = measured.get(step.table, (0, 0))
        yield replace(step, rows=rows, bytes=size)


def _steps(conn: psycopg.Connection, work: OnlineWork) -> Iterator[OnlineStep]:
    by_table = _by_table(work.checks)
    for table, checks in by_table:
        if missing := [check for check in checks if check.name not in work.invalid]:
            statement = f"ALTER TABLE {table} {', '.join(f'{_added(check)} NOT VALID' for check in missing)}"
            yield OnlineStep("add", table, ADD, (statement,))
    for table, checks in by_table:
        statement = f"ALTER TABLE {table} {', '.join(f'VALIDATE CONSTRAINT {check.name}' for check in checks)}"
        yield OnlineStep("validate", table, VALIDATE, (statement,))
    for index in work.indexes:
        yield from _build(conn, index)


# The parts of a table (itself, or its partitions), their size, and the state of the index on each.
_PARTS = """
SELECT c.oid::regclass::text, c.relname::text, quote_ident(o.nspname), pg_table_size(c.oid),
       n.nspname || '.' || x.relname, x.relname IS NOT NULL AND i.indisvalid,
       EXISTS (SELECT FROM pg_inherits h WHERE h.inhrelid = x.oid)
  FROM pg_class p
  JOIN pg_class c ON CASE p.relkind WHEN 'p' THEN c.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = p.oid)
                     ELSE c.oid = p.oid END
  JOIN pg_namespace o ON o.oid = c.relnamespace
  LEFT JOIN (pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_namespace n ON n.oid = x.relnamespace)
    ON i.indrelid = c.oid
   AND x.relname = CASE p.relkind WHEN 'p' THEN concat(c.relname, '_', %(column)s::text, '_idx') ELSE %(name)s END
 WHERE p.oid = to_regclass(%(table)s) ORDER BY 4
"""


def _build(conn: psycopg.Connection, index: Index) -> Iterator[OnlineStep]:
    arguments = {"column": index.column, "name": index.name, "table": index.table}
    parts = conn.execute(_PARTS, arguments).fetchall()
    whole = conn.execute(
        "SELECT c.relkind = 'p', quote_ident(n.nspname), to_regclass(format('%%I.%%I', n.nspname, %(name)s::text)) IS NOT NULL"
        "  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass(%(table)s)",
        arguments,
    ).fetchone()
    if whole is None:  # the user dropped the table
        return
    parted, schema, begun = whole
    if sum(size for _, _, _, size, *_ in parts) < SMALL and not begun:
        yield OnlineStep("build", index.table, SHARE, (index.definition(index.table, index.name),), index=index.name)
        return
    if parted and not begun:
        yield OnlineStep("build", index.table, SHARE, (index.definition(index.table, index.name, only=True),), index=index.name)
    for part, plain, home, _, stored, valid, attached in parts:
        name = f"{plain}_{index.column}_idx" if parted else index.name
        if not valid:
            remove = (f"DROP INDEX CONCURRENTLY {stored}",) if stored is not None else ()
            statements = (*remove, index.definition(part, name, concurrently=True))
            yield OnlineStep("build", part, BUILD, statements, concurrent=True, index=name)
        if parted and not attached:
            statement = f"ALTER INDEX {schema}.{index.name} ATTACH PARTITION {home}.{name}"
            yield OnlineStep("attach", part, "ACCESS SHARE", (statement,), index=name)


def _by_table(checks: Iterable[Check]) -> list[tuple[str, list[Check]]]:
    ordered = sorted(checks, key=lambda check: check.table)
    return [(table, list(some)) for table, some in groupby(ordered, key=lambda check: check.table)]


def _added(check: Check) -> str:
    return f"ADD CONSTRAINT {check.name} CHECK ({check.rule})"


def unrecorded(conn: psycopg.Connection) -> bool:
    """Return True if stc_catalogue lacks one of our checks and indexes, since an upgrade was interrupted."""
    now, stored = catalogue.snapshot(conn), catalogue.stored(conn)
    known = recorded(now, stored)
    return any(key not in known and stored.get(key) != definition for key, definition in now.items())


def recorded(before: Catalogue, stored: Catalogue) -> Catalogue:
    """Return a snapshot without our checks and indexes that stc_catalogue lacks: an upgrade then records them as its changes.

    :param before: a snapshot. :param stored: the content of stc_catalogue.
    """
    parts = created.tables()
    checks = {check.name for check in CHECKS}
    indexes = {name for index in INDEXES for name in (index.name, *(f"{part}_{index.column}_idx" for part in parts[index.table]))}

    def ours(kind: str, name: str) -> bool:
        if kind == "constraint":
            return name.partition(" on ")[0] in checks
        return kind == "index" and name.rpartition(".")[2] in indexes

    def lacking(key: tuple[str, str]) -> bool:
        return key not in stored or stored[key].endswith("not valid")

    return {key: definition for key, definition in before.items() if not (ours(*key) and lacking(key))}

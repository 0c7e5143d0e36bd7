"""Dump a distributed collection as if it were on one server, and restore into a database that is prepared on several servers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import psycopg
from psycopg import sql

from stcollection.db import distribution
from stcollection.db.backup import scratch
from stcollection.db.backup.inventory import StoredTable
from stcollection.db.connection import maintenance
from stcollection.db.settings import MARK, Settings
from stcollection.db.step import revision
from stcollection.errors import BadArgument, StateError

# Sessions that store or remove documents wait for this lock, see sql/cluster/lock_documents.sql.
_LOCK = "SELECT pg_catalog.pg_advisory_lock(stc.documents_lock())"
# Columns that lost their identity, with the names of their sequences on one server.
_IDENTITIES = """
SELECT n.nspname, c.relname, a.attname
  FROM public.stc_catalogue s
  JOIN pg_catalog.pg_class c ON c.relname = split_part(s.name, '.', 1) AND c.relkind = 'r'
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND n.nspname IN ('public', 'stc')
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attname = split_part(s.name, '.', 2) AND a.attidentity = ''
 WHERE s.kind = 'column' AND s.definition ~ ' not null [ad]$'
"""
# Objects in the schemas of a collection that belong to no extension, and to no column of a table.
_OBJECTS = """
SELECT pg_catalog.format('DROP %s IF EXISTS %s CASCADE', o.kind, o.name) FROM (
    SELECT 0, 'SCHEMA', n.nspname::text, 'pg_namespace'::regclass, n.oid FROM pg_namespace n WHERE n.nspname IN ('stc', 'stc_all')
    UNION ALL
    SELECT 1, CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'S' THEN 'SEQUENCE' WHEN 'c' THEN 'TYPE' ELSE 'TABLE' END,
           c.oid::regclass::text, 'pg_class'::regclass, c.oid
      FROM pg_class c WHERE c.relkind IN ('r', 'p', 'v', 'S', 'c') AND c.relnamespace = 'public'::regnamespace
    UNION ALL
    SELECT 2, 'ROUTINE', p.oid::regprocedure::text, 'pg_proc'::regclass, p.oid
      FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace) o (place, kind, name, class, oid)
 WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = o.class AND d.objid = o.oid AND d.deptype IN ('e', 'i', 'a')
                      AND d.refclassid <> 'pg_type'::regclass AND (d.refclassid, d.refobjid) <> (o.class, o.oid))
 ORDER BY o.place
"""


def hold_writers(conn: psycopg.Connection) -> bool:
    """Let sessions that store or remove documents wait until the connection closes. :returns: False on one server.

    A snapshot covers one server only, and the rows of the others must not change while they are read.
    """
    if distribution.state(conn) is None:
        return False
    conn.execute(_LOCK)
    return True


def queries(conn: psycopg.Connection) -> dict[str, sql.Composable]:
    """Return queries for tables whose rows depend on the number of shards: indexes of vectors, as on one server."""
    [(shards,)] = conn.execute("SELECT stc.shards('public.dblp')").fetchall()
    [columns] = conn.execute(
        "SELECT array_agg(attname::text ORDER BY attnum) FROM pg_catalog.pg_attribute"
        " WHERE attrelid = 'stc.vector_indexes'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''"
    ).fetchall()
    together = sql.SQL("CASE kind WHEN 'ivfflat' THEN {} * {} ELSE {} END")
    listed = [
        together.format(sql.Identifier(name), sql.Literal(shards), sql.Identifier(name))
        if name in ("lists", "effort")
        else sql.SQL("NULL")
        if name in ("anchors", "idf")
        else sql.Identifier(name)
        for name in columns[0]
    ]
    return {"vector_indexes": sql.SQL("SELECT {} FROM stc.vector_indexes").format(sql.SQL(", ").join(listed))}


def sequences(conn: psycopg.Connection, tables: list[StoredTable]) -> dict[str, int]:
    """Return the last values that sequences of dropped identity columns would have."""
    names = {stored.qualified for stored in tables}
    last = {}
    for schema, table, column in conn.execute(_IDENTITIES).fetchall():
        if f"{schema}.{table}" in names:
            row = conn.execute(
                sql.SQL("SELECT max({}) FROM {}").format(sql.Identifier(column), sql.Identifier(schema, table))
            ).fetchone()
            if row and row[0] is not None:
                last[f"{table}_{column}_seq"] = int(row[0])
    return last


@contextlib.contextmanager
def prepared(settings: Settings, shards: int) -> Iterator[tuple[psycopg.Connection, str]]:
    """Use a database that is prepared on every server; remove what was created if the restore fails.

    :returns: a connection to the server's ``postgres``, and the name of the database.
    :raises BadArgument: ``shards`` is out of range. :raises StateError: the database is not prepared, or contains a collection.
    """
    with maintenance(settings) as admin:
        if admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", [settings.db]).fetchone() is None:
            raise StateError(f"there is no database {settings.db!r}", hint=distribution.PREPARE)
        with scratch.reach(settings, settings.db) as conn:
            distribution.check_cluster(conn, shards)
            if revision(conn) is not None:
                raise BadArgument(
                    f"{settings.db!r} is a collection",
                    hint="Restore into a prepared database with extensions only.",
                )
        try:
            yield admin, settings.db
        except BaseException:
            with contextlib.suppress(psycopg.Error), scratch.reach(settings, settings.db) as conn:
                clear(conn)
            raise
        admin.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(sql.Identifier(settings.db), MARK))


def clear(conn: psycopg.Connection) -> None:
    """Drop everything except extensions from a prepared database, also on its workers."""
    conn.execute("SET client_min_messages = error; SET search_path = public; SET citus.multi_shard_modify_mode = 'sequential'")
    with conn.transaction():
        for (statement,) in conn.execute(_OBJECTS).fetchall():
            conn.execute(statement)

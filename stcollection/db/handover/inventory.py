"""What a database holds, read in one snapshot: tables and their rows, editions, indexes, extensions, dictionaries."""

from __future__ import annotations

import re
from typing import Any

import psycopg
from psycopg import sql

from stcollection.errors import DatabaseError

# Tables that hold rows (partitions, not what they are of) and are neither PostgreSQL's nor an extension's.
TABLES = """
SELECT n.nspname, c.relname, c.oid::bigint FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
 ORDER BY 1, 2
"""

# The same, and what partitions are of.
RELATIONS = """
SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p') AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
"""

# Indexes that 'stc text index' and 'stc vectors index' make. How they are stored differs between versions of their extensions.
REBUILT = r"""
SELECT c.relname FROM pg_class c JOIN pg_am a ON a.oid = c.relam
 WHERE c.relkind = 'i' AND c.relnamespace = 'public'::regnamespace
   AND (c.relname = 'dblp_text_bm25' AND a.amname = 'bm25'
        OR a.amname IN ('ivfflat', 'hnsw', 'diskann')
           AND c.relname ~ ('^dblp_[vp].*_(title|abstract|content|passage)_' || a.amname || '$'))
 ORDER BY 1
"""


def tables(conn: psycopg.Connection) -> list[tuple[str, str]]:
    """Schema and name of each."""
    return [(schema, name) for schema, name, _ in conn.execute(TABLES).fetchall()]


def counts(conn: psycopg.Connection, names: list[tuple[str, str]]) -> dict[str, int]:
    """Rows of each table."""
    found = {}
    for schema, name in names:
        row = conn.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(schema, name))).fetchone()
        found[f"{schema}.{name}"] = int(row[0]) if row else 0
    return found


def whole(conn: psycopg.Connection) -> None:
    """Refuse a role that sees less than everything: what it dumped would be partial, and nobody would see it.

    :raises DatabaseError: a table it may not read, or of which row security hides rows.
    """
    rows = conn.execute(
        f"SELECT nspname || '.' || relname, has_table_privilege(oid::oid, 'SELECT'), current_user FROM ({TABLES}) t"  # noqa: S608
        " WHERE NOT has_table_privilege(oid::oid, 'SELECT') OR row_security_active(oid::oid) LIMIT 1"
    ).fetchone()
    if rows is not None:
        table, may_read, user = rows
        what = f"row security hides rows of {table}" if may_read else f"it may not read {table}"
        raise DatabaseError(
            f"a dump by {user} would not hold everything: {what}",
            hint="Dump as a superuser, or as an owner who may read every table.",
            sqlstate="42501",
        )


def editions(conn: psycopg.Connection) -> dict[str, dict[str, Any]]:
    """What each edition says, by its fingerprint; empty before the revision that has fingerprints."""
    if conn.execute("SELECT to_regproc('public.edition_fingerprint')").fetchone() == (None,):
        return {}
    rows = conn.execute(
        "SELECT e.edition, to_jsonb(e), edition_fingerprint(e.edition),"
        " (SELECT count(*) FROM qrels_judgments j WHERE j.edition = e.id) FROM qrels_editions e ORDER BY e.edition"
    ).fetchall()
    return {
        name: {
            "split": row.get("split"),
            "hidden": bool(row.get("hidden", row.get("split") == "test")),
            "judgments": judgments,
            "sealed": row.get("fingerprint"),
            "says": says,
        }
        for name, row, says, judgments in rows
    }


def extensions(conn: psycopg.Connection) -> dict[str, dict[str, str]]:
    """Version and schema of each; PostgreSQL's own plpgsql left out."""
    rows = conn.execute(
        "SELECT extname, extversion, extnamespace::regnamespace::text FROM pg_extension WHERE extname <> 'plpgsql' ORDER BY 1"
    ).fetchall()
    return {name: {"version": version, "schema": schema} for name, version, schema in rows}


def indexes(conn: psycopg.Connection) -> tuple[dict[str, Any], list[str]]:
    """The text index and the vector indexes as their tables describe them, and the names of those that are built anew."""
    text = conn.execute("SELECT to_jsonb(t) FROM text_index t").fetchone()
    vectors = conn.execute("SELECT to_jsonb(v) FROM vector_indexes v ORDER BY model, field").fetchall()
    names = [name for (name,) in conn.execute(REBUILT).fetchall()]
    return {"text": text[0] if text else None, "vectors": [row for (row,) in vectors]}, names


def dictionaries(conn: psycopg.Connection) -> list[str]:
    """Names of the files that dictionaries of this database read and that stcollection put there."""
    found = []
    for (options,) in conn.execute("SELECT dictinitoption FROM pg_ts_dict WHERE dictinitoption ~ 'stc_[0-9a-f]{12}_'").fetchall():
        for option, ending in (("dictfile", "ths"), ("synonyms", "syn"), ("stopwords", "stop")):
            found += [f"{name}.{ending}" for name in _option(str(options), option)]
    return sorted(set(found))


def _option(options: str, name: str) -> list[str]:
    return re.findall(rf"{name}\s*=\s*'(stc_[0-9a-f]{{12}}_\w+)'", options, re.IGNORECASE)

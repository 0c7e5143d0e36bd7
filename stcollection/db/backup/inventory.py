"""Read the inventory of a collection in one snapshot: tables with columns, editions, indexes, extensions, sequences.

Only tables of this project are included: those that migrations create, their partitions, and the tables of registered embedding
models and of studies. They are looked up by their names and identified by oid. Foreign objects are not read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

from stcollection.db import studies
from stcollection.db.created import VIEWS
from stcollection.db.created import tables as created
from stcollection.errors import DatabaseError, StateError

MODEL = re.compile(r"dblp_[vp]_[a-z0-9][a-z0-9_]{0,39}")

_FOUND = """
SELECT c.oid::bigint, c.relnamespace::regnamespace::text, c.relname, c.relkind, c.relpersistence,
       ARRAY(SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                AND a.attgenerated = '' ORDER BY a.attnum),
       r.rolsuper OR pg_has_role(c.relowner, o.relowner, 'MEMBER') OR c.relowner = d.datdba, r.rolname
  FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
  JOIN pg_class o ON o.oid = to_regclass('public.alembic_version')
  JOIN pg_database d ON d.datname = current_database()
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
   AND (c.oid = ANY (%(oids)s::oid[]) OR EXISTS (
        SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid AND c.relispartition AND i.inhparent = ANY (%(oids)s::oid[])))
 ORDER BY c.relname
"""
# A name in stc_all is also that of its part with visible rows. If a name exists in stc and public, the one in public is foreign.
_OIDS = """
SELECT n.name,
       coalesce(to_regclass(format('stc_all.%%I', n.name)), to_regclass(format('stc.%%I', n.name)),
                to_regclass(format('public.%%I', n.name)))::oid::bigint
  FROM unnest(%(names)s::text[]) AS n (name)
"""

# Indexes that 'stc index' and 'stc vectors index' build. Their storage format differs between versions of extensions.
_REBUILT = r"""
SELECT c.relname FROM pg_class c JOIN pg_am a ON a.oid = c.relam
 WHERE c.relkind = 'i' AND c.relnamespace IN ('public'::regnamespace, 'stc'::regnamespace)
   AND (c.relname = 'dblp_text_bm25' AND a.amname = 'bm25'
        OR a.amname IN ('ivfflat', 'hnsw', 'diskann')
           AND c.relname ~ ('^dblp_[vp].*_(title|abstract|content|passage)_' || a.amname || '$')
        OR a.amname = 'bm25' AND c.relname ~ '^dblp_v.*_(title|abstract|content)_impact$')
 ORDER BY 1
"""


@dataclass(frozen=True)
class StoredTable:
    """A table of the collection that contains rows.

    :param columns: stored columns, without generated ones. :param schema: public or stc.
    """

    oid: int
    name: str
    columns: tuple[str, ...]
    schema: str

    @property
    def qualified(self) -> str:
        return f"{self.schema}.{self.name}"

    @property
    def identifier(self) -> sql.Identifier:
        return sql.Identifier(self.schema, self.name)

    @property
    def listed(self) -> sql.Composable:
        """The columns, for COPY."""
        return sql.SQL(", ").join(map(sql.Identifier, self.columns))


def ours(name: str) -> bool:
    """Return True for the name of a table or partition that a revision creates, and for a possible name of a model's table."""
    return any(name == table or name in partitions for table, partitions in created().items()) or MODEL.fullmatch(name) is not None


def tables(conn: psycopg.Connection, *, partitioned: bool = False) -> list[StoredTable]:
    """Return the tables of the collection that contain rows, ordered by name.

    :param partitioned: include partitioned tables.
    :raises StateError: a foreign object has the name of a table.
    """
    _require_all_rows(conn)
    names = [*created(), *_models(conn), *studies.table_names(conn)]
    oids = [oid for _, oid in conn.execute(_OIDS, {"names": names}).fetchall() if oid is not None]
    stored = []
    for oid, schema, name, kind, persistence, columns, trusted, role in conn.execute(_FOUND, {"oids": oids}).fetchall():
        if name in VIEWS and kind == "v" and trusted:
            continue
        if kind not in ("r", "p") or persistence == "t" or not trusted:
            raise StateError(
                f"{schema}.{name} is not a table of the collection: "
                + (f"it belongs to {role}" if not trusted else "it is a view or a table of another kind"),
                hint="Rename it, then run the command again.",
            )
        if kind == "r" or partitioned:
            stored.append(StoredTable(oid, name, tuple(columns), schema))
    return stored


def _require_all_rows(conn: psycopg.Connection) -> None:
    """Refuse a role that may not use the schema with hidden rows. :raises DatabaseError: it may not."""
    row = conn.execute(
        "SELECT session_user FROM pg_namespace n WHERE n.nspname = 'stc_all' AND NOT has_schema_privilege(n.oid, 'USAGE')"
    ).fetchone()
    if row is not None:
        raise DatabaseError(
            f"a dump by {row[0]} would be incomplete: it may not read the schema stc_all",
            hint="Dump as a superuser, or as an owner who may read every table.",
            sqlstate="42501",
        )


def _models(conn: psycopg.Connection) -> list[str]:
    """Return the names of the tables of registered embedding models."""
    table = sql.Identifier("stc", "vector_models")
    readable = conn.execute(
        "SELECT FROM pg_class WHERE oid = to_regclass(%s) AND relkind = 'r' AND has_table_privilege(oid, 'SELECT')",
        [table.as_string(conn)],
    ).fetchone()
    if readable is None:
        return []
    rows = conn.execute(sql.SQL("SELECT relation FROM {}").format(table)).fetchall()
    names = [relation for (name,) in rows for relation in (name, "dblp_p" + name.removeprefix("dblp_v"))]
    return [name for name in names if MODEL.fullmatch(name)]


def lock(conn: psycopg.Connection, stored: list[StoredTable]) -> None:
    """Lock the tables against changes and replacement until the transaction ends.

    :raises StateError: a table was replaced meanwhile.
    """
    names = sql.SQL(", ").join(sql.SQL("ONLY {}").format(table.identifier) for table in stored)
    conn.execute(sql.SQL("LOCK TABLE {} IN ACCESS SHARE MODE").format(names))
    rows = conn.execute(
        "SELECT n FROM unnest(%s::text[], %s::bigint[]) u (n, o) WHERE to_regclass(n)::oid::bigint IS DISTINCT FROM o",
        [[table.identifier.as_string(conn) for table in stored], [table.oid for table in stored]],
    ).fetchall()
    if rows:
        raise StateError(f"{rows[0][0]} was replaced while the dump began", hint="Run the same command again.")


def count(conn: psycopg.Connection, table: StoredTable) -> int:
    """Return the number of rows of a table."""
    row = conn.execute(sql.SQL("SELECT count(*) FROM {}").format(table.identifier)).fetchone()
    return int(row[0]) if row else 0


def check_sees_all(conn: psycopg.Connection, stored: list[StoredTable]) -> None:
    """Refuse a role that cannot see all rows, because its dump would be incomplete without a sign.

    :raises DatabaseError: the role may not read a table, or row-level security hides rows.
    """
    rows = conn.execute(
        "SELECT concat(c.relnamespace::regnamespace, '.', c.relname), has_table_privilege(c.oid, 'SELECT'), session_user"
        " FROM pg_class c WHERE c.oid = ANY (%s::oid[])"
        " AND (NOT has_table_privilege(c.oid, 'SELECT') OR c.relrowsecurity AND NOT (pg_has_role(c.relowner, 'USAGE')"
        " AND NOT c.relforcerowsecurity) AND NOT (SELECT rolbypassrls OR rolsuper FROM pg_roles WHERE rolname = current_user))"
        " ORDER BY c.relname LIMIT 1",
        [[relation.oid for relation in stored]],
    ).fetchone()
    if rows is not None:
        table, may_read, user = rows
        what = f"row-level security hides rows of {table}" if may_read else f"it may not read {table}"
        raise DatabaseError(
            f"a dump by {user} would be incomplete: {what}",
            hint="Dump as a superuser, or as an owner who may read every table.",
            sqlstate="42501",
        )


def editions(conn: psycopg.Connection) -> dict[str, dict[str, Any]]:
    """Return the editions with their fingerprints."""
    hidden = conn.execute("SELECT to_regclass('stc_all.qrels_editions') IS NOT NULL").fetchone() == (True,)
    schema = sql.Identifier("stc_all" if hidden else "public")
    rows = conn.execute(
        sql.SQL(
            "SELECT e.edition, to_jsonb(e), public.edition_fingerprint(e.edition),"
            " (SELECT count(*) FROM {}.qrels_judgments j WHERE j.edition = e.id) FROM {}.qrels_editions e ORDER BY e.edition"
        ).format(schema, schema)
    ).fetchall()
    return {
        name: {
            "split": row["split"],
            "hidden": row["hidden"],
            "judgments": judgments,
            "sealed": row["fingerprint"],
            "says": says,
        }
        for name, row, says, judgments in rows
    }


def extensions(conn: psycopg.Connection) -> dict[str, dict[str, str]]:
    """Return version and schema of each extension except plpgsql."""
    rows = conn.execute(
        "SELECT extname, extversion, nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace"
        " WHERE extname <> 'plpgsql' ORDER BY 1"
    ).fetchall()
    return {name: {"version": version, "schema": schema} for name, version, schema in rows}


def indexes(conn: psycopg.Connection) -> tuple[dict[str, Any], list[str]]:
    """Return descriptions of the text index and the vector indexes, and the names of indexes that restore rebuilds."""
    text = conn.execute("SELECT to_jsonb(t) FROM stc.text_index t").fetchone()
    words = conn.execute("SELECT to_regprocedure('stc.text_words()') IS NOT NULL").fetchone() == (True,)
    separation = conn.execute("SELECT stc.text_words()").fetchone() if words else None
    vectors = conn.execute("SELECT to_jsonb(v) - 'anchors' - 'idf' FROM stc.vector_indexes v ORDER BY model, field").fetchall()
    names = [name for (name,) in conn.execute(_REBUILT).fetchall()]
    text_index = {"text": text[0] if text else None, "words": separation[0] if separation else "published"}
    return {**text_index, "vectors": [row for (row,) in vectors]}, names


def sequences(conn: psycopg.Connection, stored: list[StoredTable]) -> dict[str, int]:
    """Return the last value of each used sequence of the collection: sequences of columns, and dblp_id_seq."""
    rows = conn.execute(
        "SELECT c.relname, pg_sequence_last_value(c.oid) FROM pg_class c WHERE c.relkind = 'S'"
        " AND (c.oid = to_regclass('public.dblp_id_seq') OR EXISTS ("
        " SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('i', 'a')"
        "    AND d.refclassid = 'pg_class'::regclass AND (d.refobjid = ANY (%(oids)s::oid[]) OR EXISTS ("
        "        SELECT FROM pg_inherits i WHERE i.inhparent = d.refobjid AND i.inhrelid = ANY (%(oids)s::oid[])))))"
        " ORDER BY 1",
        {"oids": [table.oid for table in stored]},
    ).fetchall()
    return {name: int(last) for name, last in rows if last is not None}

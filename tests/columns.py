"""Tables and columns of a collection, as the catalog of its database lists them."""

from __future__ import annotations

from typing import NamedTuple

import psycopg


class Column(NamedTuple):
    """A column of a table that is not a partition.

    :param type: in PostgreSQL's words, as ``double precision``. :param collation: ``default`` or ``C``, None for other types.
    :param checks: definitions of the CHECK constraints on this column alone, by name.
    """

    table: str
    name: str
    type: str
    collation: str | None
    identity: bool
    computed: bool
    checks: dict[str, str]


# Tables of extensions are not the collection's.
_TABLES = """
SELECT c.oid, c.relname::text AS name, c.relkind
  FROM pg_class c
 WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.oid <> 'public.qrels_editions'::regclass
   AND c.relnamespace IN ('public'::regnamespace, 'stc'::regnamespace, 'stc_all'::regnamespace)
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
"""


def tables(conn: psycopg.Connection) -> list[str]:
    return [name for _, name, _ in conn.execute(_TABLES).fetchall()]


def partitioned(conn: psycopg.Connection) -> list[str]:
    return [name for _, name, kind in conn.execute(_TABLES).fetchall() if kind == "p"]


def columns(conn: psycopg.Connection) -> list[Column]:
    rows = conn.execute(
        f"""
        SELECT t.name, a.attname, format_type(a.atttypid, a.atttypmod),
               (SELECT collname FROM pg_collation WHERE oid = a.attcollation), a.attidentity <> '', a.attgenerated <> '',
               coalesce((SELECT jsonb_object_agg(k.conname, pg_get_constraintdef(k.oid)) FROM pg_constraint k
                          WHERE k.conrelid = t.oid AND k.contype = 'c' AND k.conkey = ARRAY[a.attnum]), '{{}}')
          FROM ({_TABLES}) t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
         ORDER BY t.name, a.attnum
        """.encode()
    ).fetchall()
    return [Column(*row) for row in rows]

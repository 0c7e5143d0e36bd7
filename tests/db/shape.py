"""Describe the objects of a database, to compare two databases."""

from __future__ import annotations

import psycopg

_SHAPE = """
SELECT 'column', attrelid::regclass::text || '.' || attname, format_type(atttypid, atttypmod) || attstorage::text
       || attidentity::text || attgenerated::text || attnotnull::text || coalesce(attcollation::regcollation::text, '')
       || coalesce(pg_get_expr(adbin, adrelid), '') || coalesce(col_description(attrelid, attnum), '')
  FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
  LEFT JOIN pg_attrdef d ON d.adrelid = attrelid AND d.adnum = attnum
 WHERE attnum > 0 AND NOT attisdropped AND relkind IN ('r', 'v', 'p', 'c') AND relnamespace::regnamespace::text = ANY (%(schemas)s)
UNION ALL SELECT 'relation', c.oid::regclass::text, relkind::text || relrowsecurity::text || coalesce(reloptions::text, '')
       || coalesce(obj_description(c.oid, 'pg_class'), '') || coalesce(pg_get_viewdef(c.oid), '')
  FROM pg_class c WHERE relkind IN ('r', 'v', 'p', 'S') AND relnamespace::regnamespace::text = ANY (%(schemas)s)
UNION ALL SELECT 'constraint', conrelid::regclass::text || ' ' || conname, translate(pg_get_constraintdef(oid), '()', '')
  FROM pg_constraint  -- psql leaves out parentheses in a chain of ANDs
 WHERE connamespace::regnamespace::text = ANY (%(schemas)s)
UNION ALL SELECT 'index', indexname::text, indexdef FROM pg_indexes WHERE schemaname = ANY (%(schemas)s)
UNION ALL SELECT 'trigger', tgrelid::regclass || ' ' || tgname, pg_get_triggerdef(oid) || tgenabled::text FROM pg_trigger
 WHERE NOT tgisinternal
UNION ALL SELECT 'policy', tablename || ' ' || policyname, concat(permissive, roles, cmd, qual, with_check) FROM pg_policies
UNION ALL SELECT 'routine', p.oid::regprocedure::text, pg_get_functiondef(p.oid) || coalesce(obj_description(p.oid, 'pg_proc'), '')
  FROM pg_proc p
 WHERE prokind <> 'a' AND pronamespace::regnamespace::text = ANY (%(schemas)s)
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
UNION ALL SELECT 'file', file, creates::text || fingerprint FROM public.stc_objects
ORDER BY 1, 2, 3
"""


def shape(conn: psycopg.Connection, *schemas: str, built: bool = False) -> list[tuple[str, str, str]]:
    """Return kind, name and definition of every object.

    :param schemas: default: public and stc. :param built: include the indexes that commands build.
    """
    conn.execute("SET search_path = ''")
    rows = conn.execute(_SHAPE, {"schemas": list(schemas or ("public", "stc"))}).fetchall()
    conn.execute("RESET search_path")
    made = (" USING bm25 ", " USING ivfflat ", " USING hnsw ", " dblp_text_tsv_gin ", " dblp_v_title_only ")
    return [row for row in rows if built or row[0] != "index" or not any(one in row[2] for one in made)]

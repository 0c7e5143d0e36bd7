"""What a statement has changed, found by the counters of its transaction and then by the rows themselves."""

from __future__ import annotations

from collections.abc import Iterable

import psycopg
from psycopg import sql

# Tables that the transaction has written, also through functions with other rights, and catalogues (grants, roles, definitions).
WRITTEN = (
    "SELECT relid::regclass::text FROM pg_stat_xact_all_tables WHERE n_tup_ins + n_tup_upd + n_tup_del > 0"
    " AND relid::regclass::text !~ '^pg_(toast|temp)' ORDER BY 1"
)
_SCHEMAS = "(SELECT oid FROM pg_namespace WHERE nspname = 'public' OR nspowner = 'stc_owner'::regrole)"
# Definitions and rights of the collection. Statistics that ANALYZE and index builds keep in pg_class are not definitions.
_DEFINITIONS = f"""
SELECT md5(string_agg(line, E'\\n' ORDER BY line)) FROM (
    SELECT concat_ws(' ', 'relation', oid, relname, relowner, relkind, relpersistence, relrowsecurity, relforcerowsecurity,
                     coalesce(relacl, acldefault(CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", relowner)),
                     reloptions, relfilenode, relhasrules, relhastriggers, relispartition)
      FROM pg_class WHERE relnamespace IN {_SCHEMAS}
    UNION ALL SELECT concat_ws(' ', 'column', attrelid, attname, atttypid, attacl, attnotnull, atthasdef)
      FROM pg_attribute WHERE attrelid IN (SELECT oid FROM pg_class WHERE relnamespace IN {_SCHEMAS})
    UNION ALL SELECT concat_ws(' ', 'routine', oid, proname, proowner, prosecdef, coalesce(proacl, acldefault('f', proowner)),
                     proconfig, md5(prosrc))
      FROM pg_proc WHERE pronamespace IN {_SCHEMAS}
    UNION ALL SELECT concat_ws(' ', 'policy', polrelid, polname, polcmd, polroles, polqual, polwithcheck) FROM pg_policy
    UNION ALL SELECT concat_ws(' ', 'trigger', tgrelid, tgname, tgfoid, tgenabled) FROM pg_trigger
     WHERE tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace IN {_SCHEMAS})
    UNION ALL SELECT concat_ws(' ', 'rule', ev_class, rulename, ev_enabled) FROM pg_rewrite
     WHERE ev_class IN (SELECT oid FROM pg_class WHERE relnamespace IN {_SCHEMAS})
    UNION ALL SELECT concat_ws(' ', 'schema', oid, nspname, nspowner, coalesce(nspacl, acldefault('n', nspowner)))
      FROM pg_namespace WHERE nspname !~ '^pg_'
    UNION ALL SELECT concat_ws(' ', 'role', rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolbypassrls)
      FROM pg_roles
    UNION ALL SELECT concat_ws(' ', 'member', roleid, member, admin_option, inherit_option, set_option) FROM pg_auth_members
    UNION ALL SELECT concat_ws(' ', 'database', datname, datdba, coalesce(datacl, acldefault('d', datdba)))
      FROM pg_database WHERE datname = current_database()
    UNION ALL SELECT concat_ws(' ', 'extension', extname, extowner) FROM pg_extension
    UNION ALL SELECT concat_ws(' ', 'event trigger', evtname, evtowner) FROM pg_event_trigger
    UNION ALL SELECT concat_ws(' ', 'language', lanname, coalesce(lanacl, acldefault('l', lanowner))) FROM pg_language
    UNION ALL SELECT concat_ws(' ', 'comment', objoid, objsubid, description) FROM pg_description
     WHERE objoid IN (SELECT oid FROM pg_class WHERE relnamespace IN {_SCHEMAS})
) w (line)
"""


def foreign(table: str, columns: Iterable[str], login: str, team: str | None) -> str:
    """A condition on the rows of a table that belong to others than this login and its team."""
    bare = table.rpartition(".")[2]
    names = set(columns)
    if team is not None:
        if "team" in names:
            return f"team IS DISTINCT FROM '{team}'"
        if bare == "ranked_lists":
            return f"run NOT IN (SELECT id FROM public.st1_runs WHERE team = '{team}')"
        if bare == "ask_rankings":
            return f"request NOT IN (SELECT id FROM stc.ask_requests WHERE team = '{team}')"
    if "maker" in names:
        return f"maker <> '{login}'"
    if bare == "unfinished_rankings":
        return f"unfinished NOT IN (SELECT id FROM stc.unfinished_runs WHERE maker = '{login}')"
    return "true"


def definitions(conn: psycopg.Connection) -> str:
    row = conn.execute(_DEFINITIONS.encode()).fetchone()
    assert row is not None
    return str(row[0])


def fingerprint(conn: psycopg.Connection, table: str, condition: str) -> str:
    """A fingerprint of some rows of a table."""
    row = conn.execute(
        sql.SQL("SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' ORDER BY t::text)), '') FROM {} t WHERE {}").format(
            sql.SQL(table), sql.SQL(condition)
        )
    ).fetchone()
    assert row is not None
    return str(row[0])

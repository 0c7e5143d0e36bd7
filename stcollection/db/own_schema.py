"""A user's schema in a collection, in front of its own: names of the collection can be created again there."""

from __future__ import annotations

import psycopg
from psycopg import sql

from stcollection.db.connection import connect
from stcollection.db.objects import drift, registered
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from stcollection.errors import BadArgument, translate

_OURS = ("public", "stc", "stc_all", "information_schema")
# Superusers and the roles that the caller belongs to are trusted.
_OTHERS = """
    SELECT DISTINCT coalesce(r.rolname, 'PUBLIC') COLLATE "C"
      FROM pg_namespace n
     CROSS JOIN LATERAL (SELECT n.nspowner AS role
                          UNION SELECT a.grantee FROM aclexplode(n.nspacl) a WHERE a.privilege_type = 'CREATE') g
      LEFT JOIN pg_roles r ON r.oid = g.role
     WHERE n.nspname = %s AND (r.oid IS NULL OR NOT r.rolsuper AND r.rolname <> session_user)
     ORDER BY 1
"""


@translate()
def own_schema(conn: psycopg.Connection, name: str) -> str:
    """Create a schema for the user's tables, views and functions unless it exists.

    :returns: the setting ``search_path`` of a session that creates objects there and finds those of the collection.
    :raises BadArgument: the name is that of the collection's schemas or of PostgreSQL's, or another role may create objects in the
        schema: the session would call functions of that role.
    :raises DatabaseError: the role cannot create a schema.
    """
    if not name.strip() or name in _OURS or name.startswith("pg_") or '"' in name:
        raise BadArgument(
            f"{name!r} cannot be a schema of your own",
            hint=f"Use another name, such as mine; not {', '.join(_OURS)}, pg_…, or a name with quotes.",
        )
    conn.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(name)))
    others = [role for (role,) in conn.execute(_OTHERS, [name])]
    if others:
        raise BadArgument(
            f"other roles may create objects in the schema {name!r}: {', '.join(others)}",
            hint="Use a schema that only you can change: your session would call functions that these roles create.",
        )
    return f'"{name}",public'


@translate()
def put_beside(settings: Settings, schema: str, before: set[str]) -> list[str]:
    """Move functions that replaced those of the collection to the user's schema, and restore the collection's own.

    Printed statements name the schema public: CREATE OR REPLACE FUNCTION public.dblp_knn_title(…).

    :param before: the files that differed already (:func:`stcollection.db.objects.drift`).
    :returns: the functions, as ``public.name(types)``.
    """
    with connect(settings) as conn:
        theirs = [path for path in drift(conn) if path not in before]
        known = registered(conn)
        moved = []
        for name in (obj.partition(" ")[2] for path in theirs for obj in known[path] if obj.startswith("function public.")):
            row = conn.execute(
                "SELECT pg_get_functiondef(f.oid) FROM to_regprocedure(%s) f (oid) WHERE f.oid IS NOT NULL", [name]
            ).fetchone()
            if row is None:
                continue
            target = sql.Identifier(schema).as_string(conn)
            conn.execute(row[0].replace("FUNCTION public.", f"FUNCTION {target}.", 1).encode())
            moved.append(name)
        conn.execute("UPDATE public.stc_objects SET fingerprint = '' WHERE file = ANY (%s)", [theirs])
    if theirs:
        upgrade(settings)
    return moved

"""The roles of a collection and their rights: owner, organiser, participant, reader.

Roles belong to the server: all its collections share them, and pg_dump omits them, so upgrade and restore create them. SQL
functions define the rights (sql/db/): stc_rights for tables, put_policies for their rows.
"""

from __future__ import annotations

import psycopg
from psycopg import sql

from stcollection.counts import counted

ROLES = {
    "stc_owner": "owns the collections of stcollection",
    "stc_organiser": "judges, hides and releases editions; sees everything",
    "stc_participant": "reads visible data, stores runs of its own team",
    "stc_reader": "reads visible data",
}


#: The role that owners use in psql, so that a mistake cannot drop a table.
WORKING = "stc_organiser"


def working_role(conn: psycopg.Connection) -> str | None:
    """Return :data:`WORKING` if the session is an owner of the collection and can become that role, else None."""
    row = conn.execute(
        "SELECT to_regrole('stc_owner') IS NOT NULL AND to_regrole(%(role)s) IS NOT NULL AND pg_has_role('stc_owner', 'USAGE')"
        " AND pg_has_role(%(role)s, 'SET')",
        {"role": WORKING},
    ).fetchone()
    return WORKING if row == (True,) else None


def sees_all_rows(conn: psycopg.Connection) -> bool:
    """Return True for a role that sees hidden rows: an organiser's or the owner's."""
    return conn.execute("SELECT stc.sees_all_rows()").fetchone() == (True,)


def rows_schema(conn: psycopg.Connection) -> sql.Identifier:
    """Return the schema of internal tables that may have hidden rows: stc_all for organisers and owners, else stc."""
    return sql.Identifier("stc_all" if sees_all_rows(conn) else "stc")


def create_roles(conn: psycopg.Connection) -> str | None:
    """Create missing roles, in the caller's transaction or in a new one.

    :returns: None if all exist, else a sentence with the reason.
    """
    for role, comment in ROLES.items():
        if _exists(conn, role):
            continue
        try:
            with conn.transaction():
                conn.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(sql.Identifier(role)))
                conn.execute(sql.SQL("COMMENT ON ROLE {} IS {}").format(sql.Identifier(role), comment))
        except (
            psycopg.errors.DuplicateObject,
            psycopg.errors.UniqueViolation,
        ):  # another upgrade has just created it
            continue
        except psycopg.errors.InsufficientPrivilege:
            return f"{conn.info.user} may not create roles, and {role} is missing: only the owner can use the collection"
    return None


def ensure_roles(conn: psycopg.Connection) -> str | None:
    """Create missing roles and set owners and rights of the collection's objects; fast if nothing changes.

    Runs in the caller's transaction; the database needs the functions of sql/. The row policies are created in any case, so that
    hidden editions stay hidden from roles with manual grants on tables.

    :returns: None on success, else a sentence with the reason.
    """
    without = create_roles(conn) or _join(conn)
    if without is None:
        conn.execute("SELECT stc.own_objects()")
        conn.execute("SELECT stc.grant_rights()")
        _close(conn)
    conn.execute("SELECT stc.put_policies(), stc.skip_row_checks()")
    return without


# PUBLIC can call functions, except those that grant_rights restricts.
_GIVEN = r"""
SELECT DISTINCT format('REVOKE ALL ON %%s %%s FROM %%s', o.kind, o.named,
                       CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END)
  FROM (SELECT CASE kind WHEN 'VIEW' THEN 'TABLE' ELSE kind END AS kind, owner, acl,
               CASE kind WHEN 'ROUTINE' THEN oid::regprocedure::text ELSE oid::regclass::text END AS named,
               regexp_replace(split_part(split_part(object, ' ', 2), '(', 1), '^.*\.', '') AS plain
          FROM stc.collection_objects()) o
 CROSS JOIN aclexplode(o.acl) a
 WHERE NOT o.plain = ANY (%(before)s) AND a.grantee <> o.owner AND NOT (a.grantee = 0 AND o.kind = 'ROUTINE')
   AND a.grantee::regrole::text NOT IN ('stc_owner', 'stc_organiser', 'stc_participant', 'stc_reader')
"""


def names(conn: psycopg.Connection) -> list[str]:
    """Return the names of relations in the schemas of the collection and of the functions in stc_objects."""
    rows = conn.execute(
        "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname IN ('public', 'stc', 'stc_all')"
    ).fetchall()
    if ("stc_objects",) in rows:
        rows += conn.execute(
            "SELECT regexp_replace(split_part(c.obj, ' ', 2), '^.*\\.', '') FROM public.stc_objects o, unnest(o.creates) AS c (obj)"
        ).fetchall()
    return [name for (name,) in rows]


def close_new(conn: psycopg.Connection, before: list[str]) -> None:
    """Revoke rights that ALTER DEFAULT PRIVILEGES granted to others on new objects of the collection.

    Rights on a partition would bypass the policies; rights on a sequence allow setting ids. Manual grants stay.

    :param before: result of :func:`names` before; recreated objects keep their grants.
    """
    for (statement,) in conn.execute(_GIVEN.encode(), {"before": before}).fetchall():
        conn.execute(statement.encode())


def _exists(conn: psycopg.Connection, role: str) -> bool:
    return conn.execute("SELECT FROM pg_roles WHERE rolname = %s", [role]).fetchone() is not None


def _join(conn: psycopg.Connection) -> str | None:
    """Make the current user a member of stc_owner, because only members (and superusers) can give objects to a role."""
    row = conn.execute("SELECT pg_has_role('stc_owner', 'SET') AND pg_has_role('stc_owner', 'USAGE')").fetchone()
    if row == (True,):
        return None
    try:
        with conn.transaction():
            conn.execute("GRANT stc_owner TO CURRENT_USER WITH INHERIT TRUE, SET TRUE")
    except psycopg.errors.InsufficientPrivilege:
        return f"{conn.info.user} is not a member of stc_owner: owners and rights were not changed"
    return None


def _close(conn: psycopg.Connection) -> None:
    """Restrict connections to users added with 'stc db user', by revoking the rights of PUBLIC on the database.

    This is skipped for databases that stcollection did not create: other applications may depend on these rights. Owners get the
    right to create temporary tables, which loading and embedding need, unless PUBLIC has it.
    """
    row = conn.execute(
        "SELECT d.datname, has_database_privilege('public', d.oid, 'CONNECT') AND stc.restricted_database(),"
        " NOT EXISTS (SELECT FROM aclexplode(d.datacl) a WHERE a.grantee = 'stc_owner'::regrole AND a.privilege_type = 'TEMPORARY')"
        " AND (stc.restricted_database() OR NOT has_database_privilege('public', d.oid, 'TEMPORARY'))"
        " FROM pg_database d WHERE d.datname = current_database() AND pg_has_role(d.datdba, 'USAGE')"
    ).fetchone()
    if row is None:
        return
    name = sql.Identifier(row[0])
    if row[1]:
        conn.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(name))
    if row[2]:
        conn.execute(sql.SQL("GRANT TEMPORARY ON DATABASE {} TO stc_owner").format(name))


def open_to_all(conn: psycopg.Connection) -> str | None:
    """Return a sentence on the rights of PUBLIC in this database; None if it has none."""
    row = conn.execute(
        "SELECT has_database_privilege('public', current_database(), 'CONNECT'), has_schema_privilege('public', 'public', 'CREATE')"
    ).fetchone()
    if row is None or row == (False, False):
        return None
    may = " and ".join(what for what, is_so in zip(("connect", "create objects in the schema public"), row, strict=True) if is_so)
    return f"PUBLIC may {may}"


def describe_roles(conn: psycopg.Connection) -> str:
    """Return a line about the roles: the number of logins of each, and the owner of the objects."""
    rows: dict[str, int] = dict(
        conn.execute(
            "SELECT r.rolname, count(DISTINCT l.oid) FROM pg_roles r LEFT JOIN pg_auth_members m ON m.roleid = r.oid"
            " AND (m.inherit_option OR m.set_option)"
            " LEFT JOIN pg_roles l ON l.oid = m.member AND l.rolcanlogin AND has_database_privilege(l.oid,"
            " current_database(), 'CONNECT')"
            " WHERE r.rolname = ANY (%s) GROUP BY 1",
            [list(ROLES)],
        ).fetchall()
    )
    if len(rows) < len(ROLES):
        return "none: run 'stc db upgrade' as a user who may create roles"
    owner = conn.execute("SELECT relowner::regrole::text FROM pg_class WHERE oid = 'public.dblp'::regclass").fetchone()
    people = ", ".join(counted(rows[role], role.removeprefix("stc_")) for role in ROLES)
    return f"{people} can log in; the objects belong to {owner[0] if owner else 'nobody'}"

"""The roles of a collection and what they may: owner, organiser, participant, reader.

They are the server's, so one set serves all its collections, and pg_dump leaves them out: upgrade and restore see to it that they
are there. Who may what is said in SQL (sql/db/): stc_rights for the tables, put_policies for their rows.
"""

from __future__ import annotations

import psycopg
from psycopg import sql

ROLES = {
    "stc_owner": "owns the collections of stcollection",
    "stc_organiser": "judges, hides and releases; sees all",
    "stc_participant": "reads what is open, stores runs of the own team",
    "stc_reader": "reads what is open",
}


#: The role of an owner in psql: a slip drops no table.
WORKING = "stc_organiser"


def working_role(conn: psycopg.Connection) -> str | None:
    """Return :data:`WORKING` if the session is an owner of the collection and can become that role, else None."""
    row = conn.execute(
        "SELECT to_regrole('stc_owner') IS NOT NULL AND to_regrole(%(role)s) IS NOT NULL AND pg_has_role('stc_owner', 'USAGE')"
        " AND pg_has_role(%(role)s, 'SET')",
        {"role": WORKING},
    ).fetchone()
    return WORKING if row == (True,) else None


def create_roles(conn: psycopg.Connection) -> str | None:
    """Make the roles that are not there; runs in the caller's transaction, or in one of its own.

    :returns: None when all are there, else why not, in a sentence.
    """
    for role, comment in ROLES.items():
        if _there(conn, role):
            continue
        try:
            with conn.transaction():
                conn.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(sql.Identifier(role)))
                conn.execute(sql.SQL("COMMENT ON ROLE {} IS {}").format(sql.Identifier(role), comment))
        except (psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):  # another upgrade on this server, just now
            continue
        except psycopg.errors.InsufficientPrivilege:
            return f"{conn.info.user} may not create roles, and {role} is not there: the collection is its owner's alone"
    return None


def ensure_roles(conn: psycopg.Connection) -> str | None:
    """See to it that the roles are there, own the collection's objects, and may what they are to; quick where that is so.

    Runs in the caller's transaction; the functions of sql/ must be in the database. The policies of who is no organiser are put in
    any case, so that what is hidden is hidden from whoever is granted a table by hand.

    :returns: None when all is so, else what is not and why, in a sentence.
    """
    without = create_roles(conn) or _join(conn)
    if without is None:
        conn.execute("SELECT stc.own_objects()")
        conn.execute("SELECT stc.grant_rights()")
        _close(conn)
    conn.execute("SELECT stc.put_policies()")
    return without


# PUBLIC may call functions, except those that grant_rights closes.
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
    """The names of what is in the schemas of the collection and has rights: relations, and the functions that stc_objects lists."""
    rows = conn.execute(
        "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname IN ('public', 'stc')"
    ).fetchall()
    if ("stc_objects",) in rows:
        rows += conn.execute(
            "SELECT regexp_replace(split_part(c.one, ' ', 2), '^.*\\.', '') FROM public.stc_objects o, unnest(o.creates) AS c (one)"
        ).fetchall()
    return [name for (name,) in rows]


def close_new(conn: psycopg.Connection, before: list[str]) -> None:
    """Take from others what ALTER DEFAULT PRIVILEGES gave them on objects of the collection that were just made.

    Rights on a partition would go round the policies, rights on a sequence set ids. Grants by hand stay.

    :param before: what :func:`names` returned; objects that are made again have the grants they had.
    """
    for (statement,) in conn.execute(_GIVEN.encode(), {"before": before}).fetchall():
        conn.execute(statement.encode())


def _there(conn: psycopg.Connection, role: str) -> bool:
    return conn.execute("SELECT FROM pg_roles WHERE rolname = %s", [role]).fetchone() is not None


def _join(conn: psycopg.Connection) -> str | None:
    """Make the current user a member of stc_owner, where it is no superuser: one gives objects to a role that one can become."""
    row = conn.execute("SELECT pg_has_role('stc_owner', 'SET') AND pg_has_role('stc_owner', 'USAGE')").fetchone()
    if row == (True,):
        return None
    try:
        with conn.transaction():
            conn.execute("GRANT stc_owner TO CURRENT_USER WITH INHERIT TRUE, SET TRUE")
    except psycopg.errors.InsufficientPrivilege:
        return f"{conn.info.user} is not of the role stc_owner: what the roles own and may was left as it is"
    return None


def _close(conn: psycopg.Connection) -> None:
    """Let into the database whom 'stc db user add' lets in, and nobody just because the server knows them.

    Not in a database that stcollection did not make: other applications may depend on the rights of PUBLIC there.
    Owners are given tables that last as long as a session, which they need to load and embed.
    """
    row = conn.execute(
        "SELECT d.datname, has_database_privilege('public', d.oid, 'CONNECT') AND stc.restricted_database(),"
        " NOT EXISTS (SELECT FROM aclexplode(d.datacl) a WHERE a.grantee = 'stc_owner'::regrole AND a.privilege_type = 'TEMPORARY')"
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
    """What everybody may do in this database, in a sentence; None where it is closed."""
    row = conn.execute(
        "SELECT has_database_privilege('public', current_database(), 'CONNECT'), has_schema_privilege('public', 'public', 'CREATE')"
    ).fetchone()
    if row is None or row == (False, False):
        return None
    may = " and ".join(what for what, is_so in zip(("connect", "create objects in the schema public"), row, strict=True) if is_so)
    return f"PUBLIC may {may}"


def told(conn: psycopg.Connection) -> str:
    """A line about the roles here: who one is, how many there are of each, whether they hold."""
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
        return "none: 'stc db upgrade' by a user who may create roles makes them"
    owner = conn.execute("SELECT relowner::regrole::text FROM pg_class WHERE oid = 'public.dblp'::regclass").fetchone()
    people = ", ".join(f"{rows[role]} {role.removeprefix('stc_')}{'s' if rows[role] != 1 else ''}" for role in ROLES)
    return f"{people} log in; the objects are {owner[0] if owner else 'nobody'}'s"

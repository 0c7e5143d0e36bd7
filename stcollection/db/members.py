"""Manage the users of a collection: logins, roles and teams."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, get_args

import psycopg
from psycopg import sql

from stcollection.db.roles import ROLES, ensure_roles
from stcollection.errors import BadArgument, StateError, UnknownObject, translate
from stcollection.names import RULE, is_name

Kind = Literal["participant", "organiser", "reader", "owner"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
#: Comment on the logins that add_member creates.
LOGIN = "added with 'stc db user'"
_TAKEN = ("public", "stc", "none", "current_user", "session_user", "user", "information_schema")
_ELSEWHERE = """
SELECT d.datname::text, string_agg(a.privilege_type, ', ' ORDER BY a.privilege_type)
  FROM pg_database d CROSS JOIN LATERAL aclexplode(d.datacl) a
 WHERE a.grantee = to_regrole(quote_ident(%s)) AND d.datname <> current_database() GROUP BY d.datname ORDER BY d.datname
"""


class Member(NamedTuple):
    """A user of the collection.

    :param kinds: roles, from KINDS. :param team: team of a participant. :param schema: schema for the user's tables.
    """

    name: str
    kinds: list[str]
    team: str | None
    schema: str | None


@translate()
def add_member(conn: psycopg.Connection, name: str, *, kind: Kind, team: str | None = None, password: str | None = None) -> bool:
    """Add a user to the collection, in one transaction.

    Logins belong to the server: an existing login, for instance of another collection, keeps its password by default.
    Participants, organisers and readers get a schema with their name for their tables. Objects that an owner creates belong to
    stc_owner.

    :param team: team of a participant; another team replaces the stored one.
    :param password: sent to the server as SCRAM verifier, so that no log contains it; None if the login must already exist.
    :returns: True if the login was created.
    :raises BadArgument: an invalid name; a team for a role without teams, or no team for a participant; no password.
    :raises StateError: the login has another role or is not managed by stcollection; the roles are missing.
    """
    if not _NAME.fullmatch(name) or name.startswith(("pg_", "stc_")) or name in _TAKEN:
        raise BadArgument(
            f"{name!r} cannot be the name of a login",
            hint="Use at most 63 lower-case letters, digits and underscores. Start with a letter, but not with pg_ or stc_.",
        )
    if (kind == "participant") != bool(team and team.strip()):
        raise BadArgument(
            f"{name} as {kind} {'without' if kind == 'participant' else 'with'} a team",
            hint="Give participants a team with --team; other users have no team.",
        )
    if team is not None and not is_name(team.strip()):
        raise BadArgument(f"{team[:60]!r} cannot be the name of a team", hint=RULE)
    with conn.transaction():
        if without := ensure_roles(conn):
            raise StateError(without, hint="Have a superuser run 'stc db upgrade' once.")
        open_to_all = conn.execute("SELECT has_schema_privilege('public', 'public', 'CREATE')").fetchone() == (True,)
        if open_to_all and kind != "owner":  # PostgreSQL prefers a function with the very types, also for functions of the owner
            raise StateError(
                "PUBLIC may create objects in the schema public, so members could run code with the owner's rights",
                hint=f"'stc --db {conn.info.dbname} db upgrade --restrict' revokes this right. Then add the user again.",
            )
        role = f"stc_{kind}"
        created = _make(conn, name, role, password)
        conn.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(role), sql.Identifier(name)))
        database = sql.Identifier(conn.info.dbname)
        conn.execute(sql.SQL("GRANT CONNECT, TEMPORARY ON DATABASE {} TO {}").format(database, sql.Identifier(name)))
        _check_schema(conn, name)
        if kind == "owner":  # objects belong to the role, not to a person
            conn.execute(sql.SQL("ALTER ROLE {} IN DATABASE {} SET role = 'stc_owner'").format(sql.Identifier(name), database))
        else:
            _make_schema(conn, name)
        if kind == "organiser":  # in every program, the names of tables are those with hidden rows
            path = sql.SQL("ALTER ROLE {} IN DATABASE {} SET search_path = '$user', stc_all, public")
            conn.execute(path.format(sql.Identifier(name), database))
        if team:
            conn.execute(
                "INSERT INTO stc.stc_members (member, team) VALUES (%s, %s) ON CONFLICT (member) DO UPDATE"
                " SET team = excluded.team",
                [name, team.strip()],
            )
    return created


def _make(conn: psycopg.Connection, name: str, role: str, password: str | None) -> bool:
    row = conn.execute(
        "SELECT r.rolsuper OR r.rolbypassrls OR r.rolcreaterole, ARRAY(SELECT m.roleid::regrole::text FROM pg_auth_members m"
        " WHERE m.member = r.oid AND m.roleid::regrole::text = ANY (%s)) FROM pg_roles r WHERE r.rolname = %s",
        [list(ROLES), name],
    ).fetchone()
    if row is None:
        if not password:
            raise BadArgument(f"{name} is not a login yet, and has no password", hint="Give one with --password-file.")
        conn.execute(
            sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(name), sql.Literal(_verifier(conn, name, password)))
        )
        conn.execute(sql.SQL("COMMENT ON ROLE {} IS {}").format(sql.Identifier(name), LOGIN))
        return True
    powerful, roles = row
    if powerful or not roles:
        raise StateError(f"{name} is a role of the server, and not of stcollection", hint="Choose another name.")
    if roles != [role]:
        raise StateError(
            f"{name} is {', '.join(held.removeprefix('stc_') for held in roles)} already",
            hint="A login has one role on the whole server: choose another name, or drop the user with 'stc drop user' first.",
        )
    if password:
        conn.execute(
            sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(name), sql.Literal(_verifier(conn, name, password)))
        )
    return False


def _verifier(conn: psycopg.Connection, name: str, password: str) -> str:
    return conn.pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256").decode()


def _check_schema(conn: psycopg.Connection, name: str) -> None:
    """Refuse a login if another role has a schema with its name, which the login's statements would search first."""
    owner = conn.execute("SELECT nspowner::regrole::text FROM pg_namespace WHERE nspname = %s", [name]).fetchone()
    if owner is not None and owner != (name,):
        raise StateError(f"there is a schema {name!r} that belongs to {owner[0]}", hint="Choose another name.")


def _make_schema(conn: psycopg.Connection, name: str) -> None:
    if conn.execute("SELECT FROM pg_namespace WHERE nspname = %s", [name]).fetchone() is not None:
        return
    login = sql.Identifier(name)
    become = conn.execute("SELECT NOT pg_has_role(%s, 'SET')", [name]).fetchone() == (True,)
    if become:
        conn.execute(sql.SQL("GRANT {} TO CURRENT_USER WITH INHERIT FALSE, SET TRUE").format(login))
    conn.execute(sql.SQL("CREATE SCHEMA {} AUTHORIZATION {}").format(login, login))
    if become:
        conn.execute(sql.SQL("REVOKE SET OPTION FOR {} FROM CURRENT_USER").format(login))


@translate()
def has_login(conn: psycopg.Connection, name: str) -> bool:
    """Return True if the server has a login with this name, managed by stcollection or not."""
    return conn.execute("SELECT FROM pg_roles WHERE rolname = %s", [name]).fetchone() is not None


@translate()
def members(conn: psycopg.Connection) -> list[Member]:
    """Return the logins with a role of the collection that can connect to this database, ordered by name."""
    rows = conn.execute(
        "SELECT l.rolname, array_agg(DISTINCT substr(r.rolname, 5) ORDER BY substr(r.rolname, 5)), max(s.team),"
        "       (SELECT n.nspname FROM pg_namespace n WHERE n.nspname = l.rolname AND n.nspowner = l.oid)"
        # The creator of a role gets it with ADMIN only, without its rights and without SET.
        "  FROM pg_roles l JOIN pg_auth_members m ON m.member = l.oid AND (m.inherit_option OR m.set_option)"
        "  JOIN pg_roles r ON r.oid = m.roleid AND r.rolname = ANY (%s)"
        "  LEFT JOIN stc.stc_members s ON s.member = l.rolname"
        " WHERE l.rolcanlogin AND has_database_privilege(l.oid, current_database(), 'CONNECT') AND NOT l.rolsuper"
        ' GROUP BY l.oid, l.rolname ORDER BY l.rolname COLLATE "C"',
        [list(ROLES)],
    ).fetchall()
    return [Member(*row) for row in rows]


@translate()
def drop_member(conn: psycopg.Connection, name: str) -> bool:
    """Remove a user with the user's schema, systems and unfinished runs, and end the user's sessions; runs of the team stay.

    :returns: True if the login was dropped too; it stays if other collections of the server use it.
    :raises UnknownObject: the user does not exist.
    """
    if name not in {member.name for member in members(conn)}:
        raise UnknownObject(f"there is no user {name!r} of this collection", hint="'stc show users' shows all users.")
    login, database = sql.Identifier(name), sql.Identifier(conn.info.dbname)
    with conn.transaction():
        conn.execute("DELETE FROM stc.stc_members WHERE member = %s", [name])
        if conn.execute("SELECT pg_has_role(%s, 'SET')", [name]).fetchone() != (True,):
            conn.execute(sql.SQL("GRANT {} TO CURRENT_USER WITH INHERIT TRUE, SET TRUE").format(login))
        end_sessions(conn, name)  # the user could hold locks on objects in the schema
        for table in ("own_systems", "unfinished_runs"):  # a later user could have the name
            conn.execute(sql.SQL("DELETE FROM stc.{} WHERE maker = %s").format(sql.Identifier(table)), [name])
        conn.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(login))
        elsewhere = conn.execute(_ELSEWHERE, [name]).fetchall()
        conn.execute(sql.SQL("DROP OWNED BY {}").format(login))  # also revokes rights on other databases
        for other, rights in elsewhere:
            conn.execute(sql.SQL("GRANT {} ON DATABASE {} TO {}").format(sql.SQL(rights), sql.Identifier(other), login))
        if conn.execute(_ELSEWHERE, [name]).fetchall() != elsewhere:
            databases = ", ".join(other for other, _ in elsewhere)
            raise StateError(
                f"{name} also uses the databases {databases}, on which {conn.info.user} may not grant rights",
                hint=f"Have a superuser run 'stc --db {conn.info.dbname} drop user {name}'. Nothing was changed.",
            )
        conn.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM {}").format(database, login))
        end_sessions(conn, name)
        try:
            with conn.transaction():
                conn.execute(sql.SQL("DROP ROLE {}").format(login))
        except psycopg.errors.DependentObjectsStillExist:
            conn.execute(sql.SQL("ALTER ROLE {} IN DATABASE {} RESET ALL").format(login, database))
            return False
    return True


def end_sessions(conn: psycopg.Connection, name: str) -> None:
    """End the sessions of a login in this database."""
    conn.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = %s AND datname = current_database()", [name]
    )

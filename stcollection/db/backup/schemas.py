"""Dump and restore schemas of other users: ``stc db dump --with-schemas`` and ``stc db restore --with-schemas``.

They contain foreign code. pg_dump writes each to a separate archive. Restore runs an archive as a temporary login role that owns
only that schema; afterwards the objects are given to the role that owned the schema.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from stcollection.db.backup import programs, scratch
from stcollection.db.backup.manifest import Manifest
from stcollection.db.connection import conninfo
from stcollection.db.roles import ROLES
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, ProgramFailed, StateError

FOLDER = "schemas"
_LEFT_OUT = ("SCHEMA", "EXTENSION", "EVENT TRIGGER", "PUBLICATION", "SUBSCRIPTION")  # created here, or not part of a schema
_PREFIX = "stc_restoring_"

# A role that may own restored objects: it exists and has no rights beyond those of a member.
_ORDINARY = """
SELECT r.rolname NOT LIKE 'stc\\_%%' AND NOT (r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication OR r.rolbypassrls)
   AND NOT EXISTS (SELECT FROM pg_roles g WHERE pg_has_role(r.oid, g.oid, 'MEMBER') AND g.oid <> r.oid
                      AND g.rolname NOT IN ('stc_participant', 'stc_reader'))
  FROM pg_roles r WHERE r.rolname = %s
"""

# Foreign keys by which a change of our tables changes tables of the schema. Code attached to those tables, now or later, would run
# with the rights of the table's owner or of the user who changed ours.
_HOOKS = """
SELECT k.conrelid::regclass::text, k.conname, k.confrelid::regclass::text
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid
  JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE k.contype = 'f' AND k.conparentid = 0 AND n.nspname = %(schema)s AND p.relnamespace <> n.oid
   AND (k.confdeltype IN ('c', 'n', 'd') OR k.confupdtype IN ('c', 'n', 'd'))
   AND (%(member)s OR EXISTS (SELECT FROM pg_proc f WHERE f.pronamespace = n.oid)
        OR EXISTS (SELECT FROM pg_trigger g JOIN pg_class t ON t.oid = g.tgrelid
                    WHERE t.relnamespace = n.oid AND NOT g.tgisinternal)
        OR EXISTS (SELECT FROM pg_rewrite w JOIN pg_class t ON t.oid = w.ev_class
                    WHERE t.relnamespace = n.oid AND t.relkind NOT IN ('v', 'm')))
 ORDER BY 1, 2
"""


def check(conn: psycopg.Connection, names: Sequence[str]) -> dict[str, str]:
    """Return the owner of each schema to dump. Ends the transaction.

    :raises BadArgument: a schema does not exist, or belongs to PostgreSQL or the collection.
    """
    found: dict[str, str] = {}
    for name in names:
        row = conn.execute(
            "SELECT pg_get_userbyid(n.nspowner) FROM pg_namespace n WHERE n.nspname = %s"
            " AND n.nspname NOT IN ('public', 'information_schema') AND n.nspname !~ '^(pg_|stc$)'",
            [name],
        ).fetchone()
        if row is None:
            raise BadArgument(
                f"there is no schema {name!r} to dump", hint="List schemas with psql's \\dn; the collection's are always dumped."
            )
        found[name] = str(row[0])
    if not conn.autocommit:
        conn.rollback()
    return found


def folder_of(number: int) -> str:
    """Return the path of an archive in the dump, by number because schema names can contain any character."""
    return f"{FOLDER}/{number:03d}"


def save(settings: Settings, names: Sequence[str], folder: Path, *, server: int, keep: int) -> None:
    """Write an archive of each schema."""
    program = programs.find("pg_dump", server=server)
    (folder / FOLDER).mkdir()
    for number, name in enumerate(names, 1):
        pattern = '"' + name.replace('"', '""') + '"'
        programs.run(
            [
                program,
                "--format=directory",
                f"--file={folder / folder_of(number)}",
                f"--schema={pattern}",
                "--strict-names",
                "--no-owner",
                "--no-privileges",
                "--lock-wait-timeout=60s",
            ],
            conninfo=conninfo(settings),
            keep=[keep],
        )


def ordinary(conn: psycopg.Connection, role: str) -> bool:
    """Return True if a role exists and may own restored objects."""
    return conn.execute(_ORDINARY, [role]).fetchone() == (True,)


def check_names(admin: psycopg.Connection, owners: dict[str, str], wanted: Sequence[str]) -> None:
    """Refuse schemas with the name of a login, whose search path would find them first, unless it is an ordinary member's schema.

    :raises BadArgument: a schema has the name of a role with other rights, or of a role that is not its owner.
    """
    for name in wanted:
        there = admin.execute("SELECT FROM pg_roles WHERE rolname = %s", [name]).fetchone() is not None
        if (there or name in ROLES) and not (owners[name] == name and ordinary(admin, name)):
            raise BadArgument(
                f"the schema {name!r} has the name of a login that is not its owner or not an ordinary member: the login's"
                " statements would find objects in the schema first",
                hint="Omit it from --with-schemas, or have it dumped under another name.",
            )


def restore(
    settings: Settings, folder: Path, described: Manifest, wanted: Sequence[str], *, server: int, admin: psycopg.Connection
) -> list[str]:
    """Restore schemas in the database of ``settings``.

    :returns: notes on differences from the dump.
    :raises StateError: the user may not create the temporary role.
    """
    program = programs.find("pg_restore", server=server)
    notes = []
    for number, (name, owner) in enumerate(described.schemas.items(), 1):
        if name not in wanted:
            continue
        with _role(settings, admin) as (role, password):
            with scratch.reach(settings, settings.db) as conn:
                _let_in(conn, settings.db, name, role)
            programs.check_archive(folder, folder_of(number), described.files)
            archive = folder / folder_of(number)
            listed = programs.contents(program, archive)
            entries = [one for one in listed if one.kind not in _LEFT_OUT]
            with programs.chosen(entries) as chosen:
                command = [program, f"--use-list={chosen}", "--exit-on-error", "--no-owner", "--no-privileges", str(archive)]
                try:
                    programs.run(command, conninfo=make_conninfo(conninfo(settings), user=role, password=password))
                except ProgramFailed as error:
                    raise ProgramFailed(
                        f"the schema {name!r} cannot be restored: {error.message}",
                        hint="Omit it from --with-schemas. Nothing was kept.",
                    ) from error
            with scratch.reach(settings, settings.db) as conn:
                to = owner if ordinary(conn, owner) else "stc_owner"
                if to != owner:
                    notes.append(
                        f"the schema {name} now belongs to stc_owner: its owner {owner} is not an ordinary member on this server"
                    )
                notes += _unhook(conn, name, member=to != "stc_owner")
                _hand_over(conn, settings.db, name, role, to)
    return notes


@contextlib.contextmanager
def _role(settings: Settings, admin: psycopg.Connection) -> Iterator[tuple[str, str]]:
    """Create a login role without rights; drop it at the end with its remaining objects."""
    role, password = _PREFIX + secrets.token_hex(8), secrets.token_urlsafe(24)
    try:
        admin.execute(
            sql.SQL(
                "CREATE ROLE {} LOGIN NOINHERIT NOSUPERUSER NOCREATEDB NOCREATEROLE CONNECTION LIMIT 4 PASSWORD {}"
                " VALID UNTIL 'tomorrow'"
            ).format(sql.Identifier(role), password)
        )
    except psycopg.errors.InsufficientPrivilege as error:
        raise StateError(
            f"{admin.info.user} may not create roles, which --with-schemas needs",
            hint="Restore as a user with the right to create roles, or without --with-schemas.",
        ) from error
    try:
        # A role with CREATEROLE that is not a superuser can reassign only objects of roles it is a member of.
        admin.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(sql.Identifier(role)))
        yield role, password
    finally:
        with contextlib.suppress(psycopg.OperationalError):
            admin.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = %s", [role])
            with contextlib.suppress(psycopg.Error), scratch.reach(settings, settings.db) as conn:
                conn.execute(sql.SQL("DROP OWNED BY {} CASCADE").format(sql.Identifier(role)))
            admin.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(role)))


def _let_in(conn: psycopg.Connection, database: str, schema: str, role: str) -> None:
    """Create the empty schema for the role, and grant REFERENCES on the collection's tables for foreign keys."""
    own, name = sql.Identifier(role), sql.Identifier(schema)
    conn.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(sql.Identifier(database), own))
    conn.execute(sql.SQL("GRANT USAGE ON SCHEMA public, stc TO {}").format(own))
    conn.execute(sql.SQL("GRANT REFERENCES ON ALL TABLES IN SCHEMA public, stc TO {}").format(own))
    conn.execute(sql.SQL("CREATE SCHEMA {} AUTHORIZATION {}").format(name, own))


def _unhook(conn: psycopg.Connection, schema: str, *, member: bool) -> list[str]:
    """Drop foreign keys that would run the schema's code when our tables change. :returns: notes on them."""
    notes = []
    for table, name, ours in conn.execute(_HOOKS, {"schema": schema, "member": member}).fetchall():
        # The server's text of the table name, which is quoted.
        conn.execute(sql.SQL("ALTER TABLE {} DROP CONSTRAINT {}").format(sql.SQL(table), sql.Identifier(name)))
        notes.append(f"skipped the foreign key {name} of {table}: changes of {ours} would run code of the schema {schema}")
    return notes


def _hand_over(conn: psycopg.Connection, database: str, schema: str, role: str, to: str) -> None:
    """Give the schema and its objects to a role, and revoke all grants of the archive."""
    own, new = sql.Identifier(role), sql.Identifier(to)
    granted = conn.execute(
        "SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END FROM pg_namespace n,"
        " aclexplode(n.nspacl) a WHERE n.nspname = %s AND a.grantee <> n.nspowner",
        [schema],
    ).fetchall()
    for (grantee,) in granted:  # the server's text of the role name, which is quoted
        conn.execute(sql.SQL("REVOKE ALL ON SCHEMA {} FROM {} CASCADE").format(sql.Identifier(schema), sql.SQL(grantee)))
    conn.execute(sql.SQL("GRANT CREATE ON DATABASE {} TO {}").format(sql.Identifier(database), new))
    conn.execute(sql.SQL("REASSIGN OWNED BY {} TO {}").format(own, new))
    conn.execute(sql.SQL("REVOKE CREATE ON DATABASE {} FROM {}").format(sql.Identifier(database), new))
    conn.execute(sql.SQL("DROP OWNED BY {}").format(own))

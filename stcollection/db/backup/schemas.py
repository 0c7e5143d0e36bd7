"""Dump and restore schemas of other users: ``stc db dump --with-schemas`` and ``stc db restore --with-schemas``.

They contain foreign code. pg_dump writes each to a separate archive. Restore runs an archive as a temporary login role that owns
only that schema; afterwards the objects are given to an ordinary member, by default the role that owned the schema. They never
belong to a role with more rights, because autovacuum runs functions of indexes as the owner of their table.
"""

from __future__ import annotations

import contextlib
import re
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

# A role that may own restored objects: a participant or reader without further rights, or, if the user names it, a role that has no
# rights and cannot log in.
_ORDINARY = """
SELECT r.rolname NOT LIKE 'stc\\_%%' AND NOT (r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication OR r.rolbypassrls)
   AND NOT EXISTS (SELECT FROM pg_roles g WHERE pg_has_role(r.oid, g.oid, 'MEMBER') AND g.oid <> r.oid
                      AND g.rolname NOT IN ('stc_participant', 'stc_reader'))
   AND (%(named)s AND NOT r.rolcanlogin
        OR EXISTS (SELECT FROM pg_auth_members m WHERE m.member = r.oid
                      AND m.roleid IN (to_regrole('stc_participant'), to_regrole('stc_reader'))))
  FROM pg_roles r WHERE r.rolname = %(role)s
"""

# A foreign key from the schema to a table of the collection, in the text of pg_restore.
_OUTWARD = re.compile(r"\bREFERENCES (?:public|stc)\.")

# Whether the user may give objects to a role: as a member, or as one who may become a member.
_GIVES = """
SELECT pg_has_role(%(to)s, 'SET') AND pg_has_role(%(to)s, 'USAGE') OR pg_has_role(%(to)s, 'USAGE WITH ADMIN OPTION')
"""


def check(conn: psycopg.Connection, names: Sequence[str]) -> dict[str, str]:
    """Return the owner of each schema to dump. Ends the transaction.

    :raises BadArgument: a schema does not exist, or belongs to PostgreSQL or the collection.
    """
    owned: dict[str, str] = {}
    for name in names:
        row = conn.execute(
            "SELECT pg_get_userbyid(n.nspowner) FROM pg_namespace n WHERE n.nspname = %s"
            " AND n.nspname NOT IN ('public', 'information_schema') AND n.nspname !~ '^(pg_|stc(_all)?$)'",
            [name],
        ).fetchone()
        if row is None:
            raise BadArgument(
                f"there is no schema {name!r} to dump", hint="List schemas with psql's \\dn; the collection's are always dumped."
            )
        owned[name] = str(row[0])
    if not conn.autocommit:
        conn.rollback()
    return owned


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


def ordinary(conn: psycopg.Connection, role: str, *, named: bool) -> bool:
    """Return True if a role exists and may own restored objects. :param named: the user named it."""
    return conn.execute(_ORDINARY, {"role": role, "named": named}).fetchone() == (True,)


def owners(admin: psycopg.Connection, dumped: dict[str, str], specs: Sequence[str]) -> dict[str, str]:
    """Return the schemas to restore with their new owners.

    Refuse schemas with the name of a login, whose search path would find them first, unless it is the new owner.

    :param dumped: schemas in the dump with their owners. :param specs: names of schemas, or NAME=LOGIN to give one to a login.
    :raises BadArgument: the dump does not contain a schema; its owner is not an ordinary member; its name is that of another login.
    :raises StateError: the user may not give objects to the owner.
    """
    new_owners = {}
    for spec in specs:
        name, to = (spec, "") if spec in dumped or "=" not in spec else spec.rsplit("=", 1)
        if name not in dumped:
            names = ", ".join(dumped) or "none"
            raise BadArgument(f"the dump does not contain the schema {name!r}", hint=f"Further schemas in the dump: {names}.")
        named, to = bool(to), to or dumped[name]
        if not ordinary(admin, to, named=named):
            raise BadArgument(
                f"the schema {name!r} cannot be given to {to!r}, who is not a participant or reader on this server: its code would"
                " run with the rights of its owner",
                hint=f"Add the login with 'stc db user', or name the participant or reader who gets the schema: --with-schemas"
                f" {name}=LOGIN.",
            )
        there_is = admin.execute("SELECT FROM pg_roles WHERE rolname = %s", [name]).fetchone() is not None
        if (there_is or name in ROLES) and to != name:
            raise BadArgument(
                f"the schema {name!r} has the name of a login that is not its owner: the login's statements would find objects in"
                " the schema first",
                hint="Omit it from --with-schemas, or have it dumped under another name.",
            )
        if admin.execute(_GIVES, {"to": to}).fetchone() != (True,):
            raise StateError(
                f"{admin.info.user} may not give the schema {name!r} to {to!r}",
                hint=f"Restore as a superuser or as the user who added {to!r}, or without the schema.",
            )
        new_owners[name] = to
    return new_owners


def restore(
    settings: Settings, folder: Path, described: Manifest, new_owners: dict[str, str], *, server: int, admin: psycopg.Connection
) -> list[str]:
    """Restore schemas in the database of ``settings``.

    :param new_owners: names of schemas and their new owners, from :func:`owners`.
    :returns: notes on differences from the dump.
    :raises StateError: the user may not create the temporary role; a new owner got further rights meanwhile.
    """
    program = programs.find("pg_restore", server=server)
    notes = []
    for number, name in enumerate(described.schemas, 1):
        if name not in new_owners:
            continue
        with _role(settings, admin) as (role, password):
            with scratch.reach(settings, settings.db) as conn:
                _let_in(conn, settings.db, name, role)
            programs.check_archive(folder, folder_of(number), described.files)
            archive = folder / folder_of(number)
            keys = _outward(program, archive)
            notes += [f"skipped the foreign key {key.name} of the schema {name} to a table of the collection" for key in keys]
            entries = [entry for entry in programs.contents(program, archive) if entry.kind not in _LEFT_OUT and entry not in keys]
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
                _hand_over(conn, settings.db, name, role, new_owners[name])
    return notes


def _outward(program: str, archive: Path) -> list[programs.ArchiveEntry]:
    """Return the foreign keys to tables of the collection.

    They are not restored: participants and readers cannot create them either. Checking one calls casts of the schema's types as
    the owner of our table, and with ON DELETE CASCADE a change of our table runs triggers of the schema.
    """
    keys = [entry for entry in programs.contents(program, archive) if entry.kind == "FK CONSTRAINT"]
    return [key for key in keys if _OUTWARD.search(programs.script(program, archive, [key]))]


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
    """Create the empty schema for the role. It gets no right on a table."""
    own, name = sql.Identifier(role), sql.Identifier(schema)
    conn.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(sql.Identifier(database), own))
    conn.execute(sql.SQL("GRANT USAGE ON SCHEMA public, stc TO {}").format(own))
    conn.execute(sql.SQL("CREATE SCHEMA {} AUTHORIZATION {}").format(name, own))


def _hand_over(conn: psycopg.Connection, database: str, schema: str, role: str, to: str) -> None:
    """Give the schema and its objects to a member, and revoke all grants of the archive.

    :raises StateError: the member got further rights since :func:`owners` checked them.
    """
    own, new = sql.Identifier(role), sql.Identifier(to)
    if not ordinary(conn, to, named=True):
        raise StateError(f"{to!r} is no longer a participant or reader", hint="Restore again. Nothing was kept.")
    granted = conn.execute(
        "SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END FROM pg_namespace n,"
        " aclexplode(n.nspacl) a WHERE n.nspname = %s AND a.grantee <> n.nspowner",
        [schema],
    ).fetchall()
    for (grantee,) in granted:  # the server's text of the role name, which is quoted
        conn.execute(sql.SQL("REVOKE ALL ON SCHEMA {} FROM {} CASCADE").format(sql.Identifier(schema), sql.SQL(grantee)))
    become = conn.execute("SELECT pg_has_role(%s, 'SET') AND pg_has_role(%s, 'USAGE')", [to, to]).fetchone() != (True,)
    if become:
        conn.execute(sql.SQL("GRANT {} TO CURRENT_USER WITH INHERIT TRUE, SET TRUE").format(new))
    conn.execute(sql.SQL("GRANT CREATE ON DATABASE {} TO {}").format(sql.Identifier(database), new))
    conn.execute(sql.SQL("REASSIGN OWNED BY {} TO {}").format(own, new))
    conn.execute(sql.SQL("REVOKE CREATE ON DATABASE {} FROM {}").format(sql.Identifier(database), new))
    if become:
        conn.execute(sql.SQL("REVOKE {} FROM CURRENT_USER").format(new))
    conn.execute(sql.SQL("DROP OWNED BY {}").format(own))

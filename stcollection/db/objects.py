"""The functions and views of sql/, and how a database is put in step with them.

A file holds one object (a trigger's function and its triggers count as one) and is the truth. :func:`sync` creates or replaces
what changed and drops what is gone, in order of dependence, inside the caller's transaction. Where an object cannot be replaced in
place (a view lost a column, a function changed its signature) it and those of ours that stand on it are dropped and made again
with the grants they had. Never CASCADE: where an object of the user stands on one that must go, the upgrade refuses and names it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import psycopg
from psycopg import sql

from stcollection.db.files import folder
from stcollection.errors import StateError

_CREATE = re.compile(
    r"^CREATE\s+OR\s+REPLACE\s+(?:(?P<kind>FUNCTION|PROCEDURE|VIEW|AGGREGATE)\s+(?P<name>\w+)"
    r"|TRIGGER\s+(?P<trigger>\w+)\s[^;]*?\bON\s+(?P<table>\w+))",
    re.IGNORECASE | re.MULTILINE,
)
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_QUOTED = re.compile(r"(\$\w*\$).*?\1|'(?:[^']|'')*'", re.DOTALL)
# CREATE OR REPLACE cannot do it in place: another return type or parameter name; another column of a view; something depends on it.
_CANNOT_REPLACE = (
    psycopg.errors.InvalidFunctionDefinition,
    psycopg.errors.InvalidTableDefinition,
    psycopg.errors.DependentObjectsStillExist,
    psycopg.errors.InvalidObjectDefinition,
)


@dataclass(frozen=True)
class SqlFile:
    """One file of sql/. :param path: relative to sql/, as ``evaluation/ndcg.sql``."""

    path: str
    text: str

    @cached_property
    def fingerprint(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    @cached_property
    def creates(self) -> tuple[str, ...]:
        """``function ndcg``, ``view qrels``, ``trigger dblp_text_stale on dblp_text``; in the order of the file."""
        found = []
        for match in _CREATE.finditer(_COMMENT.sub("", self.text)):
            if match["trigger"]:
                found.append(f"trigger {match['trigger'].lower()} on {match['table'].lower()}")
            else:
                found.append(f"{match['kind'].lower()} {match['name'].lower()}")
        return tuple(found)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the file that PostgreSQL binds when it is run: neither comments, nor strings, nor the bodies of functions,
        which are strings too and bound when they are called."""
        return frozenset(re.findall(r"\w+", _QUOTED.sub("", _COMMENT.sub("", self.text)).lower()))


def read(root: Path | None = None) -> list[SqlFile]:
    """The files of sql/ in order of dependence: a file that names another's object comes after it.

    :raises StateError: a file creates nothing, two create the same, or some depend on each other in a circle.
    """
    root = root or folder("sql")
    files = [SqlFile(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")) for path in sorted(root.glob("*/*.sql"))]
    owner: dict[str, SqlFile] = {}
    for file in files:
        if not file.creates:
            raise StateError(f"sql/{file.path} creates no object", hint="Use CREATE OR REPLACE at the start of a line.")
        for one in file.creates:
            name = one.split()[1]
            if owner.setdefault(name, file) is not file:
                raise StateError(f"sql/{file.path} and sql/{owner[name].path} both create {name}")
    graph = {
        file: {owner[word] for word in file.words if word in owner and owner[word] is not file and _binds(file, word)}
        for file in files
    }
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        circle = " → ".join(file.path for file in error.args[1])
        raise StateError(f"sql/ depends on itself in a circle: {circle}") from error


def _binds(file: SqlFile, word: str) -> bool:
    """A word that the file itself creates as well is its own."""
    return all(one.split()[1] != word for one in file.creates)


def changes(conn: psycopg.Connection, files: Sequence[SqlFile]) -> tuple[list[SqlFile], list[str]]:
    """Files that are not in the database as they stand, and paths of files that are gone."""
    stored: dict[str, str] = dict(conn.execute("SELECT file, fingerprint FROM stc_objects").fetchall())
    changed = [file for file in files if stored.get(file.path) != file.fingerprint]
    gone = sorted(stored.keys() - {file.path for file in files})
    return changed, gone


def sync(conn: psycopg.Connection, files: Sequence[SqlFile] | None = None) -> int:
    """Put the functions and views of the database in step with sql/. Runs in the caller's transaction.

    :returns: how many files were put in or taken out.
    :raises StateError: an object of the user depends on one that must be dropped; it is named.
    """
    files = read() if files is None else files
    changed, gone = changes(conn, files)
    if not changed and not gone:
        return 0
    conn.execute("SET LOCAL check_function_bodies = off")
    conn.execute("SET LOCAL search_path = public, pg_temp")
    conn.execute("SET LOCAL client_min_messages = warning")
    known = _created(conn)
    try:
        with conn.transaction():
            _drop(conn, [one for path in gone for one in known[path]])
            stay = {one for file in files for one in file.creates}
            _drop(conn, [one for file in changed for one in known.get(file.path, []) if one not in stay])
            _create(conn, changed)
    except _CANNOT_REPLACE:
        _rebuild(conn, files, changed, [one for path in gone for one in known[path]])
    conn.execute("DELETE FROM stc_objects WHERE file = ANY (%s)", [[*gone, *(file.path for file in changed)]])
    conn.cursor().executemany(
        "INSERT INTO stc_objects (file, creates, fingerprint, catalogue) VALUES (%s, %s, %s, '')",
        [(file.path, list(file.creates), file.fingerprint) for file in changed],
    )
    for path, digest in _catalogue(conn).items():
        conn.execute("UPDATE stc_objects SET catalogue = %s WHERE file = %s AND catalogue <> %s", [digest, path, digest])
    return len(changed) + len(gone)


def drift(conn: psycopg.Connection) -> list[str]:
    """Objects that somebody changed or dropped in the database since the last upgrade, as their files' paths."""
    stored: dict[str, str] = dict(conn.execute("SELECT file, catalogue FROM stc_objects").fetchall())
    return sorted(path for path, digest in _catalogue(conn).items() if stored[path] != digest)


def _created(conn: psycopg.Connection) -> dict[str, list[str]]:
    """What each stored file created."""
    return dict(conn.execute("SELECT file, creates FROM stc_objects").fetchall())


def _create(conn: psycopg.Connection, files: Iterable[SqlFile]) -> None:
    for file in files:
        try:
            conn.execute(file.text.encode())
        except psycopg.Error as error:
            if isinstance(error, _CANNOT_REPLACE):
                raise
            error.add_note(f"in sql/{file.path}")
            raise
        for one in file.creates:
            kind, name = one.split()[:2]
            if kind in ("function", "procedure", "aggregate") and len(_signatures(conn, name)) > 1:
                raise psycopg.errors.InvalidFunctionDefinition(f"{name} has another signature now")


def _rebuild(conn: psycopg.Connection, files: Sequence[SqlFile], changed: Sequence[SqlFile], gone: Sequence[str]) -> None:
    """Drop the changed objects and ours that stand on them, and make them again, grants and all."""
    wanted = set(changed)
    for file in files:  # in order of dependence, so one pass finds all that stand on them
        if any(one.split()[1] in file.words for other in list(wanted) for one in other.creates):
            wanted.add(file)
    again = [file for file in files if file in wanted]
    stored = _created(conn)
    names = [one for file in again for one in dict.fromkeys([*stored.get(file.path, ()), *file.creates])]
    grants = {one: _grants(conn, one) for one in names}
    try:
        with conn.transaction():
            policies = _drop_policies(conn, [one.split()[1] for one in [*names, *gone] if one.startswith("function")])
            _drop(conn, [*names, *gone])
    except psycopg.errors.DependentObjectsStillExist as error:
        raise StateError(
            f"something of yours depends on an object that must change: {(error.diag.message_detail or '').splitlines()[0]}",
            hint="Drop it, upgrade, and make it again; nothing was changed.",
        ) from error
    _create(conn, again)
    if policies:
        conn.execute("SELECT put_policies()")
    for one, statements in grants.items():
        if any(one in file.creates for file in again):
            for statement in statements:
                conn.execute(statement.encode())


def _drop(conn: psycopg.Connection, objects: Sequence[str]) -> None:
    """Drop in the reverse of the given order; triggers first, since their functions cannot go before them."""
    triggers = [one for one in objects if one.startswith("trigger")]
    for one in [*triggers, *reversed([one for one in objects if one not in triggers])]:
        kind, name, *rest = one.split()
        if kind == "trigger":
            conn.execute(sql.SQL("DROP TRIGGER IF EXISTS {} ON {}").format(sql.Identifier(name), sql.Identifier(rest[1])))
        elif kind == "view":
            conn.execute(sql.SQL("DROP VIEW IF EXISTS {}").format(sql.Identifier(name)))
        else:
            for signature in _signatures(conn, name):
                conn.execute(f"DROP ROUTINE {signature}".encode())  # regprocedure's text is quoted as SQL wants it


def _drop_policies(conn: psycopg.Connection, functions: Sequence[str]) -> int:
    """Drop the policies of row security that stand on these functions; put_policies makes them again. :returns: how many."""
    found = conn.execute(
        "SELECT DISTINCT p.polname, c.relname FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid"
        " JOIN pg_depend d ON d.classid = 'pg_policy'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_proc'::regclass"
        " JOIN pg_proc f ON f.oid = d.refobjid AND f.pronamespace = 'public'::regnamespace AND f.proname = ANY (%s)"
        " WHERE c.relnamespace = 'public'::regnamespace AND obj_description(p.oid, 'pg_policy') IS NOT NULL",
        [list(functions)],
    ).fetchall()
    for policy, table in found:
        conn.execute(sql.SQL("DROP POLICY {} ON {}").format(sql.Identifier(policy), sql.Identifier(table)))
    return len(found)


def _signatures(conn: psycopg.Connection, name: str) -> list[str]:
    """``ndcg(text[],text,integer)``, quoted as SQL wants it, of each routine of that name in public that no extension owns."""
    rows = conn.execute(
        "SELECT oid::regprocedure::text FROM pg_proc p WHERE proname = %s AND pronamespace = 'public'::regnamespace AND NOT EXISTS"
        " (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')",
        [name],
    )
    return [row[0] for row in rows]


_GRANTS = """
SELECT 'REVOKE ALL ON {what} {name} FROM PUBLIC' FROM {catalogue}
 WHERE {prefix}name = %(name)s AND {prefix}namespace = 'public'::regnamespace AND {acl} IS NOT NULL
UNION ALL
SELECT format('GRANT %%s ON {what} {name} TO %%s%%s', privilege_type,
              CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END,
              CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END)
  FROM {catalogue}, aclexplode({acl})
 WHERE {prefix}name = %(name)s AND {prefix}namespace = 'public'::regnamespace AND grantee <> grantor
"""


def _grants(conn: psycopg.Connection, one: str) -> list[str]:
    """Statements that give an object the grants it has now; none where it has the default ones."""
    kind, name = one.split()[:2]
    if kind == "trigger":
        return []
    names = {"what": "TABLE", "catalogue": "pg_class", "prefix": "rel", "acl": "relacl"}
    if kind != "view":
        names = {"what": "ROUTINE", "catalogue": "pg_proc", "prefix": "pro", "acl": "proacl"}
    query = _GRANTS.format(**names, name=sql.Identifier(name).as_string(conn))
    return [row[0] for row in conn.execute(query.encode(), {"name": name})]


_DEFINITIONS = """
SELECT kind || ' ' || name, string_agg(definition, E'\\n' ORDER BY definition) FROM (
    SELECT CASE prokind WHEN 'p' THEN 'procedure' WHEN 'a' THEN 'aggregate' ELSE 'function' END, proname,
           CASE prokind WHEN 'a' THEN oid::regprocedure::text ELSE pg_get_functiondef(oid) END
      FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL
    SELECT 'view', relname, pg_get_viewdef(oid) || coalesce(reloptions::text, '')
      FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'v'
    UNION ALL
    SELECT 'trigger', tgname || ' on ' || tgrelid::regclass, pg_get_triggerdef(t.oid) || tgenabled::text
      FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid WHERE relnamespace = 'public'::regnamespace AND NOT tgisinternal
) o (kind, name, definition) GROUP BY 1
"""


def _catalogue(conn: psycopg.Connection) -> dict[str, str]:
    """For each stored file the SHA-256 of its objects as the server holds them."""
    with conn.transaction():
        conn.execute("SET LOCAL search_path = public, pg_temp")
        definitions: dict[str, str] = dict(conn.execute(_DEFINITIONS).fetchall())
    return {
        file: hashlib.sha256("\n".join(definitions.get(one, "gone") for one in creates).encode()).hexdigest()
        for file, creates in _created(conn).items()
    }

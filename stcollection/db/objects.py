"""Synchronise the functions and views of a database with sql/.

A file defines one object (a trigger function with its triggers counts as one). :func:`sync` creates or replaces changed objects and
drops removed ones, in order of dependence, inside the caller's transaction. If an object cannot be replaced (a view lost a column,
a function changed its signature), it and our objects that depend on it are dropped and created again with their grants. CASCADE is
never used: if an object of the user depends on one that must be dropped, the upgrade refuses and names it.

Objects for users are in the schema ``public``, all others in ``stc``: a file that creates ``public.name`` publishes it; a name
without a schema is internal (:data:`FILES_PATH`).

The table stc_objects lists the objects of each file, functions with their argument types, so that a foreign function with the same
name is not touched. Its text is never executed; each entry is first looked up in the server's catalogue.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import psycopg
from psycopg import sql

from stcollection.db.files import folder, sql_text
from stcollection.db.left_out import OmittedObjects
from stcollection.errors import StateError
from stcollection.plugins import studies

# Search path of the files: names of tables are those with visible rows. Only owners can create objects in stc, so it is first.
FILES_PATH = "stc, public, pg_temp"
# Search path of functions, and for internal tables with all rows. PostgreSQL skips stc_all for roles that may not use it.
ALL_ROWS = f"stc_all, {FILES_PATH}"
_CREATE = re.compile(
    r"^CREATE\s+OR\s+REPLACE\s+(?:(?P<kind>FUNCTION|PROCEDURE|VIEW|AGGREGATE)\s+(?:(?P<schema>stc_all|stc|public)\.)?(?P<name>\w+)"
    r"|TRIGGER\s+(?P<trigger>\w+)\s[^;]*?\bON\s+(?:\w+\.)?(?P<table>\w+))",
    re.IGNORECASE | re.MULTILINE,
)
# Folder of the functions that depend on how documents are distributed. If a file elsewhere creates the same function, that one is
# for a collection on one server, and the one here replaces it in a distributed collection. The others are always there.
CLUSTER = "cluster/"
STUDIES = "studies/"  # folder of the files of studies, each in one with the study's name
# The COMMENT on a routine has the types of its arguments.
_ARGUMENTS = re.compile(
    r"^COMMENT\s+ON\s+(?:FUNCTION|PROCEDURE|AGGREGATE|ROUTINE)\s+(?:\w+\.)?(\w+)\s*(\([^;]*?\))\s+IS\b",
    re.IGNORECASE | re.MULTILINE,
)
_HARMLESS = re.compile(r"(CREATE OR REPLACE (FUNCTION|PROCEDURE|VIEW|AGGREGATE|TRIGGER)|COMMENT ON) ", re.IGNORECASE)
_ROUTINES = ("function", "procedure", "aggregate")
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_QUOTED = re.compile(r"(\$\w*\$).*?\1|'(?:[^']|'')*'", re.DOTALL)
# Errors of CREATE OR REPLACE: another return type or parameter name, other columns of a view, or dependent objects.
_CANNOT_REPLACE = (
    psycopg.errors.InvalidFunctionDefinition,
    psycopg.errors.InvalidTableDefinition,
    psycopg.errors.DependentObjectsStillExist,
    psycopg.errors.InvalidObjectDefinition,
)


@dataclass(frozen=True)
class SqlFile:
    """A file of sql/. :param path: relative to sql/, such as ``evaluation/ndcg.sql``."""

    path: str
    text: str

    @cached_property
    def fingerprint(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    @cached_property
    def creates(self) -> tuple[str, ...]:
        """The objects of the file in order, such as ``function public.ndcg`` or ``trigger dblp_text_stale on dblp_text``.

        Tables of triggers have no schema, because names of triggers are unique in a collection.
        """
        objects = []
        for match in _CREATE.finditer(_COMMENT.sub("", self.text)):
            if match["trigger"]:
                objects.append(f"trigger {match['trigger'].lower()} on {match['table'].lower()}")
            else:
                objects.append(f"{match['kind'].lower()} {match['schema'] or 'stc'}.{match['name'].lower()}")
        return tuple(objects)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of its objects, as other files write them."""
        return frozenset(obj.split()[1].rpartition(".")[2] for obj in self.creates)

    @cached_property
    def signatures(self) -> tuple[str, ...]:
        """As :attr:`creates`, with the argument types of routines: ``function public.ndcg(text[], text, integer)``.

        Overloaded routines of a file need their COMMENTs in the same order.

        :raises StateError: the COMMENT on a routine, which has the types, is missing.
        """
        arguments: dict[str, list[str]] = {}
        for match in _ARGUMENTS.finditer(_COMMENT.sub("", self.text)):
            arguments.setdefault(match[1].lower(), []).append(" ".join(match[2].split()))
        signatures = []
        for obj in self.creates:
            kind, name = obj.split()[:2]
            if kind not in _ROUTINES:
                signatures.append(obj)
                continue
            types = arguments.get(name.rpartition(".")[2])
            if not types:
                raise StateError(
                    f"sql/{self.path} has no comment on {name}",
                    hint=f"Add COMMENT ON {kind.upper()} {name}(argument types) IS '…'.",
                )
            signatures.append(f"{obj}{types.pop(0)}")
        return tuple(signatures)

    @property
    def other_statement(self) -> str | None:
        """The first statement that creates or describes no object of :attr:`creates`; None if all do."""
        statements = [" ".join(text.split()) for text in _QUOTED.sub("''", _COMMENT.sub("", self.text)).split(";")]
        other = [text for text in statements if text and not _HARMLESS.match(text)]
        if not other and sum(text[:6].upper() == "CREATE" for text in statements) > len(self.creates):
            other = ["CREATE inside a line"]
        return other[0][:80] if other else None

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that PostgreSQL resolves when it runs the file, without comments, strings and bodies of functions.

        Bodies are strings that PostgreSQL resolves when the function is called.
        """
        return frozenset(re.findall(r"\w+", _QUOTED.sub("", _COMMENT.sub("", self.text)).lower()))


@cache
def load(*, distributed: bool = False) -> tuple[SqlFile, ...]:
    """Return the files of this version's sql/ and of the installed studies, sorted by path; they are read once per process.

    :param distributed: with the functions of a distributed collection (:data:`CLUSTER`).
    """
    files = [file for before, root in folders().items() for file in _load(root, before)]
    return _chosen(files, distributed=distributed)


def folders() -> dict[str, Path]:
    """Return the folders of SQL, each with the beginning of the paths of its files."""
    return {"": folder("sql")} | {f"{STUDIES}{study.name}/": study.folder / "sql" for study in studies()}


def _chosen(files: Iterable[SqlFile], *, distributed: bool) -> tuple[SqlFile, ...]:
    """Return the files without those that a variant replaces in a distributed collection, or else without the variants."""
    parts: dict[bool, list[SqlFile]] = {True: [], False: []}
    for file in files:
        parts[file.path.startswith(CLUSTER)].append(file)
    if distributed:
        replaced = {obj for file in parts[True] for obj in file.creates}
        return tuple(sorted((*parts[True], *(file for file in parts[False] if replaced.isdisjoint(file.creates))), key=_path))
    known = {obj for file in parts[False] for obj in file.creates}
    return tuple(sorted((*parts[False], *(file for file in parts[True] if known.isdisjoint(file.creates))), key=_path))


def _path(file: SqlFile) -> str:
    return file.path


def _load(root: Path, before: str = "") -> tuple[SqlFile, ...]:
    paths = sorted(root.rglob("*.sql"))
    return tuple(SqlFile(before + path.relative_to(root).as_posix(), sql_text(path)) for path in paths)


def read(root: Path | None = None, *, distributed: bool = False) -> list[SqlFile]:
    """Return the files of sql/ in order of dependence: a file comes after those whose objects it names.

    :param distributed: as in :func:`load`.
    :raises StateError: a file creates no object, two files create the same object, or dependences are circular.
    """
    files = load(distributed=distributed) if root is None else _chosen(_load(root), distributed=distributed)
    makes: dict[str, SqlFile] = {}
    owners: dict[str, set[SqlFile]] = {}
    for file in files:
        if not file.creates:
            raise StateError(f"sql/{file.path} creates no object", hint="Use CREATE OR REPLACE at the start of a line.")
        if study_of(file.path) is not None and (other := file.other_statement):
            raise StateError(
                f"sql/{file.path} does more than create objects: {other}",
                hint="A file of a study has CREATE OR REPLACE, at the start of a line, and COMMENT ON. Nothing was changed.",
            )
        for obj in file.creates:
            # A view and a routine may share a name.
            name = obj.split()[1].rpartition(".")[2]
            what = f"view {name}" if obj.startswith("view") else name
            if makes.setdefault(what, file) is not file:
                raise StateError(
                    f"sql/{file.path} and sql/{makes[what].path} both create {name}",
                    hint="Remove or rename one of them. Nothing was changed.",
                )
            owners.setdefault(name, set()).add(file)
    graph = {file: {other for word in file.words - file.names for other in owners.get(word, ())} for file in files}
    for file in files:  # a file does not depend on its own names, except a view that reads a routine with the same name
        graph[file] |= {makes[name] for name in file.names if makes.get(f"view {name}") is file and name in makes}
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        circle = " → ".join(file.path for file in error.args[1])
        hint = "Move the shared objects to a separate file."
        raise StateError(f"circular dependence in sql/: {circle}", hint=hint) from error


def changes(conn: psycopg.Connection, files: Sequence[SqlFile]) -> tuple[list[SqlFile], list[str]]:
    """Return the files that differ from the database, and the paths of removed files."""
    stored: dict[str, str] = dict(conn.execute("SELECT file, fingerprint FROM public.stc_objects").fetchall())
    changed = [file for file in files if stored.get(file.path) != file.fingerprint]
    gone = sorted(stored.keys() - {file.path for file in files})
    return changed, [path for path in gone if not is_apart(path)]


def study_of(path: str) -> str | None:
    """Return the study that a file belongs to, None for one of the core. :param path: as in :class:`SqlFile`."""
    return path.split("/")[1] if path.startswith(STUDIES) else None


def is_apart(path: str) -> bool:
    """Return True for a file of a study that is not installed: its objects stay, since its tables and their rows do."""
    study = study_of(path)
    return study is not None and study not in {installed.name for installed in studies()}


class Applied(NamedTuple):
    """What :func:`replace_functions` has done. :param drifted: files whose functions someone else changed before."""

    files: frozenset[str] = frozenset()
    drifted: frozenset[str] = frozenset()


# Routines that no view, policy, trigger or other object uses, so that dropping them locks nothing that readers need.
_UNUSED = """
SELECT s.obj FROM unnest(%s::text[]) AS s (obj)
 WHERE s.obj ~ '^(function|procedure) '
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.refclassid = 'pg_proc'::regclass
                    AND d.refobjid = to_regprocedure(substr(s.obj, strpos(s.obj, ' ') + 1)))
"""


def replace_functions(conn: psycopg.Connection, files: Sequence[SqlFile]) -> Applied:
    """Create, replace or drop changed functions that nothing else uses, in the caller's transaction, and record them.

    This locks no table, and takes most of the time of :func:`sync`. Functions that need tables of this version, or cannot be
    replaced, are left to :func:`sync`. Other sessions see the functions when the transaction commits.
    """
    changed, gone = changes(conn, files)
    if not changed and not gone:
        return Applied()
    drifted = frozenset(drift(conn))
    applied: list[SqlFile] = []
    with conn.transaction():
        row = conn.execute("SELECT current_setting('search_path'), current_setting('client_min_messages')").fetchone()
        conn.execute("SET LOCAL check_function_bodies = off")
        conn.execute(f"SET LOCAL search_path = {FILES_PATH}".encode())
        conn.execute("SET LOCAL client_min_messages = error")  # Citus warns of functions that it does not copy to the workers
        known = registered(conn)
        leaving = _leaving(conn, changed, gone)
        leaving = _drop_unused(conn, leaving)
        for file in changed:
            if all(obj.startswith(("function", "procedure")) for obj in file.creates):
                with suppress(psycopg.ProgrammingError, *_CANNOT_REPLACE), conn.transaction():
                    conn.execute(file.text.encode())
                    applied.append(file)
        used = set(_drop_unused(conn, leaving))  # the new functions may use others
        applied = [file for file in applied if used.isdisjoint(known.get(file.path, ()))]
        removed = [path for path in gone if used.isdisjoint(known[path])]
        _register(conn, applied, removed)
        if row is not None:
            conn.execute("SELECT set_config('search_path', %s, true), set_config('client_min_messages', %s, true)", row)
    return Applied(frozenset([*removed, *(file.path for file in applied)]), drifted)


def sync(
    conn: psycopg.Connection,
    files: Sequence[SqlFile] | None = None,
    *,
    applied: Applied | None = None,
    left_out: OmittedObjects | None = None,
) -> int:
    """Synchronise the functions and views of the database with sql/, in the caller's transaction.

    :mod:`stcollection.db.collisions` checks for foreign objects with our names beforehand.

    :param applied: the result of :func:`replace_functions` in the same transaction.
    :param left_out: records triggers on distributed tables.
    :returns: the number of applied and removed files.
    :raises StateError: an object of the user depends on one that must be dropped; the message names it.
    """
    files = read() if files is None else files
    left_out = left_out or OmittedObjects(conn)
    changed, gone = changes(conn, files)
    early, drifted = applied or Applied(drifted=frozenset(drift(conn) if changed or gone else ()))
    if not changed and not gone and not early:
        return 0
    conn.execute("SET LOCAL check_function_bodies = off")
    conn.execute(f"SET LOCAL search_path = {FILES_PATH}".encode())
    conn.execute("SET LOCAL client_min_messages = warning")
    routines = registered_routines(conn)
    replaced = [path for path in drifted - early if path in routines]  # stay listed until --force
    leaving = _leaving(conn, changed, gone)
    try:
        with conn.transaction():
            _drop(conn, leaving)
            _create(conn, changed, left_out)
    except _CANNOT_REPLACE:
        _rebuild(conn, files, changed, leaving, left_out)
    left_out.record(leaving)
    _register(conn, changed, gone)
    digests = catalogue_digests(conn)
    conn.execute(
        "UPDATE public.stc_objects o SET catalogue = d.digest FROM unnest(%s::text[], %s::text[]) AS d (file, digest)"
        " WHERE d.file = o.file AND o.catalogue <> d.digest AND NOT (o.file = ANY (%s) AND o.catalogue <> '')",
        [list(digests), list(digests.values()), replaced],
    )
    return len(changed) + len(gone) + len(early)


def _drop_unused(conn: psycopg.Connection, objects: Sequence[str]) -> list[str]:
    """Drop the routines that nothing uses. :returns: the other objects."""
    unused = [obj for (obj,) in conn.execute(_UNUSED, [list(objects)]).fetchall()]
    _drop(conn, unused)
    return [obj for obj in objects if obj not in unused]


def _leaving(conn: psycopg.Connection, changed: Sequence[SqlFile], gone: Sequence[str]) -> list[str]:
    """Return the stored objects of changed and removed files that no changed file creates."""
    known = registered(conn)
    resolved = set(resolve(conn, [obj for file in changed for obj in file.signatures]).values())
    leaving = [obj for path in gone for obj in known[path] if obj not in resolved]  # a file may have moved
    return leaving + [obj for file in changed for obj in known.get(file.path, []) if obj not in resolved]


def _register(conn: psycopg.Connection, changed: Sequence[SqlFile], gone: Sequence[str]) -> None:
    """Store the objects of changed files, and forget removed files."""
    conn.execute("DELETE FROM public.stc_objects WHERE file = ANY (%s)", [[*gone, *(file.path for file in changed)]])
    identities = resolve(conn, [obj for file in changed for obj in file.signatures])
    conn.cursor().executemany(
        "INSERT INTO public.stc_objects (file, creates, signatures, fingerprint, catalogue) VALUES (%s, %s, %s, %s, '')",
        [
            (file.path, list(file.creates), [identities[obj] or obj for obj in file.signatures], file.fingerprint)
            for file in changed
        ],
    )


def registered_routines(conn: psycopg.Connection) -> set[str]:
    """Return the paths of files that create only functions and procedures; other definitions depend on PostgreSQL's version."""
    rows = conn.execute(
        "SELECT file FROM public.stc_objects WHERE NOT EXISTS (SELECT FROM unnest(creates) c WHERE c !~ '^(func|proc)')"
    )
    return {path for (path,) in rows.fetchall()}


def drift(conn: psycopg.Connection) -> list[str]:
    """Return the paths of files whose objects were changed or dropped in the database since the last upgrade."""
    stored: dict[str, str] = dict(conn.execute("SELECT file, catalogue FROM public.stc_objects").fetchall())
    return sorted(path for path, digest in catalogue_digests(conn).items() if stored[path] != digest)


def registered(conn: psycopg.Connection) -> dict[str, list[str]]:
    """Return the objects of each stored file, such as ``function public.ndcg(text[],text,integer)``."""
    return dict(conn.execute("SELECT file, signatures FROM public.stc_objects").fetchall())


_RESOLVED = """
SELECT s.obj, CASE
       WHEN s.obj ~ '^(function|procedure|aggregate) ' THEN (
           SELECT format('%%s %%I.%%I%%s', split_part(s.obj, ' ', 1), n.nspname, p.proname, substr(r.text, strpos(r.text, '(')))
             FROM to_regprocedure(substr(s.obj, strpos(s.obj, ' ') + 1)) AS f (oid)
             JOIN pg_proc p ON p.oid = f.oid JOIN pg_namespace n ON n.oid = p.pronamespace
            CROSS JOIN LATERAL (SELECT f.oid::text) AS r (text))
       WHEN s.obj LIKE 'view %%' THEN (
           SELECT s.obj FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE s.obj = concat('view ', n.nspname, '.', c.relname))
       ELSE (SELECT s.obj FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
              WHERE n.nspname IN ('public', 'stc', 'stc_all') AND s.obj = concat('trigger ', g.tgname, ' on ', c.relname)
                AND NOT g.tgisinternal AND g.tgparentid = 0) END
  FROM unnest(%s::text[]) AS s (obj)
"""


def resolve(conn: psycopg.Connection, signatures: Sequence[str]) -> dict[str, str | None]:
    """Return the objects with these signatures as the server writes them; None for objects that do not exist.

    Requires a search path that includes the types of public, as in :func:`sync`.
    """
    return dict(conn.execute(_RESOLVED, [list(signatures)]).fetchall())


def _create(conn: psycopg.Connection, files: Iterable[SqlFile], left_out: OmittedObjects) -> None:
    for file in files:
        try:
            conn.execute(left_out.text(file.text).encode())
        except psycopg.Error as error:
            if isinstance(error, _CANNOT_REPLACE):
                raise
            error.add_note(f"in sql/{file.path}")
            raise


def _rebuild(
    conn: psycopg.Connection, files: Sequence[SqlFile], changed: Sequence[SqlFile], leaving: Sequence[str], left_out: OmittedObjects
) -> None:
    """Drop objects that cannot be replaced, and our objects that depend on them; create them again with their grants."""
    rebuilt, names = _stuck(conn, changed, leaving, left_out)
    for file in files:  # in order of dependence, so one pass finds all dependent files
        if file.words & names:
            rebuilt.add(file)
        if file in rebuilt:
            names |= file.names
    again = [file for file in files if file in rebuilt]
    stored = registered(conn)
    ours = {obj for objects in stored.values() for obj in objects}
    existing = resolve(conn, [obj for file in again for obj in file.signatures])  # including objects of a moved file
    objects = [
        obj for file in again for obj in (*stored.get(file.path, ()), *(existing[obj] for obj in file.signatures)) if obj in ours
    ]
    objects = list(dict.fromkeys([*objects, *leaving]))
    grants = {_plain(obj): _grants(conn, obj) for obj in objects}
    try:
        with conn.transaction():
            policies = _drop_policies(conn, [_plain(obj).split()[1] for obj in objects if obj.startswith("function")])
            _drop(conn, objects)
    except psycopg.errors.DependentObjectsStillExist as error:
        raise StateError(
            f"an object of yours depends on one that must change: {(error.diag.message_detail or '').splitlines()[0]}",
            hint="Drop it, upgrade, and create it again. Nothing was changed.",
        ) from error
    _create(conn, [file for file in files if file in rebuilt or file in changed], left_out)
    if policies:
        conn.execute("SELECT stc.put_policies()")
    now = resolve(conn, [obj for file in again for obj in file.signatures])
    for obj in filter(None, now.values()):
        _grant(conn, obj, grants.get(_plain(obj)))


def _stuck(
    conn: psycopg.Connection, changed: Sequence[SqlFile], leaving: Sequence[str], left_out: OmittedObjects
) -> tuple[set[SqlFile], set[str]]:
    """Return the changed files whose objects cannot be replaced, and the names of removed objects that others depend on."""
    files, names, stuck = set[SqlFile](), set[str](), set[str]()
    with conn.transaction(force_rollback=True):
        for obj in leaving:
            try:
                with conn.transaction():
                    _drop(conn, [obj])
            except psycopg.errors.DependentObjectsStillExist:
                names.add(_plain(obj).split()[1].rpartition(".")[2])
        for file in changed:
            if not file.words & stuck:  # with the old form of what it uses, a view may fail in another way
                with suppress(*_CANNOT_REPLACE), conn.transaction():
                    _create(conn, [file], left_out)
                    continue
            files.add(file)
            stuck |= file.names
    return files, names


def _plain(obj: str) -> str:
    """Remove the arguments of a routine: ``function public.ndcg`` for ``function public.ndcg(text[],text,integer)``."""
    return obj.partition("(")[0]


# The table of a trigger: its name may be that of a table in stc_all and of another one.
_TABLE_OF = """
SELECT c.oid::regclass::text FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE g.tgname = %s AND c.relname = %s AND g.tgparentid = 0 AND n.nspname IN ('public', 'stc', 'stc_all')
"""


def _drop(conn: psycopg.Connection, objects: Sequence[str]) -> None:
    """Drop objects in reverse order; triggers first, because their functions cannot be dropped before them."""
    existing = resolve(conn, objects)
    triggers = [obj for obj in objects if obj.startswith("trigger")]
    for obj in [*triggers, *reversed([obj for obj in objects if obj not in triggers])]:
        text = existing[obj]
        if text is None:
            continue
        kind, _, name = text.partition(" ")
        if kind == "trigger":
            name, _, table = name.partition(" on ")
            for (relation,) in conn.execute(_TABLE_OF, [name, table]).fetchall():
                conn.execute(sql.SQL("DROP TRIGGER {} ON {}").format(sql.Identifier(name), sql.SQL(relation)))
        elif kind == "view":
            conn.execute(sql.SQL("DROP VIEW IF EXISTS {}").format(sql.Identifier(*name.split("."))))
        else:
            conn.execute(f"DROP ROUTINE {name}".encode())  # the text of regprocedure is quoted


def _drop_policies(conn: psycopg.Connection, functions: Sequence[str]) -> int:
    """Drop row-level security policies that depend on these functions (put_policies recreates them). :returns: their number."""
    policies = conn.execute(
        "SELECT DISTINCT p.polname, n.nspname, c.relname FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid"
        " JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname IN ('public', 'stc')"
        " JOIN pg_depend d ON d.classid = 'pg_policy'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_proc'::regclass"
        " JOIN pg_proc f ON f.oid = d.refobjid AND concat(f.pronamespace::regnamespace, '.', f.proname) = ANY (%s)"
        " WHERE obj_description(p.oid, 'pg_policy') IS NOT NULL",
        [list(functions)],
    ).fetchall()
    for policy, schema, table in policies:
        conn.execute(sql.SQL("DROP POLICY {} ON {}").format(sql.Identifier(policy), sql.Identifier(schema, table)))
    return len(policies)


class _Grants(NamedTuple):
    """The grants on an object.

    :param rights: privilege, grantee (None for PUBLIC) and grant option.
    """

    rights: list[tuple[str, str | None, bool]]


_ACL = """
SELECT acl.list IS NOT NULL,
       (SELECT array_agg(ARRAY[a.privilege_type, r.rolname, a.is_grantable::text])
          FROM aclexplode(acl.list) a LEFT JOIN pg_roles r ON r.oid = a.grantee WHERE a.grantee <> a.grantor)
  FROM (SELECT CASE WHEN %(kind)s = 'view' THEN (SELECT relacl FROM pg_class WHERE oid = to_regclass(%(name)s))
                    ELSE (SELECT proacl FROM pg_proc WHERE oid = to_regprocedure(%(name)s)) END) AS acl (list)
"""


def _grants(conn: psycopg.Connection, obj: str) -> _Grants | None:
    """Return the current grants on an object; None for the default grants."""
    kind, _, name = obj.partition(" ")
    if kind == "trigger":
        return None
    row = conn.execute(_ACL, {"kind": kind, "name": name}).fetchone()
    if row is None or not row[0]:
        return None
    return _Grants([(privilege, role, grantable == "true") for privilege, role, grantable in row[1] or ()])


def _grant(conn: psycopg.Connection, obj: str, grants: _Grants | None) -> None:
    """Replace the default grants on an object by these."""
    kind, _, name = obj.partition(" ")
    if grants is None or kind == "trigger":
        return
    # The name is the server's text, which is quoted.
    what = sql.SQL("TABLE {}").format(sql.Identifier(*name.split("."))) if kind == "view" else sql.SQL(f"ROUTINE {name}")
    conn.execute(sql.SQL("REVOKE ALL ON {} FROM PUBLIC").format(what))
    for privilege, role, grantable in grants.rights:
        conn.execute(
            sql.SQL("GRANT {} ON {} TO {}{}").format(
                sql.SQL(privilege),
                what,
                sql.SQL("PUBLIC") if role is None else sql.Identifier(role),
                sql.SQL(" WITH GRANT OPTION" if grantable else ""),
            )
        )


_DEFINITIONS = """
SELECT kind || ' ' || name, string_agg(definition, E'\\n' ORDER BY definition) FROM (
    SELECT CASE p.prokind WHEN 'p' THEN 'procedure' WHEN 'a' THEN 'aggregate' ELSE 'function' END,
           format('%I.%I%s', n.nspname, p.proname, substr(p.oid::regprocedure::text, strpos(p.oid::regprocedure::text, '('))),
           CASE p.prokind WHEN 'a' THEN p.oid::regprocedure::text ELSE pg_get_functiondef(p.oid) END
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname IN ('public', 'stc')
    UNION ALL
    SELECT 'view', concat(n.nspname, '.', c.relname), pg_get_viewdef(c.oid) || coalesce(c.reloptions::text, '')
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname IN ('public', 'stc', 'stc_all') AND c.relkind = 'v'
    UNION ALL
    SELECT 'trigger', t.tgname || ' on ' || c.relname, pg_get_triggerdef(t.oid) || t.tgenabled::text
      FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname IN ('public', 'stc', 'stc_all') AND NOT t.tgisinternal AND t.tgparentid = 0
) o (kind, name, definition) GROUP BY 1
"""


def catalogue_digests(conn: psycopg.Connection) -> dict[str, str]:
    """Return for each stored file the SHA-256 of its objects' definitions in the server, or in stc_catalogue if left out."""
    with conn.transaction():
        conn.execute(f"SET LOCAL search_path = {FILES_PATH}".encode())
        definitions: dict[str, str] = OmittedObjects(conn).triggers() | dict(conn.execute(_DEFINITIONS).fetchall())
    return {
        file: hashlib.sha256("\n".join(definitions.get(obj, "gone") for obj in creates).encode()).hexdigest()
        for file, creates in registered(conn).items()
    }

"""Remove a collection from a database that stcollection did not create: everything it made there, and nothing else.

All objects go in one transaction. It is rolled back if an object of others would go too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

from stcollection.counts import counted, first_of
from stcollection.db import adoption, distribution
from stcollection.db.connection import connect
from stcollection.db.members import LOGIN, end_sessions
from stcollection.db.roles import ROLES
from stcollection.db.settings import ADOPTED, Settings
from stcollection.db.step import check_upgradable, revision
from stcollection.errors import StateError, UnknownObject, translate

_NAMED = 8
_PARTS = ("rule _RETURN", "type ", "index ", "toast ")  # of a view or table that is named too
Object = tuple[int, int]  # class and oid

# Our objects: class, oid, kind for DROP (none for a part of another), name. Text search: see text/configure.py.
_OURS = """
SELECT CASE o.kind WHEN 'ROUTINE' THEN 'pg_proc'::regclass ELSE 'pg_class'::regclass END::oid, o.oid,
       CASE WHEN o.part_of IS NULL THEN lower(o.kind) END,
       CASE o.kind WHEN 'ROUTINE' THEN o.oid::regprocedure::text ELSE o.oid::regclass::text END
  FROM stc.collection_objects() o LEFT JOIN pg_class c ON c.oid = o.oid AND o.kind = 'TABLE'
 WHERE o.part_of IS NULL OR c.oid IS NULL OR c.relispartition
UNION ALL
SELECT 'pg_class'::regclass, c.oid, 'type', c.reltype::regtype::text
  FROM pg_class c WHERE c.oid = to_regclass('public.ranked') AND c.relkind = 'c'
UNION ALL
SELECT 'pg_ts_config'::regclass, c.oid, 'text search configuration', c.oid::regconfig::text
  FROM pg_ts_config c WHERE obj_description(c.oid, 'pg_ts_config') LIKE 'stcollection%'
UNION ALL
SELECT 'pg_ts_dict'::regclass, d.oid, 'text search dictionary', d.oid::regdictionary::text
  FROM pg_ts_dict d WHERE d.dictname LIKE 'stc\\_%' AND d.dictnamespace = 'public'::regnamespace
UNION ALL
SELECT 'pg_namespace'::regclass, n.oid, 'schema', n.oid::regnamespace::text
  FROM pg_namespace n WHERE n.nspname IN ('stc', 'stc_all', 'stc_http')
"""
_KINDS = ("view", "table", "sequence", "routine", "type", "text search configuration", "text search dictionary")
# Logins added with 'stc db user' to this collection, and whether they have a schema.
_LOGINS = """
SELECT r.rolname::text, n.oid
  FROM pg_database d CROSS JOIN LATERAL (SELECT DISTINCT a.grantee FROM aclexplode(d.datacl) a) g
  JOIN pg_roles r ON r.oid = g.grantee AND shobj_description(r.oid, 'pg_authid') = %s
  LEFT JOIN pg_namespace n ON n.nspname = r.rolname AND n.nspowner = r.oid
 WHERE d.datname = current_database() AND NOT r.rolsuper AND r.rolname <> current_user ORDER BY 1
"""
# All objects that depend on something, with the object that each is a part of.
_ALL = """
WITH parts (class, oid, whole_class, whole) AS (
    SELECT 'pg_class'::regclass::oid, indexrelid, 'pg_class'::regclass::oid, indrelid FROM pg_index
    UNION ALL SELECT 'pg_class'::regclass, reltoastrelid, 'pg_class'::regclass, oid FROM pg_class WHERE reltoastrelid <> 0
    UNION ALL SELECT 'pg_constraint'::regclass, oid, 'pg_class'::regclass, conrelid FROM pg_constraint WHERE conrelid <> 0
    UNION ALL SELECT 'pg_trigger'::regclass, oid, 'pg_class'::regclass, tgrelid FROM pg_trigger
    UNION ALL SELECT 'pg_rewrite'::regclass, oid, 'pg_class'::regclass, ev_class FROM pg_rewrite
    UNION ALL SELECT 'pg_policy'::regclass, oid, 'pg_class'::regclass, polrelid FROM pg_policy
    UNION ALL SELECT 'pg_attrdef'::regclass, oid, 'pg_class'::regclass, adrelid FROM pg_attrdef
    UNION ALL SELECT 'pg_statistic_ext'::regclass, oid, 'pg_class'::regclass, stxrelid FROM pg_statistic_ext
    UNION ALL SELECT 'pg_publication_rel'::regclass, oid, 'pg_class'::regclass, prrelid FROM pg_publication_rel
    UNION ALL SELECT 'pg_type'::regclass, oid, 'pg_class'::regclass, typrelid FROM pg_type WHERE typrelid <> 0
    UNION ALL SELECT 'pg_type'::regclass, oid, 'pg_type'::regclass, typelem FROM pg_type WHERE typcategory = 'A' AND typelem <> 0
    UNION ALL SELECT d.classid, d.objid, d.refclassid, d.refobjid FROM pg_depend d JOIN pg_class c ON c.oid = d.objid
               WHERE d.classid = 'pg_class'::regclass AND c.relkind = 'S' AND d.deptype IN ('a', 'i')
    UNION ALL SELECT classid, objid, refclassid, refobjid FROM pg_depend WHERE deptype = 'e')
SELECT o.class, o.oid, o.part, p.whole_class, p.whole,
       CASE WHEN %s THEN pg_describe_object(o.class, o.oid, o.part) END
  FROM (SELECT classid, objid, objsubid FROM pg_depend WHERE objid >= 16384
        UNION SELECT 'pg_namespace'::regclass, oid, 0 FROM pg_namespace WHERE oid >= 16384) AS o (class, oid, part)
  LEFT JOIN parts p ON p.class = o.class AND p.oid = o.oid
"""


@dataclass(frozen=True)
class Installation:
    """What 'stc db uninstall' removes.

    :param rows: number of rows of each table that is not empty. :param logins: logins, True if they have a schema.
    :param settings: settings of the database, as ``name = value``.
    """

    tables: int
    rows: dict[str, int]
    logins: dict[str, bool]
    roles: list[str]
    extensions: list[str]
    settings: list[str]

    def lines(self) -> Iterator[str]:
        """Yield the contents as text."""
        rows = ", ".join(f"{table} {count:,}" for table, count in self.rows.items())
        yield f"  schemas stc and stc_all, and all functions, views and {counted(self.tables, 'table')} of the collection"
        yield f"  {counted(sum(self.rows.values()), 'row')}{': ' if rows else ''}{rows}"
        for login, schema in self.logins.items():
            own = " and the schema of this name with its contents" if schema else ""
            yield f"  the login {login}{own}; the login stays if it is used elsewhere"
        if self.settings:
            yield f"  the settings of the database {', '.join(self.settings)}"
        if self.extensions:
            yield f"  the extensions {', '.join(self.extensions)}, unless other objects use them"
        if self.roles:
            yield f"  the roles {', '.join(self.roles)}, unless another database uses them"


@translate()
def installation(settings: Settings) -> Installation:
    """Return what an uninstall would remove.

    :raises UnknownObject: the database is not a collection. :raises StateError: stcollection created it, or it is distributed.
    """
    with _session(settings) as conn:
        had = adoption.recorded(conn)
        tables = [name for *_, kind, name in _ours(conn) if kind == "table"]
        logins = {name: schema is not None for name, schema in conn.execute(_LOGINS, [LOGIN]).fetchall()}
        relations = [*tables, *_tables_of(conn, [name for name, schema in logins.items() if schema])]
        counts = " UNION ALL ".join(f"SELECT {i}, count(*) FROM {name}" for i, name in enumerate(relations))  # noqa: S608
        counts_by_table = {relations[i]: count for i, count in conn.execute(counts.encode()).fetchall() if count}
        efforts = adoption.search_effort(conn)
        rows = dict(sorted(counts_by_table.items(), key=lambda count: -count[1]))
        return Installation(len(tables), rows, logins, _roles(conn, had), _extensions(conn, had), efforts)


@translate()
def uninstall(settings: Settings) -> list[str]:
    """Remove the collection, in one transaction.

    :returns: notes on what stays: extensions, roles and logins that others use.
    :raises StateError: an object of others depends on the collection; the message names it. Nothing was changed.
    """
    with _session(settings) as conn:
        had = adoption.recorded(conn)
        roles, extensions = _roles(conn, had), _extensions(conn, had)
        logins = conn.execute(_LOGINS, [LOGIN]).fetchall()
        ours = _ours(conn)
        before = _all(conn, described=True)
        gone: set[Object] = {(class_, oid) for class_, oid, *_ in ours}
        gone |= {(_class(conn, "pg_namespace"), schema) for _, schema in logins if schema is not None}
        gone |= _within(conn, [schema for _, schema in logins if schema is not None])
        comment = adoption.comment(conn)
        settings_left = adoption.set_search_effort(conn, remove=True)
        joined = had is not None and not had.get("member") and _joined(conn)
        for login, schema in logins:
            _drop_schema(conn, login, schema)
        for kind in _KINDS:
            names = [name for *_, its, name in ours if its == kind]
            for some in (names,) if kind in ("view", "table", "sequence", "routine") else ([name] for name in names):
                if some:
                    conn.execute(f"DROP {kind.upper()} IF EXISTS {', '.join(some)} CASCADE".encode())
        conn.execute("DROP SCHEMA stc, stc_all CASCADE")
        _check(before, _all(conn, described=False), gone)
        notes = [*_drop_extensions(conn, extensions)]
        notes += [f"a setting stays until the owner of the database runs: {line}" for line in settings_left]
        notes += _give_back(conn, had, roles, logins, joined=joined)
        if comment == ADOPTED:
            adoption.mark(conn, None)
        if had is None:
            notes.append("the extensions stay: it is not known whether stcollection created them")
        return notes


def others(conn: psycopg.Connection) -> list[str]:
    """Return the objects of others in the database of a collection. Those in the schema of a login do not count."""
    ours = {(class_, oid) for class_, oid, *_ in _ours(conn)}
    personal = {oid for (oid,) in conn.execute("SELECT oid FROM pg_namespace WHERE nspname = nspowner::regrole::text").fetchall()}
    return [obj.what for obj in adoption.objects(conn) if (obj.kind, obj.oid) not in ours and obj.schema not in personal]


def _session(settings: Settings) -> psycopg.Connection:
    conn = connect(settings, check=False)
    try:
        conn.execute("SET LOCAL search_path = pg_catalog")
        if revision(conn) is None:
            raise UnknownObject(f"the database {settings.db!r} is not a collection", hint="'stc show collections' lists all.")
        if adoption.is_ours(adoption.comment(conn)):
            raise StateError(f"stcollection created the database {settings.db!r}", hint=f"'stc db drop {settings.db}' removes it.")
        if distribution.state(conn) is not None:
            raise StateError(f"{settings.db!r} is distributed", hint=f"Run 'stc --db {settings.db} db distribute --undo' first.")
    except BaseException:
        conn.close()
        raise
    return conn


def _ours(conn: psycopg.Connection) -> list[tuple[int, int, str | None, str]]:
    """Return class, oid, kind and name of our objects. :raises StateError: version 0.1 made the collection."""
    check_upgradable(revision(conn), conn.info.dbname)
    return conn.execute(_OURS.encode()).fetchall()


def _all(conn: psycopg.Connection, *, described: bool) -> dict[tuple[int, int, int], tuple[Object | None, str]]:
    """Return all objects, with the one that each is a part of, and a description."""
    rows = conn.execute(_ALL.encode(), [described]).fetchall()
    return {(class_, oid, part): ((whole, of) if whole else None, what) for class_, oid, part, whole, of, what in rows}


def _class(conn: psycopg.Connection, name: str) -> int:
    [(oid,)] = conn.execute("SELECT %s::regclass::oid", [name]).fetchall()
    return int(oid)


def _within(conn: psycopg.Connection, schemas: Sequence[int]) -> set[Object]:
    """Return the objects in these schemas."""
    rows = conn.execute(
        "SELECT classid, objid FROM pg_depend WHERE refclassid = 'pg_namespace'::regclass AND refobjid = ANY (%s)", [list(schemas)]
    ).fetchall()
    return set(rows)


def _tables_of(conn: psycopg.Connection, schemas: Sequence[str]) -> list[str]:
    rows = conn.execute(
        "SELECT c.oid::regclass::text FROM pg_class c WHERE c.relnamespace::regnamespace::text = ANY (%s)"
        " AND c.relkind = 'r' AND has_table_privilege(c.oid, 'SELECT')",
        [list(schemas)],
    ).fetchall()
    return [name for (name,) in rows]


def _check(before: dict[Any, Any], after: dict[Any, Any], gone: set[Object]) -> None:
    """Check that only our objects and their parts are gone. :raises StateError: others are; it names them."""
    wholes = {(class_, oid): whole for (class_, oid, _), (whole, _) in before.items() if whole is not None}
    lost = []
    for key in before.keys() - after.keys():
        root: Object = key[:2]
        while root not in gone and root in wholes:
            root = wholes[root]
        if root not in gone:
            lost.append(before[key][1])
    if lost:
        names = [name for name in sorted(set(lost)) if not name.startswith(_PARTS)] or sorted(lost)
        raise StateError(
            f"objects of others depend on the collection or are in its schemas: {first_of(names, _NAMED)}",
            hint="Drop them, or remove what depends on the collection, then run the command again. Nothing was changed.",
            sqlstate="IR414",
        )


def _roles(conn: psycopg.Connection, had: dict[str, Any] | None) -> list[str]:
    """Return the roles that did not exist before."""
    existing = [name for (name,) in conn.execute("SELECT rolname::text FROM pg_roles WHERE rolname = ANY (%s)", [list(ROLES)])]
    return [role for role in ROLES if role in existing and role not in (had["roles"] if had else ())]


def _extensions(conn: psycopg.Connection, had: dict[str, Any] | None) -> list[str]:
    """Return the extensions of a collection that did not exist before; none if that is not known."""
    existing = [name for (name,) in conn.execute("SELECT extname::text FROM pg_extension")]
    return [name for name in adoption.EXTENSIONS if had is not None and name in existing and name not in had["extensions"]]


def _drop_extensions(conn: psycopg.Connection, extensions: Sequence[str]) -> Iterator[str]:
    for name in reversed(extensions):
        try:
            with conn.transaction():
                conn.execute(sql.SQL("DROP EXTENSION {}").format(sql.Identifier(name)))
                if name == "http":
                    conn.execute("DROP SCHEMA IF EXISTS stc_http")
        except (psycopg.errors.DependentObjectsStillExist, psycopg.errors.InsufficientPrivilege) as error:
            why = (error.diag.message_detail or error.diag.message_primary or "").splitlines()[0]
            yield f"the extension {name} stays: {why}"


def _drop_schema(conn: psycopg.Connection, login: str, schema: int | None) -> None:
    if conn.execute("SELECT pg_has_role(%s, 'USAGE')", [login]).fetchone() != (True,):
        conn.execute(sql.SQL("GRANT {} TO CURRENT_USER WITH INHERIT TRUE, SET TRUE").format(sql.Identifier(login)))
    end_sessions(conn, login)
    if schema is not None:
        conn.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(login)))


def _joined(conn: psycopg.Connection) -> bool:
    """Return True if this user is a member of stc_owner only for this collection: it owns no other one."""
    row = conn.execute(
        "SELECT EXISTS (SELECT FROM pg_auth_members m WHERE m.roleid = to_regrole('stc_owner') AND m.set_option"
        "                  AND m.member = current_user::regrole)"
        " AND NOT EXISTS (SELECT FROM pg_shdepend s JOIN pg_database d ON d.oid = s.dbid AND d.datname <> current_database()"
        "                  WHERE s.refclassid = 'pg_authid'::regclass AND s.refobjid = to_regrole('stc_owner')"
        "                    AND pg_has_role(d.datdba, 'USAGE'))"
    ).fetchone()
    return row == (True,)


def _give_back(
    conn: psycopg.Connection, had: dict[str, Any] | None, roles: Sequence[str], logins: Sequence[tuple[str, Any]], *, joined: bool
) -> Iterator[str]:
    """Revoke what roles and logins were granted, drop those that nobody uses, and restore the rights of PUBLIC."""
    database = sql.Identifier(conn.info.dbname)
    existing = [name for (name,) in conn.execute("SELECT rolname::text FROM pg_roles WHERE rolname = ANY (%s)", [list(ROLES)])]
    granted = conn.execute(
        "SELECT DISTINCT g.what, a.grantee::regrole::text FROM (SELECT format('DATABASE %%I', datname), datacl FROM pg_database"
        " WHERE datname = current_database() UNION ALL SELECT 'SCHEMA public', nspacl FROM pg_namespace WHERE nspname = 'public')"
        " AS g (what, acl), aclexplode(g.acl) a JOIN pg_roles r ON r.oid = a.grantee WHERE r.rolname = ANY (%s)",
        [[*existing, *(login for login, _ in logins)]],
    )
    for what, role in granted.fetchall():
        conn.execute(f"REVOKE ALL ON {what} FROM {role}".encode())
    for function, public in conn.execute(
        "SELECT p.oid::regprocedure::text, has_function_privilege('public', p.oid, 'EXECUTE') FROM pg_extension e"
        "  JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'"
        "  JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid"
        " WHERE e.extname = 'http' AND pg_has_role(p.proowner, 'USAGE')"
    ).fetchall():
        if "stc_owner" in existing:
            conn.execute(f"REVOKE ALL ON FUNCTION {function} FROM stc_owner".encode())
        if had is not None and had["http"] and not public:
            conn.execute(f"GRANT EXECUTE ON FUNCTION {function} TO PUBLIC".encode())
    if had is not None and had.get("restricted"):
        for right in had["public"]:
            conn.execute(sql.SQL("GRANT {} ON DATABASE {} TO PUBLIC").format(sql.SQL(right), database))
        if had["schema"]:
            conn.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
    if joined:
        conn.execute("REVOKE stc_owner FROM CURRENT_USER")
    for name in [*(login for login, _ in logins), *reversed(roles)]:
        role = sql.Identifier(name)
        try:
            with conn.transaction():
                conn.execute(sql.SQL("ALTER ROLE {} IN DATABASE {} RESET ALL").format(role, database))
                conn.execute(sql.SQL("DROP ROLE {}").format(role))
        except (psycopg.errors.DependentObjectsStillExist, psycopg.errors.InsufficientPrivilege) as error:
            why = (error.diag.message_detail or error.diag.message_primary or "").splitlines()[0]
            yield f"the {'role' if name in ROLES else 'login'} {name} stays: {why}"

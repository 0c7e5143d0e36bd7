"""Collections in databases that stcollection did not create: find objects of others, list and record those of an installation.

The record is a row of stc_settings. It has the oid of the database, so that it does not count in a copy. Settings of the database
have another row, because they follow the vector indexes (sql/vectors/set_search_effort.sql).
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from textwrap import wrap
from typing import Any, NamedTuple

import psycopg
from psycopg import sql

from stcollection import plugins
from stcollection.counts import counted, first_of
from stcollection.db.connection import connect, maintenance
from stcollection.db.created import tables
from stcollection.db.objects import read
from stcollection.db.roles import ROLES
from stcollection.db.settings import ADOPTED, MARK, Settings
from stcollection.db.step import revision
from stcollection.errors import StateError, translate

#: The name of the record in stc_settings.
RECORD = "installed"
EXTENSIONS = ("vector", "pg_textsearch", "vectorscale", "http")

# Relations, routines, types, schemas and large objects that belong neither to PostgreSQL nor to an extension.
_OTHERS = """
SELECT o.class::oid, o.oid, o.schema, pg_describe_object(o.class, o.oid, 0)
  FROM (SELECT 'pg_class'::regclass, c.oid, c.relnamespace FROM pg_class c WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S', 'c')
        UNION ALL SELECT 'pg_proc'::regclass, p.oid, p.pronamespace FROM pg_proc p
        UNION ALL SELECT 'pg_type'::regclass, t.oid, t.typnamespace FROM pg_type t
                   WHERE t.typrelid = 0 AND t.typtype <> 'm' AND t.typcategory <> 'A'
        UNION ALL SELECT 'pg_namespace'::regclass, n.oid, n.oid FROM pg_namespace n WHERE n.nspname <> 'public'
        UNION ALL SELECT 'pg_largeobject'::regclass, l.oid, NULL FROM pg_largeobject_metadata l) AS o (class, oid, schema)
 WHERE o.oid >= 16384 AND coalesce(o.schema::regnamespace::text, '') !~ '^(pg_|information_schema$)'
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = o.class AND d.objid = o.oid AND d.deptype IN ('e', 'i'))
   AND NOT EXISTS (SELECT FROM pg_extension e WHERE o.class = 'pg_namespace'::regclass AND e.extnamespace = o.oid)
 ORDER BY o.class, o.oid
"""
_BEFORE = """
SELECT d.oid::bigint, (SELECT c.system_identifier::text FROM pg_control_system() c),
       ARRAY(SELECT e.extname::text FROM pg_extension e), ARRAY(SELECT r.rolname::text FROM pg_roles r WHERE r.rolname = ANY (%s)),
       pg_has_role(d.datdba, 'USAGE'), shobj_description(d.oid, 'pg_database'),
       EXISTS (SELECT FROM pg_auth_members m WHERE m.roleid = to_regrole('stc_owner') AND m.member = current_user::regrole
                  AND m.set_option),
       ARRAY(SELECT r.name FROM unnest('{CONNECT,TEMPORARY}'::text[]) AS r (name)
              WHERE has_database_privilege('public', d.oid, r.name)),
       has_schema_privilege('public', 'public', 'CREATE'),
       EXISTS (SELECT FROM pg_extension e JOIN pg_depend x ON x.refclassid = 'pg_extension'::regclass AND x.refobjid = e.oid
                 JOIN pg_proc p ON x.classid = 'pg_proc'::regclass AND p.oid = x.objid AND x.deptype = 'e'
                WHERE e.extname = 'http' AND has_function_privilege('public', p.oid, 'EXECUTE'))
  FROM pg_database d WHERE d.datname = current_database()
"""


class DatabaseObject(NamedTuple):
    """A relation, routine, type, schema or large object.

    :param kind: oid of its catalogue. :param schema: None for large objects.
    """

    kind: int
    oid: int
    schema: int | None
    what: str


def objects(conn: psycopg.Connection) -> list[DatabaseObject]:
    """Return the objects of a database that belong neither to PostgreSQL nor to an extension."""
    return [DatabaseObject(*row) for row in conn.execute(_OTHERS).fetchall()]


def is_ours(comment: str | None) -> bool:
    """Return True if the comment on a database says that stcollection created it, or is creating it."""
    return comment is not None and (comment == MARK or comment.startswith("unfinished "))


def comment(conn: psycopg.Connection) -> str | None:
    """Return the comment on the database."""
    row = conn.execute(
        "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = current_database()"
    ).fetchone()
    return None if row is None else row[0]


def check_unused(conn: psycopg.Connection, db: str) -> None:
    """Check that a database that is not a collection is empty. :raises StateError: it is not; it names some of the objects."""
    if names := [obj.what for obj in objects(conn)]:
        raise StateError(
            f"the database {db!r} is not a collection, and is in use: it contains {first_of(names)}",
            hint="Give the collection a database of its own: --db NAME or STC_DB names one that does not exist."
            f" 'stc --db {db} db upgrade --adopt' lists what it would create in this one, and asks. Nothing was changed.",
            sqlstate="IR414",
        )


def describe_before(conn: psycopg.Connection) -> dict[str, Any] | None:
    """Return what a database has before an installation; None if stcollection created the database."""
    row = conn.execute(_BEFORE, [list(ROLES)]).fetchone()
    if row is None or is_ours(row[5]):
        return None
    names = ("database", "server", "extensions", "roles", "owner", "comment", "member", "public", "schema", "http")
    return dict(zip(names, row, strict=True))


def record(conn: psycopg.Connection, had: dict[str, Any]) -> None:
    """Store what the database had before, and mark it as one with a collection, unless it has a comment of others."""
    conn.execute("INSERT INTO stc_all.stc_settings (name, value) VALUES (%s, %s)", [RECORD, json.dumps(had)])
    if had["owner"] and had["comment"] is None:
        mark(conn, ADOPTED)


def record_restriction(conn: psycopg.Connection) -> None:
    """Store that --restrict revoked rights of PUBLIC."""
    value = "jsonb_set(value::jsonb, '{restricted}', 'true')"
    conn.execute(f"UPDATE stc_all.stc_settings SET value = {value} WHERE name = %s".encode(), [RECORD])  # noqa: S608


def mark(conn: psycopg.Connection, comment: str | None) -> None:
    """Set the comment on the database."""
    name = sql.Identifier(conn.info.dbname)
    conn.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(name, comment))


def recorded(conn: psycopg.Connection) -> dict[str, Any] | None:
    """Return what this database had before the installation; None if that was not recorded, or in another database."""
    row = conn.execute(
        "SELECT s.value FROM stc_all.stc_settings s, pg_database d, pg_control_system() c WHERE s.name = %s"
        " AND d.datname = current_database() AND s.value::jsonb ->> 'database' = d.oid::text"
        " AND s.value::jsonb ->> 'server' = c.system_identifier::text",
        [RECORD],
    ).fetchone()
    return None if row is None else json.loads(row[0])


@translate()
def set_search_effort(conn: psycopg.Connection, *, remove: bool = False) -> list[str]:
    """Set the search effort of the vector indexes for the whole database, for plain SQL (sql/vectors/set_search_effort.sql).

    :param remove: reset it. :returns: the statements that only the owner of the database may run.
    """
    with conn.transaction():
        if conn.execute("SELECT to_regproc('stc.set_search_effort') IS NULL").fetchone() == (True,):
            return []
        row = conn.execute("SELECT stc.set_search_effort(%s)", [remove]).fetchone()
    return row[0] if row else []


def search_effort(conn: psycopg.Connection) -> list[str]:
    """Return the settings of the database that the collection made, as ``name = value``."""
    rows = conn.execute(
        "SELECT e.key || ' = ' || e.value FROM stc_all.stc_settings s, jsonb_each_text(s.value::jsonb) e"
        " WHERE s.name = 'search_effort' ORDER BY 1"
    )
    return [statement for (statement,) in rows.fetchall()]


@translate()
def preview(settings: Settings) -> list[str] | None:
    """Return lines on what an installation creates in the database of ``settings``; None if it is a collection already."""
    with maintenance(settings) as conn:
        roles = [role for (role,) in conn.execute("SELECT rolname FROM pg_roles WHERE rolname = ANY (%s)", [list(ROLES)])]
        exists = conn.execute("SELECT FROM pg_database WHERE datname = %s", [settings.db]).fetchone() is not None
    if not exists:
        return [f"the database {settings.db!r} does not exist; stcollection creates", *_creates(roles, [], is_new=True)]
    with connect(settings, check=False) as conn:
        if revision(conn) is not None:
            return None
        others = objects(conn)
        extensions = [name for (name,) in conn.execute("SELECT extname FROM pg_extension")]
    what = f"contains {counted(len(others), 'object')} of others" if others else "is empty"
    return [f"the database {settings.db!r} {what}; stcollection creates in it", *_creates(roles, extensions, is_new=False)]


def _creates(roles: list[str], extensions: list[str], *, is_new: bool) -> Iterator[str]:
    missing = [role for role in ROLES if role not in roles]
    kinds = Counter[tuple[str, str]]()
    for obj in (obj for file in read() for obj in file.creates):
        kind, _, name = obj.partition(" ")
        if kind != "trigger":
            kinds["view" if kind == "view" else "routine", name.partition(".")[0]] += 1
    rows = [
        ("database", f"{MARK}: its comment; encoding UTF8, for users whom you add" if is_new else ""),
        ("schemas", "stc, stc_all"),
        *((f"tables of {schema}", ", ".join(names)) for schema, names in relations().items()),
        ("views", ", ".join(f"{n} in {schema}" for (kind, schema), n in sorted(kinds.items()) if kind == "view")),
        ("functions", ", ".join(f"{n} in {schema}" for (kind, schema), n in sorted(kinds.items()) if kind == "routine")),
        ("type, sequence", "ranked and dblp_id_seq, in public"),
        ("extensions", ", ".join(f"{extension}, in public" for extension in EXTENSIONS[:1] if extension not in extensions)),
        ("roles", f"{', '.join(missing)}; of the whole server, they cannot log in" if missing else ""),
        ("rights", "of these roles: USAGE on the schema public; CREATE there for stc_owner"),
        ("settings", "of the database, when a vector index is built: its search effort (ivfflat.probes, hnsw.ef_search)"),
        ("comment", "" if is_new else f"on the database, if it has none: {ADOPTED}"),
    ]
    for what, text in rows:
        if text:
            yield from wrap(text, 118, initial_indent=f"  {what:<18}", subsequent_indent=" " * 20)
    yield "'stc index', 'stc vectors index' and connect_embedding_service() create the extensions that they use, if they may."
    yield "'stc db drop' removes it." if is_new else "'stc db uninstall' removes what was created, and nothing else."


def relations() -> dict[str, list[str]]:
    """Return the tables of a collection by schema, as listed in stc_rights and by studies, with their partitions of hidden rows."""
    [text] = [file.text for file in read() if file.path == "db/stc_rights.sql"]
    by_schema = defaultdict[str, list[str]](list)
    for schema, names in re.findall(r"'(public|stc|stc_all)',\s*'\{([^}]*)\}'", text):
        by_schema[schema] += re.findall(r"\w+", names)
    for table in plugins.tables():
        by_schema[table.schema].append(table.name)
    by_schema["stc_all"] += [f"{name}_hidden" for name in by_schema["stc_all"] if tables().get(name)]
    return {schema: sorted(names) for schema, names in by_schema.items()}

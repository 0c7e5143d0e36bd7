"""Check the versions of the server and its extensions: too old, to be requested, or with known defects."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg
from psycopg import sql

from stcollection.errors import StateError

OLDEST = 17  # major version of PostgreSQL: ALTER COLUMN … SET EXPRESSION, builtin C.UTF-8
OLDEST_VECTOR = (0, 8)  # pgvector: iterative scans


@dataclass(frozen=True)
class Defect:
    """A known defect of an installed version.

    :param action: how to avoid it.
    :param own: only indexes that people create themselves can have it, not those of ``stc``.
    """

    extension: str
    version: str
    sentence: str
    action: str
    own: bool

    def __str__(self) -> str:
        return f"{self.extension} {self.version}: {self.sentence}. {self.action}."


# Extension, first version with the defect, first version without it, consequence, action, own.
_DEFECTS = (
    (
        "pg_textsearch", "0", "1.1",
        "a build does not find rows that PostgreSQL updated in place (heap-only tuples)",
        "'stc index' looks up every document, and moves such rows; run VACUUM FULL before your own CREATE INDEX, or install"
        " pg_textsearch 1.1 or later",
        True,
    ),
    (
        "pg_textsearch", "0", "1.2",
        "it can lose index entries when rows are inserted after the build and the server restarts",
        "Run 'stc index' after every load, or install pg_textsearch 1.2 or later",
        False,
    ),
    (
        "pg_textsearch", "0", "1.3.1",
        "a parallel build with little maintenance_work_mem can leave documents out of the index (issue 409)",
        "'stc index' uses at least 512 MB; in your own CREATE INDEX set max_parallel_maintenance_workers = 0, or install"
        " pg_textsearch 1.3.1 or later",
        True,
    ),
    (
        "vector", "0.6.0", "0.8.2", "parallel HNSW builds can overflow a buffer (CVE-2026-3172)",
        "'stc vectors index' uses no workers for HNSW except on the embedded server; in your own CREATE INDEX set"
        " max_parallel_maintenance_workers = 0, or install pgvector 0.8.2 or later",
        False,
    ),
    (
        "vector", "0", "0.8.4", "VACUUM can damage an HNSW index under concurrent insert and delete",
        "Rebuild HNSW indexes after many deletes, or install pgvector 0.8.4 or later",
        False,
    ),
)  # fmt: skip


def parts(version: str) -> tuple[int, ...]:
    """Parse ``0.8.1`` as (0, 8, 1), up to the first part that is not a number."""
    numbers = []
    for part in version.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
        if digits != part:
            break
    return tuple(numbers)


def check_server(conn: psycopg.Connection) -> None:
    """Check the versions of the server and of its pgvector.

    :raises StateError: PostgreSQL is older than 17, or pgvector older than 0.8. Nothing was changed.
    """
    version = conn.info.server_version
    if version // 10000 < OLDEST:
        raise StateError(
            f"the server is PostgreSQL {version // 10000}.{version % 10000}; a collection needs {OLDEST} or later",
            hint="Set STC_DSN to another server, or unset it to use the embedded server.",
            sqlstate="IR413",
        )
    row = conn.execute("SELECT default_version FROM pg_catalog.pg_available_extensions WHERE name = 'vector'").fetchone()
    if row is None:
        raise StateError("the server does not have pgvector", hint="Install pgvector 0.8 or later on it.", sqlstate="IR404")
    if row[0] is not None and parts(row[0]) < OLDEST_VECTOR:
        raise StateError(
            f"the server offers pgvector {row[0]}; a collection needs 0.8 or later",
            hint="Install pgvector 0.8 or later on the server, or have its administrator install it.",
            sqlstate="IR413",
        )


def may_create(conn: psycopg.Connection, extension: str) -> bool:
    """Return True if this role may create an extension in its databases: the extension is trusted, or the role a superuser."""
    row = conn.execute(
        "SELECT r.rolsuper OR v.trusted OR NOT v.superuser FROM pg_catalog.pg_available_extensions a"
        "  JOIN pg_catalog.pg_available_extension_versions v ON v.name = a.name AND v.version = a.default_version"
        "  JOIN pg_catalog.pg_roles r ON r.rolname = current_user WHERE a.name = %s",
        [extension],
    ).fetchone()
    return row == (True,)


def check_database(conn: psycopg.Connection) -> None:
    """Check the server, and pgvector in this database.

    :raises StateError: a version is too old, pgvector is in another schema, or this user may not create it. Nothing was changed.
    """
    check_server(conn)
    name = sql.Identifier(conn.info.dbname).as_string(conn)
    row = conn.execute(
        "SELECT e.extversion, e.extnamespace::regnamespace::text FROM pg_catalog.pg_extension e WHERE e.extname = 'vector'"
    ).fetchone()
    if row is None:
        may = conn.execute(
            "SELECT has_database_privilege(current_database(), 'CREATE') AND has_schema_privilege('public', 'CREATE')"
        ).fetchone()
        if may != (True,) or not may_create(conn, "vector"):
            raise StateError(
                f"pgvector is missing in the database {conn.info.dbname!r}, and {conn.info.user} may not create it there",
                hint=f"Ask the server's administrator to run, in the database {name}: CREATE EXTENSION vector SCHEMA public;"
                " Then upgrade again. Running it in template1 adds it to every new database.",
                sqlstate="IR404",
            )
    elif parts(row[0]) < OLDEST_VECTOR:
        raise StateError(
            f"the database {conn.info.dbname!r} has pgvector {row[0]}; a collection needs 0.8 or later",
            hint=f"Run, or ask the server's administrator to run, in the database {name}: ALTER EXTENSION vector UPDATE;"
            " Then upgrade again.",
            sqlstate="IR413",
        )
    elif row[1] != "public":
        raise StateError(
            f"pgvector is in the schema {row[1]} of the database {conn.info.dbname!r}, not in public",
            hint="Run, or ask the server's administrator to run: ALTER EXTENSION vector SET SCHEMA public;"
            " If other applications need it there, use a separate database for the collection.",
            sqlstate="IR414",
        )
    row = conn.execute(
        "SELECT to_regnamespace('stc') IS NOT NULL OR has_database_privilege(current_database(), 'CREATE')"
    ).fetchone()
    if row != (True,):
        raise StateError(
            f"{conn.info.user} may not create the schema stc in the database {conn.info.dbname!r}",
            hint=f"Ask the database's owner to run: GRANT CREATE ON DATABASE {name} TO"
            f" {sql.Identifier(conn.info.user).as_string(conn)}; Then upgrade again.",
            sqlstate="42501",
        )


def requests(conn: psycopg.Connection) -> list[str]:
    """Return requests for extensions that the server offers but only its administrator may create."""
    row = conn.execute(
        "SELECT installed_version IS NULL FROM pg_catalog.pg_available_extensions WHERE name = 'pg_textsearch'"
    ).fetchone()
    if row != (True,) or may_create(conn, "pg_textsearch"):
        return []
    name = sql.Identifier(conn.info.dbname).as_string(conn)
    return [
        "pg_textsearch is on the server but not in this database. For faster BM25, ask its administrator to run in"
        f" {name}: CREATE EXTENSION pg_textsearch SCHEMA public;"
    ]


def defects(conn: psycopg.Connection, extension: str | None = None) -> list[Defect]:
    """Return the known defects of the extensions in this database.

    :param extension: only of this one.
    """
    versions: dict[str, str] = dict(conn.execute("SELECT extname, extversion FROM pg_catalog.pg_extension").fetchall())
    return [
        Defect(name, versions[name], sentence, action, own)
        for name, first, fixed, sentence, action, own in _DEFECTS
        if name in versions and extension in (None, name) and parts(first) <= parts(versions[name]) < parts(fixed)
    ]

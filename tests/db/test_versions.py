"""Old versions of the server and of extensions are refused before anything is created."""

from __future__ import annotations

from dataclasses import replace

import psycopg
import pytest
from click.testing import CliRunner
from psycopg import sql

from stcollection.db import versions
from stcollection.db.collections import create
from stcollection.db.connection import conninfo
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from stcollection.errors import StateError
from tests.db.conftest import NewName
from tests.groups import db


def there(admin: psycopg.Connection, settings: Settings) -> bool:
    return admin.execute("SELECT FROM pg_database WHERE datname = %s", [settings.db]).fetchone() is not None


@pytest.mark.parametrize(
    ("oldest", "vector", "sentence"),
    [(99, (0, 8), "a collection needs 99 or later"), (17, (9, 9), r"the server offers pgvector \S+; a collection needs")],
)
def test_an_old_server_is_refused_before_anything_is_created(
    admin: psycopg.Connection,
    new_name: NewName,
    monkeypatch: pytest.MonkeyPatch,
    oldest: int,
    vector: tuple[int, ...],
    sentence: str,
) -> None:
    monkeypatch.setattr(versions, "OLDEST", oldest)
    monkeypatch.setattr(versions, "OLDEST_VECTOR", vector)
    new = new_name()
    with pytest.raises(StateError, match=sentence) as error:
        create(new)
    assert error.value.sqlstate == "IR413"
    assert error.value.hint
    assert not there(admin, new)


def test_an_old_pgvector_in_the_database_is_refused_with_the_statement_to_run(settings: Settings, conn: psycopg.Connection) -> None:
    conn.execute("UPDATE pg_extension SET extversion = '0.6.2' WHERE extname = 'vector'")
    with pytest.raises(StateError, match=r"has pgvector 0\.6\.2; a collection needs 0\.8 or later") as error:
        upgrade(settings)
    assert "ALTER EXTENSION vector UPDATE;" in (error.value.hint or "")


def test_a_pgvector_in_another_schema_is_refused(admin: psycopg.Connection, new_name: NewName) -> None:
    new = new_name()
    admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(new.db)))
    try:
        with psycopg.connect(conninfo(new), autocommit=True) as conn:
            conn.execute("CREATE SCHEMA extensions; CREATE EXTENSION vector SCHEMA extensions")
        with pytest.raises(StateError, match="pgvector is in the schema extensions"):
            upgrade(new)
    finally:
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(new.db)))


def test_who_may_not_create_pgvector_is_told_what_to_request(admin: psycopg.Connection, new_name: NewName) -> None:
    new = new_name()
    name = sql.Identifier(new.db)
    admin.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'x'").format(name))
    admin.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(name, name))
    try:
        with psycopg.connect(conninfo(new), autocommit=True) as conn:  # as if the extension were not trusted
            conn.execute(sql.SQL("ALTER DATABASE {} OWNER TO postgres").format(name))
        with pytest.raises(StateError, match="may not create it there") as error:
            upgrade(replace(new, dsn=f"{conninfo(new)} user={new.db} password=x"))
        assert "CREATE EXTENSION vector SCHEMA public;" in (error.value.hint or "")
    finally:
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))
        admin.execute(sql.SQL("DROP ROLE {}").format(name))


@pytest.mark.parametrize(
    ("extension", "version", "found"),
    [("vector", "0.8.1", 2), ("vector", "0.8.2", 1), ("vector", "0.8.4", 0), ("vector", "0.10.0", 0)],
)
def test_known_defects_are_those_of_the_version(conn: psycopg.Connection, extension: str, version: str, found: int) -> None:
    conn.execute("UPDATE pg_extension SET extversion = %s WHERE extname = %s", [version, extension])
    assert len(versions.defects(conn)) == found


@pytest.mark.parametrize(("version", "known"), [("1.0.0", ["1.1", "1.2", "1.3.1"]), ("1.2.0", ["1.3.1"]), ("1.3.1", [])])
def test_known_defects_of_pg_textsearch(conn: psycopg.Connection, version: str, known: list[str]) -> None:
    conn.execute("CREATE EXTENSION pg_textsearch")
    conn.execute("UPDATE pg_extension SET extversion = %s WHERE extname = 'pg_textsearch'", [version])
    found = [str(one) for one in versions.defects(conn) if one.extension == "pg_textsearch"]
    assert [one.split("install pg_textsearch ")[1] for one in found] == [f"{one} or later." for one in known]


def test_status_lists_known_defects_with_what_to_do(settings: Settings, conn: psycopg.Connection) -> None:
    conn.execute("UPDATE pg_extension SET extversion = '0.8.1' WHERE extname = 'vector'")
    done = CliRunner().invoke(db, ["status"], obj=settings)
    assert "defect      vector 0.8.1: parallel HNSW builds can overflow a buffer (CVE-2026-3172)\n" in done.output
    assert "max_parallel_maintenance_workers = 0" in done.output


@pytest.mark.parametrize(
    ("version", "embedded", "wanted"),
    [("0.8.1", "on", True), ("0.8.1", "", False), ("0.8.2", "", True), ("0.10.0", "", True), ("1.0.0-dev", "", True)],
)
def test_hnsw_uses_workers_where_that_is_safe(conn: psycopg.Connection, version: str, embedded: str, wanted: bool) -> None:
    conn.execute("UPDATE pg_extension SET extversion = %s WHERE extname = 'vector'", [version])
    conn.execute("SELECT set_config('stc.embedded', %s, true), set_config('max_parallel_workers', '3', true)", [embedded])
    assert conn.execute("SELECT stc.hnsw_workers()").fetchone() == (3 if wanted else 0,)


def test_the_embedded_server_calls_itself_so(server: Settings, conn: psycopg.Connection) -> None:
    assert conn.execute("SELECT current_setting('stc.embedded', true)").fetchone() == (("on",) if server.embedded else (None,))


@pytest.mark.parametrize(("version", "parts"), [("0.8.1", (0, 8, 1)), ("0.10", (0, 10)), ("1.0.0-dev", (1, 0, 0)), ("", ())])
def test_versions_compare_as_numbers(version: str, parts: tuple[int, ...]) -> None:
    assert versions.parts(version) == parts

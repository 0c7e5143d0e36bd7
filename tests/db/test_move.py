"""The upgrade of version 0.2 moves tables to the schema stc_all: dependent objects of users keep working, or nothing changes."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from stcollection.db import roles
from stcollection.db import upgrade as upgrading
from stcollection.db.connection import conninfo
from stcollection.db.current import in_step
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.db.step import head
from stcollection.db.upgrade import upgrade
from stcollection.errors import StateError, StcError
from tests.db.shape import shape
from tests.db.test_releases import released

pytestmark = pytest.mark.slow

_ = released
Released = tuple[Settings, dict[str, Any]]
of_0_2 = pytest.mark.parametrize("released", ["0035"], indirect=True)


def one(conn: psycopg.Connection, query: str) -> Any:
    row = conn.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


@of_0_2
def test_what_others_made_on_what_moves_goes_on(released: Released) -> None:
    there, _ = released
    with open_session(conninfo(there), autocommit=True) as conn:
        conn.execute("CREATE SCHEMA mine")
        conn.execute("CREATE VIEW mine.tau AS SELECT stc.kendall_tau('{1,2,3}', '{1,3,2}') AS tau")
        conn.execute("CREATE VIEW mine.models AS SELECT count(*) AS n FROM stc.vector_models")
        conn.execute("CREATE VIEW mine.pools AS SELECT count(*) AS n FROM stc.pool_overview")
        conn.execute(
            "CREATE TABLE mine.notes (pool integer REFERENCES stc.qrels_pools (id), text text DEFAULT stc.plain_words('a B'))"
        )
        conn.execute("GRANT SELECT ON stc.qrels_pools TO pg_monitor")
        conn.execute(
            "REVOKE EXECUTE ON FUNCTION stc.plain_words(text) FROM PUBLIC;"
            "GRANT EXECUTE ON FUNCTION stc.plain_words(text) TO pg_monitor"
        )
        conn.execute("CREATE FUNCTION run_list(text) RETURNS text LANGUAGE sql AS 'SELECT ''mine'''")
        tau, moved = one(conn, "SELECT tau FROM mine.tau"), one(conn, "SELECT 'stc.qrels_pools'::regclass::oid")
        rows = one(conn, "SELECT count(*) FROM qrels_judgments")
    upgrade(there)
    with open_session(conninfo(there), autocommit=True) as conn:
        assert in_step(conn)
        assert one(conn, "SELECT tau FROM mine.tau") == tau
        assert one(conn, "SELECT n FROM mine.models") >= 0
        assert one(conn, "SELECT n FROM mine.pools") >= 0
        conn.execute("INSERT INTO mine.notes DEFAULT VALUES")
        assert one(conn, "SELECT 'stc_all.qrels_pools'::regclass::oid") == moved
        assert one(conn, "SELECT has_table_privilege('pg_monitor', 'stc_all.qrels_pools', 'SELECT')") is True
        assert one(conn, "SELECT has_schema_privilege('pg_monitor', 'stc', 'USAGE')") is True
        assert one(conn, "SELECT has_function_privilege('pg_monitor', 'stc.plain_words(text)', 'EXECUTE')") is True
        assert one(conn, "SELECT has_function_privilege('stc_reader', 'stc.plain_words(text)', 'EXECUTE')") is False
        assert one(conn, "SELECT count(*) FROM qrels_judgments") == rows
        assert one(conn, "SELECT public.run_list('x')") == "mine"
        assert one(conn, "SELECT array_length(stc.run_list('x'), 1)") == 1


@of_0_2
def test_an_upgrade_that_is_killed_leaves_what_was(released: Released, monkeypatch: pytest.MonkeyPatch) -> None:
    there, _ = released
    with open_session(conninfo(there), autocommit=True) as conn:
        before = shape(conn, "public", "stc")
        real = roles.ensure_roles

        def kill(own: psycopg.Connection) -> str | None:
            assert one(own, "SELECT to_regclass('stc_all.qrels_pools') IS NOT NULL")  # moved, and sql/ is applied
            conn.execute("SELECT pg_terminate_backend(%s, 10000)", [own.info.backend_pid])
            return real(own)

        monkeypatch.setattr(upgrading, "ensure_roles", kill)
        with pytest.raises((psycopg.Error, StcError)):
            upgrade(there)
        assert shape(conn, "public", "stc") == before
        assert one(conn, "SELECT version_num FROM alembic_version") == "0035"
    monkeypatch.setattr(upgrading, "ensure_roles", real)
    assert upgrade(there).after == head()


@of_0_2
def test_a_schema_of_that_name_stops_the_upgrade(released: Released) -> None:
    there, _ = released
    with open_session(conninfo(there), autocommit=True) as conn:
        conn.execute("CREATE SCHEMA stc_all CREATE TABLE stc_all.qrels_pools (mine integer)")
        before = shape(conn, "public", "stc")
        with pytest.raises(StateError, match="a name it needs: schema stc_all") as error:
            upgrade(there)
        assert error.value.sqlstate == "IR414"
        assert shape(conn, "public", "stc") == before
        conn.execute("ALTER SCHEMA stc_all RENAME TO mine")
    assert upgrade(there).after == head()
    with open_session(conninfo(there), autocommit=True) as conn:
        assert one(conn, "SELECT count(*) FROM mine.qrels_pools") == 0

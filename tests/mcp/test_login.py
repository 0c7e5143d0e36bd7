"""The login of the server has the rights of a reader, and is dropped."""

from __future__ import annotations

from dataclasses import replace

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from stcollection.db.settings import Settings
from stcollection.errors import StateError
from stcollection.mcp import AnswerLimits
from stcollection.mcp.login import PREFIX, is_least, reader_login
from tests.roles.worlds import Login, collection, login

pytestmark = pytest.mark.slow
_ = collection, login
PASSWORD = "not for the embedded server"  # noqa: S105


def _as(settings: Settings, dsn: str, conn: psycopg.Connection) -> Settings:
    return replace(settings, dsn=make_conninfo(dsn, user=conn.info.user, password=PASSWORD))


def _logins(conn: psycopg.Connection) -> int:
    found = conn.execute(
        "SELECT count(*) FROM pg_roles r, pg_database d, aclexplode(d.datacl) a WHERE d.datname = current_database()"
        " AND a.grantee = r.oid AND starts_with(r.rolname, %s)",
        [PREFIX],
    ).fetchone()
    assert found
    return int(found[0])


def test_an_owner_gets_a_login_for_the_time_of_the_server(settings: Settings, collection: psycopg.Connection) -> None:
    with reader_login(settings, AnswerLimits()) as where:
        with psycopg.connect(where) as conn:
            assert is_least(conn)
            assert conn.info.user.startswith(PREFIX)
            with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
                conn.execute("CREATE TEMP TABLE t ()")
        assert _logins(collection) == 1
    assert _logins(collection) == 0


def test_logins_that_killed_servers_left_are_dropped(settings: Settings, collection: psycopg.Connection) -> None:
    old = f"{PREFIX}1700000000_{collection.info.backend_pid:016x}"
    collection.execute(f"CREATE ROLE {old} LOGIN".encode())
    collection.execute(f"GRANT CONNECT ON DATABASE {collection.info.dbname} TO {old}".encode())
    with reader_login(settings, AnswerLimits()), reader_login(settings, AnswerLimits()):
        assert collection.execute("SELECT FROM pg_roles WHERE rolname = %s", [old]).fetchone() is None
        assert _logins(collection) == 2


def test_readers_and_participants_are_used_as_they_are(
    settings: Settings, dsn: str, login: Login, collection: psycopg.Connection
) -> None:
    for kind in ("reader", "participant"):
        conn = login(kind)
        with reader_login(_as(settings, dsn, conn), AnswerLimits()) as where, psycopg.connect(where) as used:
            assert used.info.user == conn.info.user
            assert used.execute("SHOW default_transaction_read_only").fetchone() == ("on",)
    assert _logins(collection) == 0


def test_organisers_who_may_not_create_logins_are_refused(
    settings: Settings, dsn: str, login: Login, collection: psycopg.Connection
) -> None:
    conn = login("organiser")
    with (
        pytest.raises(StateError, match="has more rights than a reader") as refused,
        reader_login(_as(settings, dsn, conn), AnswerLimits()),
    ):
        pass
    assert "stc db user assistant --role reader" in (refused.value.hint or "")
    assert not is_least(conn)
    assert not is_least(collection)

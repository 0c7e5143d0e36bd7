"""stc db user: logins and their roles, passwords, and removal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner, Result
from psycopg import sql

from stcollection.db.members import add_member, drop_member, members
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from tests.groups import db

pytestmark = pytest.mark.slow


@pytest.fixture
def names(conn: psycopg.Connection) -> Iterator[list[str]]:
    """Names used by no other test; remaining roles are dropped at the end."""
    made = [f"u{conn.info.backend_pid}_{letter}" for letter in "abc"]
    yield made
    for name in made:
        if name in {one.name for one in members(conn)}:
            drop_member(conn, name)


def run(settings: Settings, *arguments: str, **more: object) -> Result:
    return CliRunner().invoke(db, ["user", *arguments], obj=settings, **more)  # type: ignore[arg-type]


def test_people_come_and_go(conn: psycopg.Connection, settings: Settings, names: list[str]) -> None:
    anna, otto, olga = names
    done = run(settings, "add", anna, "--role", "participant", "--team", "red")
    assert done.output.startswith(f"{anna}: participant of red of {settings.db!r}\npassword    ")
    assert run(settings, "add", otto, "--role", "organiser").exit_code == 0
    assert run(settings, "add", olga, "--role", "owner").exit_code == 0
    assert members(conn) == [(anna, ["participant"], "red", anna), (otto, ["organiser"], None, otto), (olga, ["owner"], None, None)]
    done = run(settings, "add", anna, "--role", "participant", "--team", "blue")
    assert "password   " not in done.output
    assert "existing login" in done.output
    assert members(conn)[0].team == "blue"
    assert anna in run(settings, "list").output
    assert run(settings, "drop", anna, "--yes").output == f"removed the user {anna!r}\n"
    assert conn.execute("SELECT FROM pg_roles WHERE rolname = %s", [anna]).fetchone() is None
    assert conn.execute("SELECT to_regnamespace(%s)", [anna]).fetchone() == (None,)
    with pytest.raises(UnknownObject, match="there is no user"):
        drop_member(conn, anna)


def test_what_an_owner_makes_is_the_owners(conn: psycopg.Connection, dsn: str, names: list[str]) -> None:
    add_member(conn, names[0], kind="owner", password="x")  # noqa: S106
    with psycopg.connect(dsn, user=names[0], password="x", autocommit=True) as olga:  # noqa: S106
        olga.execute("SELECT stc.add_vector_model('other', 'some/model', 8)")
        olga.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}')")
        assert olga.execute("SELECT current_user, session_user").fetchone() == ("stc_owner", names[0])
    assert conn.execute("SELECT relowner::regrole::text FROM pg_class WHERE relname = 'dblp_v_other'").fetchone() == ("stc_owner",)


def test_a_password_is_no_text_on_the_server(
    conn: psycopg.Connection, settings: Settings, names: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "secret"
    file.write_text("Sesam öffne dich\nnot this\n")
    assert run(settings, "add", names[0], "--role", "reader", "--password-file", str(file)).exit_code == 0
    stored = conn.execute("SELECT rolpassword FROM pg_authid WHERE rolname = %s", [names[0]]).fetchone()
    assert stored is not None
    assert stored[0].startswith("SCRAM-SHA-256$")
    run(settings, "add", names[0], "--role", "reader", "--prompt", input="other\nother\n")
    assert conn.execute("SELECT rolpassword FROM pg_authid WHERE rolname = %s", [names[0]]).fetchone() != stored
    file.write_text("\n")
    assert isinstance(run(settings, "add", names[1], "--role", "reader", "--password-file", str(file)).exception, BadArgument)
    assert run(settings, "add", names[1], "--role", "reader", "--prompt", "--password-file", str(file)).exit_code == 2


@pytest.mark.parametrize("name", ["", "Anna", "9lives", "a b", 'a"b', "a;drop", "pg_me", "stc_owner", "public", "x" * 64, "ä"])
def test_a_name_that_is_none(conn: psycopg.Connection, name: str) -> None:
    with pytest.raises(BadArgument, match="cannot be the name of a login"):
        add_member(conn, name, kind="reader", password="x")  # noqa: S106


def test_a_team_is_for_participants(conn: psycopg.Connection, names: list[str]) -> None:
    with pytest.raises(BadArgument, match="as participant without a team"):
        add_member(conn, names[0], kind="participant", team=" ", password="x")  # noqa: S106
    with pytest.raises(BadArgument, match="as reader with a team"):
        add_member(conn, names[0], kind="reader", team="red", password="x")  # noqa: S106
    assert conn.execute("SELECT FROM pg_roles WHERE rolname = %s", [names[0]]).fetchone() is None


def test_a_login_is_one_thing(conn: psycopg.Connection, names: list[str]) -> None:
    add_member(conn, names[0], kind="reader", password="x")  # noqa: S106
    with pytest.raises(StateError, match="is reader already"):
        add_member(conn, names[0], kind="organiser")
    with pytest.raises(StateError, match="not of stcollection"):
        add_member(conn, "postgres", kind="reader")
    with pytest.raises(BadArgument, match="has no password"):
        add_member(conn, names[1], kind="reader")


def test_who_is_let_in_nowhere_gets_in_nowhere(
    conn: psycopg.Connection, dsn: str, names: list[str], admin: psycopg.Connection
) -> None:
    """A role of the server that has one of our roles, such as a participant of another collection."""
    add_member(conn, names[0], kind="reader", password="x")  # noqa: S106
    admin.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'x' IN ROLE stc_organiser").format(sql.Identifier(names[1])))
    try:
        psycopg.connect(dsn, user=names[0], password="x").close()  # noqa: S106
        with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
            psycopg.connect(dsn, user=names[1], password="x")  # noqa: S106
    finally:
        admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(names[1])))

"""Identity columns and sequences: only the owner can choose ids."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from tests.columns import columns
from tests.groups import runs as runs_command
from tests.roles.seen import value
from tests.roles.worlds import Login, collection, store_run

pytestmark = pytest.mark.slow

_ = collection
ROLES = ("stc_participant", "stc_reader", "stc_organiser")


def test_a_participant_cannot_occupy_ids_of_runs(collection: psycopg.Connection, login: Login) -> None:
    """The reported attack: ids that the sequence has not assigned yet."""
    attacker = login()
    following = value(collection, "SELECT max(id) + 1 FROM st1_runs")
    statements = [
        f"INSERT INTO st1_runs (id, run, team) OVERRIDING SYSTEM VALUE VALUES ({following}, 'taken', 'red')",
        f"INSERT INTO st1_runs OVERRIDING SYSTEM VALUE VALUES ({following}, 'taken', 'red')",
        "INSERT INTO st1_runs (id, run, team) VALUES (DEFAULT, 'taken', 'red')",
        "COPY st1_runs (id, run, team) FROM STDIN",
        "UPDATE st1_runs SET id = DEFAULT WHERE run = 'red1'",
        "SELECT setval('st1_runs_id_seq', 2147483647)",
        "SELECT nextval('st1_runs_id_seq')",
        "ALTER SEQUENCE st1_runs_id_seq RESTART WITH 1",
        "TRUNCATE st1_runs RESTART IDENTITY",
        "MERGE INTO st1_runs n USING (VALUES (1)) v (x) ON false WHEN NOT MATCHED THEN"
        f" INSERT (id, run, team) OVERRIDING SYSTEM VALUE VALUES ({following}, 'taken', 'red')",
    ]
    for statement in statements:
        with pytest.raises(psycopg.Error) as error:
            attacker.execute(statement.encode())
        assert error.value.sqlstate == "42501", (statement, error.value)
    store_run(attacker, "mine", None, 5)
    assert value(collection, "SELECT id FROM st1_runs WHERE run = 'mine'") == following


def test_no_role_writes_an_identity_column_or_its_sequence(conn: psycopg.Connection) -> None:
    conn.execute("SET search_path = stc_all, stc, public")
    identities = [(column.table, column.name) for column in columns(conn) if column.identity]
    assert len(identities) >= 26
    for table, column in identities:
        sequence = value(conn, "SELECT pg_get_serial_sequence(%s, %s)", table, column)
        for role in ROLES:
            for right in ("INSERT", "UPDATE"):
                assert not value(conn, "SELECT has_column_privilege(%s, %s, %s, %s)", role, table, column, right), (table, role)
            for right in ("USAGE", "UPDATE", "SELECT"):
                assert not value(conn, "SELECT has_sequence_privilege(%s, %s, %s)", role, sequence, right), (table, role)
    for role in ROLES:  # the only sequence of a table without identity column, for documents with textual ids
        assert not value(conn, "SELECT has_sequence_privilege(%s, 'dblp_id_seq', 'UPDATE')", role)
        assert value(conn, "SELECT has_sequence_privilege(%s, 'dblp_id_seq', 'USAGE')", role) is (role == "stc_organiser")
    sequences = value(
        conn,
        "SELECT array_agg(c.relname ORDER BY 1) FROM pg_class c WHERE c.relkind = 'S'"
        " AND c.relnamespace IN ('public'::regnamespace, 'stc'::regnamespace)"
        " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'i')",
    )
    assert sequences == ["dblp_id_seq"]


def test_roles_write_every_other_column_that_is_decided(conn: psycopg.Connection) -> None:
    conn.execute("SET search_path = stc_all, stc, public")
    rows = conn.execute("SELECT relation, participant, reader, organiser FROM stc.stc_rights()").fetchall()
    decided = {relation: letters for relation, *letters in rows}
    there = columns(conn)
    identities = {column.table for column in there if column.identity}
    granted = {("st1_runs", "stc_participant", "UPDATE", "metadata"), ("st1_runs", "stc_participant", "UPDATE", "params")}
    for column in there:
        if column.table not in identities or column.identity or column.computed:
            continue
        for role, letters in zip(ROLES, decided[column.table], strict=True):
            for letter, right in (("a", "INSERT"), ("w", "UPDATE")):
                may = value(conn, "SELECT has_column_privilege(%s, %s, %s, %s)", role, column.table, column.name, right)
                by_column = (column.table, role, right, column.name) in granted
                counted = (column.table, column.name, right) == ("qrels_editions", "version", "UPDATE")  # by triggers
                assert may is ((letter in letters and not counted) or by_column), (column.table, role, column.name, right)


def test_our_own_ways_to_store_a_run_go_on(
    collection: psycopg.Connection, login: Login, settings: Settings, dsn: str, tmp_path: Path
) -> None:
    """Import with the command, with --replace, and as organiser; fusion of two runs."""
    file = tmp_path / "ours.run"
    file.write_text("".join(f"a{n} Q0 d{30 * n + at} {at} {20 - at} ours\n" for n in range(1, 4) for at in range(1, 11)))
    for kind, name in (("participant", "by-red"), ("organiser", "by-organiser")):
        person = login(kind)
        one = Settings(db=settings.db, home=settings.home, dsn=f"{dsn} user={person.info.user}")
        for more in ([], ["--replace"]):
            done = CliRunner().invoke(runs_command, ["import", str(file), "--name", name, *more], obj=one)
            assert done.exit_code == 0, done.output
        assert value(person, "SELECT count(*) FROM rankings WHERE run = %s", name) == 30
        assert person.execute("SELECT fuse_runs(%s, %s)", [f"{name}-fused", [name, "base"]]).rowcount == 1
    organiser = login("organiser")
    organiser.execute("INSERT INTO st1_queries (query, text) VALUES ('new', 'a new query')")
    organiser.execute("UPDATE st1_queries SET text = 'another' WHERE query = 'new'")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        organiser.execute("INSERT INTO stc.st1_queries (id, query) OVERRIDING SYSTEM VALUE VALUES (99999, 'taken')")

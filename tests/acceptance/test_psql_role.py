"""stc psql works as a role that reads and makes runs; --owner as the owner."""

from __future__ import annotations

import psycopg
import pytest

from tests.acceptance.conftest import Stc

pytestmark = pytest.mark.slow
ASKED = "SELECT current_user = session_user"


def test_a_slip_drops_nothing(stc: Stc, conn: psycopg.Connection) -> None:
    done = stc("db", "psql", "-Atc", "SELECT current_user")
    assert (done.stdout, done.stderr) == ("stc_organiser\n", "")
    for statement in (
        "DROP TABLE st1_runs CASCADE",
        "DROP SCHEMA stc CASCADE",
        "TRUNCATE dblp CASCADE",
        "ALTER TABLE dblp ADD COLUMN x int",
    ):
        done = stc("db", "psql", "-v", "ON_ERROR_STOP=1", "-c", statement)
        assert done.returncode == 1
        assert "must be owner" in done.stderr or "permission denied" in done.stderr
    assert conn.execute("SELECT to_regclass('st1_runs') IS NOT NULL").fetchone() == (True,)


def test_runs_are_made_and_dropped(stc: Stc, conn: psycopg.Connection) -> None:
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q', 'privacy')")
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, 'd1', '{\"title\": \"Privacy at home\"}')")
    conn.execute("INSERT INTO dblp_text (id, title) VALUES (1, 'Privacy at home')")
    assert stc("text", "index").returncode == 0
    done = stc("db", "psql", "-v", "ON_ERROR_STOP=1", "-Atc", "SELECT queries, ranked FROM make_run('mine', 'bm25')")
    assert (done.stdout, done.stderr) == ("1|1\n", "")
    done = stc("db", "psql", "-v", "ON_ERROR_STOP=1", "-Atc", "SELECT drop_runs('{mine}')")
    assert done.returncode == 0, done.stderr
    assert conn.execute("SELECT count(*) FROM st1_runs").fetchone() == (0,)


def test_the_owner_may_all(stc: Stc) -> None:
    done = stc(
        "db", "psql", "--owner", "-v", "ON_ERROR_STOP=1", "-Atc", "CREATE SCHEMA mine", "-c", "SELECT current_user = session_user"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "t"

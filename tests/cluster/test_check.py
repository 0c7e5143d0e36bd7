"""stc db check on a distributed collection, whose tables lack the keys and triggers that prevent these problems."""

from __future__ import annotations

import os
import subprocess
import sys

import psycopg
import pytest

from stcollection.db import distribution
from stcollection.db.check import problems
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from tests.cluster.conftest import NewDatabase


@pytest.fixture(scope="module")
def settings(filled_collection: NewDatabase) -> Settings:
    made = filled_collection()
    with connect(made, autocommit=True) as conn:
        assert problems(conn) == []
    distribution.distribute(made, shards=6)
    return made


def test_problems_of_every_kind(settings: Settings) -> None:
    with connect(settings, autocommit=True) as conn:
        assert problems(conn) == []
        with conn.transaction(force_rollback=True):
            for statement in (
                "INSERT INTO dblp (id, docno, doc) VALUES (9003, 'd001', '{}'), (9004, 'new', '{}')",
                "INSERT INTO dblp_passages (id, doc, position, text) VALUES (9001, 8, 1, 'x'), (9002, 777, 1, 'y')",
                "DELETE FROM dblp WHERE id = 41",
                "UPDATE stc.text_index SET stale = true",
            ):
                conn.execute(statement.encode())
            # A child row and its document are on one server, which checks the key.
            with pytest.raises(psycopg.errors.ForeignKeyViolation), conn.transaction():
                conn.execute("INSERT INTO dblp_v (id) VALUES (9005)")
            found = problems(conn)
        # The passage of document 41 stays, because Citus has no key between servers; its vectors and text are deleted.
        assert {(one.problem, one.relation): (one.rows, one.examples) for one in found} == {
            ("duplicate", "dblp"): (1, ["d001"]),
            ("duplicate", "dblp_passages"): (1, ["8"]),
            ("orphan", "dblp_passages"): (2, ["41", "777"]),
            ("orphan", "qrels_judgments"): (1, ["41"]),
            ("orphan", "st1_rankings"): (1, ["41"]),
            ("incomplete", "dblp"): (2, ["d001", "new"]),
            ("stale index", "dblp_text"): (None, []),
        }
        assert problems(conn) == []


def test_a_replaced_function_is_a_problem(settings: Settings) -> None:
    with connect(settings, autocommit=True) as conn, conn.transaction(force_rollback=True):
        conn.execute("CREATE OR REPLACE FUNCTION stc.shards(relation regclass) RETURNS integer LANGUAGE sql STABLE RETURN 7")
        assert [(problem.problem, problem.examples) for problem in problems(conn)] == [("replaced", ["cluster/shards.sql"])]


def test_the_command(settings: Settings) -> None:
    def run() -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "STC_DSN": settings.dsn or "", "STC_DB": settings.db}
        return subprocess.run(
            [sys.executable, "-m", "stcollection", "db", "check"], env=env, capture_output=True, text=True, check=False
        )

    assert (run().returncode, run().stdout) == (0, "no problems\n")
    with connect(settings, autocommit=True) as conn:
        conn.execute("INSERT INTO dblp (id, docno, doc, stub) VALUES (9003, 'd001', '{}', true)")
        try:
            done = run()
        finally:
            conn.execute("DELETE FROM dblp WHERE id = 9003")
    assert done.returncode == 4
    assert "SELECT id, docno FROM dblp WHERE docno = 'd001'" in done.stdout
    assert "has 1 problem" in done.stderr

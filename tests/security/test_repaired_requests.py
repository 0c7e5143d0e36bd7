"""Repairs by an upgrade of a collection that was vulnerable to attacks on requests, ids and vector tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
from psycopg import sql

from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from tests.db.revisions import at_revision

pytestmark = pytest.mark.long

ROWS = (
    "INSERT INTO qrels_editions (edition, split, hidden) VALUES ('test', 'test', true)",
    "INSERT INTO st1_runs (run, team) VALUES ('one', 'red'), ('two', 'red')",
    "INSERT INTO st1_runs (id, run, team) OVERRIDING SYSTEM VALUE VALUES (3, 'taken', 'red'), (4, 'taken too', 'red')",
    "INSERT INTO ask_allowances (edition, asks, measures) VALUES (1, 3, '{map}')",
    "INSERT INTO ask_counts (edition, team, asked) VALUES (1, 'red', 2)",
    "INSERT INTO ask_requests (edition, team, member, run, run_id, run_version, edition_version, measures, means, xact)"
    " VALUES (1, 'red', 'anna', 'one', 1, 0, 0, '{map}', '{0.25}', 1), (1, 'red', 'anna', 'two', 2, 0, 0, '{map}', NULL, 1)",
    "CREATE TABLE dblp_v_good (id bigint PRIMARY KEY, title_v vector(3))",
    "CREATE TABLE dblp_p_good (id bigint PRIMARY KEY, passage_v vector(3))",
    "INSERT INTO vector_models (model, name, dim, relation) VALUES ('good', 'a/model', 3, 'dblp_text'),"
    " ('evil', 'a/model', 3, 'ask_requests')",
)


@pytest.fixture
def old(server: Settings, admin: psycopg.Connection) -> Iterator[Settings]:
    """A collection of the previous revision with a row of each kind."""
    name = "stc_repaired_requests"
    admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    settings = replace(server, db=name)
    with at_revision(settings, "0012") as conn:
        for statement in ROWS:
            conn.execute(statement.encode())
    yield settings
    admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def test_an_upgrade_repairs_what_can_be(old: Settings) -> None:
    upgrade(old)
    with open_session(conninfo(old), autocommit=True) as conn:
        requests = conn.execute("SELECT run, measures, means, digest, scored FROM stc.ask_requests ORDER BY id").fetchall()
        assert requests == [("one", ["map"], [0.25], None, None), ("two", [], [], None, None)]
        assert conn.execute("SELECT asked FROM stc.ask_counts").fetchall() == [(1,)]
        assert conn.execute("SELECT model, relation FROM stc.vector_models").fetchall() == [("good", "dblp_v_good")]
        assert conn.execute("INSERT INTO st1_runs (run) VALUES ('stored') RETURNING id").fetchone() == (5,)

"""stc db nodes: the servers, and a worker that is added to a distributed collection."""

from __future__ import annotations

import secrets
import threading
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db import distribution
from stcollection.db.connection import connect
from stcollection.db.nodes import nodes, rebalance
from stcollection.db.settings import Settings
from stcollection.errors import StateError
from tests.cluster.answers import answers, differing
from tests.cluster.conftest import NewDatabase
from tests.cluster.servers import Cluster
from tests.groups import db

_RANKED = "SELECT * FROM bm25_search('voice privacy', 15)"


@pytest.fixture(scope="module")
def settings(filled_collection: NewDatabase) -> Settings:
    """A collection on the coordinator."""
    return filled_collection()


def _let_owner_log_in(conn: psycopg.Connection) -> None:
    password = secrets.token_urlsafe(24)
    conn.execute(f"ALTER ROLE stc_owner LOGIN PASSWORD '{password}'".encode())
    store = f"INSERT INTO pg_dist_authinfo VALUES (0, 'stc_owner', 'password={password}')"
    conn.execute("SELECT run_command_on_all_nodes(%s)", [store])


def test_shards_move_to_a_new_worker_while_searches_go_on(cluster: Cluster, settings: Settings) -> None:
    with pytest.raises(StateError, match="is not distributed"):
        nodes(settings)
    new = ("127.0.0.1", cluster.ports[3])
    with connect(settings, autocommit=True) as conn:
        before = answers(conn)
        conn.execute("SELECT citus_set_node_property(%s, %s, 'shouldhaveshards', false)", new)
        distribution.distribute(settings, shards=6)
        conn.execute("SELECT citus_set_node_property(%s, %s, 'shouldhaveshards', true)", new)
        assert [(node.role, node.answers, node.shards) for node in nodes(settings)] == [
            ("coordinator", True, 0),
            ("worker", True, 3),
            ("worker", True, 3),
            ("worker", True, 0),
        ]
        with pytest.raises(StateError, match="stc_owner"):
            rebalance(settings)
        _let_owner_log_in(conn)
        conn.execute("CALL stc.index_text()")
        assert conn.execute("SELECT engine FROM stc.text_index").fetchone() == ("pg_textsearch",)
        ranked = conn.execute(_RANKED).fetchall()
        done = threading.Event()
        found: list[tuple[object, ...]] = []
        found_ranked: list[Any] = []

        def search() -> None:
            with connect(settings, autocommit=True) as other:
                while not done.is_set():
                    for query, rows in (("SELECT * FROM boolean_search('voice', 15)", found), (_RANKED, found_ranked)):
                        try:
                            rows.append(tuple(other.execute(query.encode()).fetchall()))
                        except psycopg.Error as error:
                            rows.append((str(error),))

        searching = threading.Thread(target=search)
        searching.start()
        try:
            after = rebalance(settings)
        finally:
            done.set()
            searching.join()
        assert [node.shards for node in after] == [0, 2, 2, 2]
        assert all(node.bytes for node in after[1:])
        conn.execute("ALTER ROLE stc_owner NOLOGIN PASSWORD NULL")
        assert len(set(found)) == 1, found
        assert {tuple(doc for doc, *_ in rows) for rows in found_ranked} == {tuple(doc for doc, *_ in ranked)}, found_ranked
        assert conn.execute("SELECT sound FROM stc.text_status()").fetchone() == (True,)
        noted = conn.execute("SELECT obj_description('dblp_text_bm25'::regclass)").fetchone()
        assert noted == ("every document found",)  # looked up after the move
        by_index = conn.execute("SELECT * FROM bm25_search('voice privacy', 15, engine => 'pg_textsearch')").fetchall()
        assert [(doc, rank) for doc, _, rank in by_index] == [(doc, rank) for doc, _, rank in ranked]
        assert [score for _, score, _ in by_index] == pytest.approx([score for _, score, _ in ranked], rel=1e-6)
        assert differing(before, answers(conn)) == []


def test_a_worker_that_does_not_answer(cluster: Cluster, settings: Settings) -> None:
    cluster.stop(2)
    try:
        assert [(node.answers, node.bytes) for node in nodes(settings)][2] == (False, None)
        with pytest.raises(StateError, match=str(cluster.ports[2])):
            rebalance(settings)
    finally:
        cluster.start()
    printed = CliRunner().invoke(db, ["nodes"], obj=settings)
    assert printed.exit_code == 0, printed.output
    assert printed.output.count("yes") == 4

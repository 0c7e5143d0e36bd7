"""Roles other than the owner on a distributed collection: the same results, and hidden editions stay hidden on every server."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from scripts.cluster import Cluster
from stcollection.db import distribution
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from tests.cluster.conftest import NewDatabase

_READER = "cluster_reader"
_PASSWORD = "only-for-this-test"  # noqa: S105
_SEARCHES = (
    "SELECT * FROM boolean_search('voice', 20)",
    "SELECT * FROM bm25_search('voice river', 20, engine => 'pg_textsearch')",
    "SELECT * FROM rm3_search('voice river', 20)",
    "SELECT * FROM dense_search(qdblp_v_title(10), 20)",
    "SELECT * FROM system_search('voice privacy', 'hybrid', 20)",
    "SELECT * FROM passage_search(qdblp_v_title(10), 20)",
    "SELECT * FROM evaluate('{mine}', 'train')",
    "SELECT * FROM documents ORDER BY docno",
    "SELECT * FROM credibility ORDER BY id",
    """SELECT * FROM boolean_search('voice', 20, '{"judged": "train"}')""",
)


@pytest.fixture(scope="module")
def settings(filled_collection: NewDatabase) -> Settings:
    """A distributed collection with a hidden edition, and a reader whose password the servers know."""
    made = filled_collection()
    with connect(made, autocommit=True) as conn:
        conn.execute("INSERT INTO qrels_editions (edition, hidden) VALUES ('secret', true)")
        conn.execute(
            "INSERT INTO qrels_judgments (edition, query, doc, rel, hidden) SELECT e.id, q.id, d.id, 1, true"
            " FROM qrels_editions e, st1_queries q, dblp d WHERE e.edition = 'secret' AND d.id > 200"
        )
        distribution.distribute(made, shards=3)
        conn.execute("CALL stc.index_text(engine => 'pg_textsearch')")
        conn.execute(f"CREATE ROLE {_READER} LOGIN PASSWORD '{_PASSWORD}'".encode())
        conn.execute(f"GRANT stc_reader TO {_READER}".encode())
        conn.execute("INSERT INTO pg_dist_authinfo VALUES (0, %s, %s)", [_READER, f"password={_PASSWORD}"])
    return made


@pytest.fixture
def owner(settings: Settings) -> Iterator[psycopg.Connection]:
    with connect(settings, autocommit=True) as conn:
        yield conn


@pytest.fixture
def reader(settings: Settings) -> Iterator[psycopg.Connection]:
    with psycopg.connect(settings.dsn or "", user=_READER, password=_PASSWORD, autocommit=True) as conn:
        yield conn


@pytest.mark.parametrize("search", _SEARCHES)
def test_a_reader_finds_what_the_owner_finds(owner: psycopg.Connection, reader: psycopg.Connection, search: str) -> None:
    found = reader.execute(search.encode()).fetchall()
    assert found == owner.execute(search.encode()).fetchall()
    assert found


def test_a_hidden_edition_stays_hidden(reader: psycopg.Connection, owner: psycopg.Connection) -> None:
    assert owner.execute("SELECT count(*) FROM qrels_judgments WHERE hidden").fetchone() == (40,)
    assert reader.execute("SELECT count(*) FROM qrels_judgments WHERE hidden").fetchone() == (0,)
    assert reader.execute("SELECT edition FROM qrels_editions").fetchall() == [("train",)]
    for statement in ("SELECT * FROM evaluate('{mine}', 'secret')", """SELECT filter_docs('{"judged": "secret"}')"""):
        with pytest.raises(psycopg.Error) as error:
            reader.execute(statement.encode())
        assert error.value.sqlstate == "IR102", statement
    # "judged": true counts the open edition only.
    assert reader.execute("""SELECT cardinality(filter_docs('{"judged": true}'))""").fetchone() == (60,)


def test_workers_have_no_judgments(cluster: Cluster, settings: Settings) -> None:
    for node in (1, 2, 3):
        with psycopg.connect(cluster.dsn(settings.db, node=node), user=_READER, password=_PASSWORD, autocommit=True) as conn:
            with pytest.raises(psycopg.errors.UndefinedTable):
                conn.execute("SELECT count(*) FROM public.qrels_judgments")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute("DELETE FROM public.dblp_text")


def test_views_that_join_judgments_fail_for_a_reader(reader: psycopg.Connection) -> None:
    """Citus cannot join documents with tables that have policies; the error is no partial result."""
    for view in ("rankings", "judgments"):
        with pytest.raises(psycopg.Error):
            reader.execute(f"SELECT count(*) FROM {view}".encode())
    assert reader.execute("SELECT count(*) FROM st1_rankings").fetchone() == (50,)


def test_a_role_that_cannot_log_in_to_workers_gets_an_error(owner: psycopg.Connection) -> None:
    with owner.transaction(force_rollback=True):
        owner.execute("SET LOCAL ROLE stc_reader")
        with pytest.raises(psycopg.Error, match="stc_reader"):
            owner.execute("SELECT * FROM boolean_search('voice', 20)")

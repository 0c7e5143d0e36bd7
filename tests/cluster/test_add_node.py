"""stc db nodes: a worker joins the cluster of a collection."""

from __future__ import annotations

import socket
from collections.abc import Callable

import psycopg
import pytest
from click.testing import CliRunner
from psycopg import sql

from stcollection.db import distribution
from stcollection.db.connection import connect
from stcollection.db.nodes import add_node, nodes
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError
from tests.cluster.answers import answers, differing
from tests.cluster.conftest import NewDatabase
from tests.cluster.servers import Cluster
from tests.groups import db

_HOST = "127.0.0.1"


@pytest.fixture
def without_third(cluster: Cluster) -> Callable[[Settings], int]:
    """Returns the port of the third worker after removing it from the cluster of a database."""

    def remove(settings: Settings) -> int:
        with psycopg.connect(settings.dsn or "", autocommit=True) as conn:
            conn.execute("SELECT citus_remove_node(%s, %s)", [_HOST, cluster.ports[3]])
        return cluster.ports[3]

    return remove


def test_a_worker_joins(filled_collection: NewDatabase, without_third: Callable[[Settings], int]) -> None:
    settings = filled_collection()
    port = without_third(settings)
    distribution.distribute(settings, shards=6)
    with connect(settings, autocommit=True) as conn:
        before = answers(conn)
        assert [node.shards for node in nodes(settings)] == [0, 3, 3]
        done = CliRunner().invoke(db, ["add-node", _HOST, str(port)], obj=settings)
        assert done.exit_code == 0, done.output
        assert f"{_HOST}:{port}" in done.output
        assert [node.shards for node in nodes(settings)] == [0, 3, 3, 0]
        assert differing(before, answers(conn)) == []
    with pytest.raises(BadArgument, match=f"{port} is already a server"):
        add_node(settings, _HOST, port)


def test_before_the_collection_is_distributed(new_database: NewDatabase, without_third: Callable[[Settings], int]) -> None:
    settings = new_database()
    port = without_third(settings)
    assert [(node.role, node.shards) for node in add_node(settings, _HOST, port)] == [("coordinator", 0), *[("worker", 0)] * 3]


def test_a_worker_that_lacks_citus(cluster: Cluster, new_database: NewDatabase, without_third: Callable[[Settings], int]) -> None:
    settings = new_database()
    port = without_third(settings)
    with psycopg.connect(cluster.dsn(settings.db, node=3), autocommit=True) as worker:
        worker.execute("DROP EXTENSION citus CASCADE")
    with pytest.raises(StateError, match=f"{port} cannot be a worker") as error:
        add_node(settings, _HOST, port)
    assert "CREATE EXTENSION citus" in (error.value.hint or "")
    with connect(settings, check=False) as conn:
        assert conn.execute("SELECT count(*) FROM pg_dist_node").fetchone() == (3,)


def test_a_server_that_does_not_answer(new_database: NewDatabase) -> None:
    settings = new_database()
    with socket.create_server((_HOST, 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(StateError, match=f"cannot connect to the database '{settings.db}' of {_HOST}:{port}"):
        add_node(settings, _HOST, port)
    with pytest.raises(BadArgument, match="the port 0"):
        add_node(settings, _HOST, 0)


def test_another_version_of_an_extension(
    cluster: Cluster, new_database: NewDatabase, without_third: Callable[[Settings], int]
) -> None:
    settings = new_database()
    port = without_third(settings)
    with psycopg.connect(cluster.dsn(settings.db, node=3), autocommit=True) as worker:
        worker.execute("UPDATE pg_extension SET extversion = '0.7.0' WHERE extname = 'vector'")
    with pytest.raises(StateError, match=r"vector 0\.7\.0 \(here "):
        add_node(settings, _HOST, port)
    with connect(settings, check=False) as conn:
        assert conn.execute("SELECT count(*) FROM pg_dist_node").fetchone() == (3,)


@pytest.mark.parametrize(
    ("locale", "message"),
    [
        ("libc LOCALE 'C'", r".*locale provider 'c' \(here 'b'\)"),
        ("builtin BUILTIN_LOCALE 'C' LOCALE 'C'", r"locale 'C' \(here 'C\.UTF-8'\)"),
        ("icu ICU_LOCALE 'en-US' LOCALE 'C'", r".*locale provider 'i' \(here 'b'\)"),
    ],
    ids=["libc", "builtin", "icu"],
)
def test_another_locale(
    cluster: Cluster, new_database: NewDatabase, without_third: Callable[[Settings], int], locale: str, message: str
) -> None:
    """The coordinator's databases have the builtin locale C.UTF-8."""
    settings = new_database()
    port = without_third(settings)
    name = sql.Identifier(settings.db)
    with psycopg.connect(cluster.dsn(node=3), autocommit=True) as worker:
        worker.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))
        try:
            worker.execute(f"CREATE DATABASE {settings.db} TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER {locale}".encode())
        except psycopg.errors.FeatureNotSupported as reason:
            pytest.skip(f"the server does not have this provider: {reason}")
    with psycopg.connect(cluster.dsn(settings.db, node=3), autocommit=True) as worker:
        worker.execute("CREATE EXTENSION citus")
        worker.execute("CREATE EXTENSION vector SCHEMA public")
    with pytest.raises(StateError, match=f"{port} treats text differently: {message}") as error:
        add_node(settings, _HOST, port)
    assert f"Drop the database '{settings.db}' of {_HOST}:{port}" in (error.value.hint or "")
    with psycopg.connect(settings.dsn or "", autocommit=True) as conn:
        assert conn.execute("SELECT count(*) FROM pg_dist_node").fetchone() == (3,)
        # A worker that was added without the command
        conn.execute("SELECT citus_add_node(%s, %s)", [_HOST, port])
        with pytest.raises(StateError, match=f"{port} treats text differently"):
            distribution.check_cluster(conn, 6)


def test_another_text_search_configuration(cluster: Cluster, filled_collection: NewDatabase) -> None:
    settings = filled_collection()
    with psycopg.connect(cluster.dsn(settings.db, node=2), autocommit=True) as worker:
        worker.execute("SET citus.enable_ddl_propagation = off")
        worker.execute("ALTER TEXT SEARCH CONFIGURATION pg_catalog.english ALTER MAPPING FOR asciiword WITH simple")
    with pytest.raises(StateError, match=f"{cluster.ports[2]} treats text differently: words of .*'studies'"):
        distribution.distribute(settings, shards=6)
    with connect(settings) as conn:
        assert distribution.state(conn) is None


def test_a_database_without_citus(cluster: Cluster) -> None:
    with psycopg.connect(cluster.dsn(), autocommit=True) as admin:
        admin.execute("CREATE DATABASE stc_plain TEMPLATE template0")
    settings = Settings(db="stc_plain", home=cluster.folder, dsn=cluster.dsn("stc_plain"))
    with pytest.raises(StateError, match="but not in the database 'stc_plain'"):
        add_node(settings, _HOST, cluster.ports[3])

"""The cluster of the tests: tests/cluster/servers.py."""

from __future__ import annotations

import os
from pathlib import Path

import psycopg
import pytest

from tests.cluster import servers
from tests.cluster.conftest import NewDatabase
from tests.cluster.servers import Cluster, NotHere


def test_every_server_has_the_extensions(cluster: Cluster, new_database: NewDatabase) -> None:
    settings = new_database()
    for node in range(4):
        with psycopg.connect(cluster.dsn(settings.db, node=node)) as conn:
            found = conn.execute("SELECT extname FROM pg_extension WHERE extname = ANY ('{citus,vector,pg_textsearch}')").fetchall()
            assert len(found) == 3
            assert conn.execute("SELECT citus_version() LIKE 'Citus 14.%'").fetchone() == (True,)


def test_rows_are_on_all_workers(new_database: NewDatabase) -> None:
    with psycopg.connect(new_database().dsn or "", autocommit=True) as conn:
        conn.execute("CREATE TABLE numbers (id bigint PRIMARY KEY, v vector(2))")
        conn.execute("SET citus.shard_count = 6")
        conn.execute("SELECT create_distributed_table('numbers', 'id')")
        conn.execute("INSERT INTO numbers SELECT i, ARRAY[i, 1]::vector FROM generate_series(1, 600) i")
        nodes = conn.execute("SELECT count(DISTINCT nodeport) FROM citus_shards WHERE table_name = 'numbers'::regclass").fetchone()
        assert nodes == (3,)
        assert conn.execute("SELECT id FROM numbers ORDER BY v <#> '[1,0]' LIMIT 2").fetchall() == [(600,), (599,)]


def test_servers_need_a_password_and_listen_on_loopback_only(cluster: Cluster) -> None:
    with psycopg.connect(cluster.dsn()) as conn:
        assert conn.execute("SELECT current_setting('listen_addresses')").fetchone() == ("127.0.0.1",)
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(host="127.0.0.1", port=cluster.ports[0], user="postgres", dbname="postgres", passfile=os.devnull)
    assert cluster.passfile.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes the user")
def test_no_server_runs_as_root(cluster: Cluster) -> None:
    for folder in cluster.folder.glob("*-[0-9]*"):
        pid = (folder / "postmaster.pid").read_text().split()[0]
        assert Path("/proc", pid).stat().st_uid != 0


def test_a_stopped_cluster_starts_again_with_its_data(cluster: Cluster, new_database: NewDatabase) -> None:
    settings = new_database()
    with psycopg.connect(settings.dsn or "", autocommit=True) as conn:
        conn.execute("CREATE TABLE kept (id integer)")
        conn.execute("SELECT create_distributed_table('kept', 'id')")
        conn.execute("INSERT INTO kept SELECT generate_series(1, 50)")
    cluster.stop()
    again = Cluster.find(cluster.folder)
    assert again == cluster
    again.start()
    with psycopg.connect(settings.dsn or "") as conn:
        assert conn.execute("SELECT count(*) FROM kept").fetchone() == (50,)


def test_without_the_source_the_reason_names_the_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STC_CITUS_SOURCE", str(tmp_path / "citus.tar.gz"))
    with pytest.raises(NotHere, match=r"citus\.tar\.gz; set STC_CITUS_SOURCE"):
        servers.installation()

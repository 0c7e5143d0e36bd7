"""docker-compose.cluster.yml without an engine: its services, and its script on servers of the tests."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml
from psycopg.conninfo import conninfo_to_dict

from stcollection.db import distribution
from stcollection.db.collections import create_distributed
from stcollection.db.connection import connect
from tests.cluster.conftest import NewDatabase
from tests.cluster.servers import Cluster, environment

_REPOSITORY = Path(__file__).resolve().parents[2]
_SERVERS = ("coordinator", "worker-1", "worker-2", "worker-3")


@pytest.fixture(scope="module")
def file() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((_REPOSITORY / "docker-compose.cluster.yml").read_text())
    return loaded


def test_four_servers_with_volumes_of_their_own(file: dict[str, Any]) -> None:
    assert set(file["services"]) == {*_SERVERS, "setup"}
    volumes = [file["services"][name]["volumes"] for name in _SERVERS]
    assert volumes == [[f"{name}:/var/lib/postgresql"] for name in _SERVERS]
    assert set(file["volumes"]) == set(_SERVERS)
    for name in _SERVERS:
        assert "-cshared_preload_libraries=citus,pg_textsearch" in file["services"][name]["command"]
        assert "-cwal_level=logical" in file["services"][name]["command"]  # moving shards needs it
        assert "-cmax_worker_processes=${STC_CLUSTER_PROCESSES:-64}" in file["services"][name]["command"]
        assert file["services"]["setup"]["depends_on"][name] == {"condition": "service_healthy"}


def test_only_the_coordinator_is_reached_and_from_this_machine_only(file: dict[str, Any]) -> None:
    assert [name for name, one in file["services"].items() if "ports" in one] == ["coordinator"]
    assert all(port.startswith("127.0.0.1:") for port in file["services"]["coordinator"]["ports"])
    assert file["networks"]["nodes"] == {"internal": True}
    assert [name for name, one in file["services"].items() if "host" in one["networks"]] == ["coordinator"]


def test_image_and_password_have_no_default(file: dict[str, Any]) -> None:
    for one in file["services"].values():
        assert one["image"].startswith("${STC_CLUSTER_IMAGE:?")
        assert {one["environment"][key][:24] for key in ("POSTGRES_PASSWORD", "PGPASSWORD")} == {"${STC_CLUSTER_PASSWORD:?"}
        assert "no-new-privileges:true" in one["security_opt"]


def _prepare(cluster: Cluster, name: str, **changed: str) -> subprocess.CompletedProcess[str]:
    password = cluster.passfile.read_text().strip().rpartition(":")[2]
    nodes = " ".join(f"127.0.0.1:{port}" for port in cluster.ports)
    given = {"PGUSER": "postgres", "PGPASSWORD": password, "STC_DB": name, "STC_NODES": nodes, **changed}
    script = str(_REPOSITORY / "image" / "cluster")
    return subprocess.run(
        ["/bin/sh", script], env={**environment(cluster.installed), **given}, capture_output=True, text=True, check=False
    )


def test_the_script_prepares_a_database_and_may_run_again(cluster: Cluster, new_database: NewDatabase) -> None:
    name = f"stc 'composed' {os.getpid()}"
    for _ in range(2):
        done = _prepare(cluster, name)
        assert (done.returncode, done.stdout) == (0, f"{name}: 3 workers\n"), done.stderr
    settings = replace(new_database(), db=name, dsn=cluster.dsn(name))
    assert conninfo_to_dict(settings.dsn or "")["dbname"] == name
    assert create_distributed(settings, shards=3)
    with connect(settings) as conn:
        assert distribution.state(conn) == (9, 3, 3)


def test_the_script_stops_at_an_error(cluster: Cluster) -> None:
    done = _prepare(cluster, "stc_refused", PGPASSWORD="wrong")
    assert done.returncode != 0
    assert "password authentication failed" in done.stderr
    with psycopg.connect(cluster.dsn()) as conn:
        assert conn.execute("SELECT FROM pg_database WHERE datname = 'stc_refused'").fetchone() is None

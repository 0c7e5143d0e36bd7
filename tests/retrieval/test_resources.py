"""Time and energy of a run, with counters in files as the kernel has them."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.retrieval import resources
from stcollection.retrieval.resources import ResourceMeter
from stcollection.retrieval.run import run
from stcollection.runs.made import metadata_of
from stcollection.runs.metadata import dump, parse


def counter(folder: Path, name: str, value: int) -> None:
    (folder / name).mkdir(exist_ok=True)
    (folder / name / "energy_uj").write_text(f"{value}\n")
    (folder / name / "max_energy_range_uj").write_text("262143328850\n")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(resources, "POWERCAP", tmp_path)
    return tmp_path


def test_energy_is_the_sum_of_the_packages(conn: psycopg.Connection, packages: Path) -> None:
    counter(packages, "intel-rapl:0", 1_000_000)
    counter(packages, "intel-rapl:1", 262_143_328_000)
    counter(packages, "intel-rapl:0:0", 5)
    meter = ResourceMeter(conn)
    counter(packages, "intel-rapl:0", 3_500_000)
    counter(packages, "intel-rapl:1", 1_000_150)  # passed its limit: 850 to the limit, and 1,000,150
    counter(packages, "intel-rapl:0:0", 9_000_000)  # a part of package 0
    assert meter.read()["energy in joules"] == 3.501
    counter(packages, "intel-rapl:0", 5_500_000)
    assert meter.read()["energy in joules"] == 2, "since the reading before"


def test_without_counters_there_is_no_energy(conn: psycopg.Connection, packages: Path) -> None:
    assert ResourceMeter(conn).read().keys() == {"runtime in seconds"}
    counter(packages, "intel-rapl:0", 1)
    meter = ResourceMeter(conn)
    (packages / "intel-rapl:0" / "energy_uj").write_text("unreadable")
    assert meter.read().keys() == {"runtime in seconds"}


def test_command_and_python_store_them(settings: Settings, conn: psycopg.Connection, packages: Path) -> None:
    from tests.groups import retrieval

    counter(packages, "intel-rapl:0", 1)
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}')")
    conn.execute("INSERT INTO dblp_text (id, title) VALUES (1, 'voice assistants')")
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q', 'voice')")
    done = CliRunner().invoke(retrieval, ["run", "boolean"], obj=settings, catch_exceptions=False)
    assert done.exit_code == 0
    run(conn, system="boolean", name="again")
    for name in ("boolean", "again"):
        told = metadata_of(conn, name)
        assert told["resources"].keys() == {"runtime in seconds", "energy in joules"}
        assert 0 < told["resources"]["runtime in seconds"] < 60
        assert parse(dump(told)) == (told, [])

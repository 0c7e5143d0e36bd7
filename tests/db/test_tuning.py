"""Settings of PostgreSQL depend on the available memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stcollection.db import tuning


def mib(value: str) -> int:
    assert value.endswith("MB")
    return int(value[:-2])


@pytest.mark.parametrize("memory", [512, 4096, 24_000, 1_000_000])
def test_all_of_it_fits_into_the_memory(memory: int) -> None:
    got = tuning.settings(memory=memory, cores=4, preload="")
    assert mib(got["shared_buffers"]) + mib(got["maintenance_work_mem"]) + 4 * mib(got["work_mem"]) < memory
    assert mib(got["shared_buffers"]) <= 8192


def test_durability_stays_as_it_is() -> None:
    got = tuning.settings(memory=4096, cores=2, preload="")
    assert not {"fsync", "full_page_writes", "synchronous_commit"} & set(got)


def test_a_container_has_the_memory_of_its_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limit, unlimited = tmp_path / "memory.max", tmp_path / "other"
    limit.write_text(f"{300 * 2**20}\n")
    unlimited.write_text("max\n")
    monkeypatch.setattr(tuning, "_CGROUP_LIMITS", (str(unlimited), str(tmp_path / "none")))
    machine = tuning.memory_mib()
    monkeypatch.setattr(tuning, "_CGROUP_LIMITS", (str(unlimited), str(limit)))
    assert tuning.memory_mib() == 300 < machine


def test_the_command_prints_what_a_server_reads() -> None:
    told = subprocess.run([sys.executable, "-m", "stcollection.db.tuning"], capture_output=True, text=True, check=True).stdout
    got = dict(line.split(" = ", 1) for line in told.splitlines())
    assert got["shared_preload_libraries"] == "'pg_textsearch'"
    assert got["jit"] == "off"

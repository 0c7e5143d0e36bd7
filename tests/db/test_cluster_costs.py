"""``stc db status --plan N --workers W``: estimates follow what was measured, and name what breaks first."""

from __future__ import annotations

import itertools

import pytest
from click.testing import CliRunner

from stcollection.db.cluster_costs import Machine, estimate_cluster
from stcollection.db.costs import estimate
from stcollection.db.settings import Settings
from tests.groups import db

_MILLIONS = 50_000_000


def test_more_workers_need_less_each() -> None:
    found = [estimate_cluster(_MILLIONS, workers) for workers in (8, 16, 64)]
    assert [one.shards for one in found] == [64, 128, 512]
    for few, many in itertools.pairwise(found):
        assert many.disk < few.disk
        assert many.hot < few.hot
        assert many.coordinator["BM25"] > few.coordinator["BM25"]  # a task for each shard


def test_the_disk_is_that_of_one_server() -> None:
    """All workers together need what stc db status --plan estimates for documents, text and vectors of both fields."""
    steps = {one.step: one.disk for one in estimate(2_426_446)}
    alone = steps["load"] + steps["text index"] + steps["embed titles and abstracts"] + 2 * steps["ivfflat --half"]
    found = estimate_cluster(2_426_446, 4)
    assert 4 * (found.disk - found.words) == pytest.approx(alone, rel=0.1)


def test_what_breaks_first() -> None:
    small = Machine(memory=16 * 10**9)
    assert estimate_cluster(5 * _MILLIONS, 8, Machine(disk=10**11)).limits[0].startswith("disk: ")
    assert estimate_cluster(_MILLIONS, 8, small).limits[0].startswith("memory: searches read 13.4 GB, a worker has 16.0 GB")
    assert estimate_cluster(_MILLIONS, 64).limits[0].startswith("coordinator: ")
    assert estimate_cluster(1_000_000, 4, Machine(cores=90)).limits[-1].startswith("connections: a search uses 90 of 100")
    slow = estimate_cluster(10 * _MILLIONS, 8, Machine(cores=1, memory=10**12))
    assert any(one.startswith("processor: a BM25 search takes ") for one in slow.limits)
    # Reading pages from disk takes longer than comparing vectors.
    read, kept = (estimate_cluster(5 * _MILLIONS, 8, one).p50 for one in (small, Machine(memory=10**12)))
    assert read["dense"] > 5 * kept["dense"]
    assert read["BM25"] > 1.5 * kept["BM25"]


def test_the_command(settings: Settings) -> None:
    done = CliRunner().invoke(db, ["status", "--plan", "50000000", "--workers", "8", "--workers", "64"], obj=settings)
    assert done.exit_code == 0, done.output
    assert "50,000,000 documents on workers with 8 cores and 64 GB" in done.output
    assert [line.split()[0] for line in done.output.splitlines()[3:5]] == ["8", "64"]
    assert "not measured" in done.output
    for wrong in (["--workers", "8"], ["--plan", "5", "--workers", "0"], ["--plan", "5", "--workers", "2", "--cores", "0"]):
        assert CliRunner().invoke(db, ["status", *wrong], obj=settings).exit_code == 2

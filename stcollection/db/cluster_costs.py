"""Estimate a collection that is distributed over several servers: ``stc db status --plan N --workers W``.

The figures per document were measured with 2,426,446 documents and vectors of 384 dimensions in half precision.
Processor times were measured by ``make bench-cluster`` (docs/howto/cluster.md) on 2 cores with 12 and 48 shards. Assumptions, each
of which a measurement on real servers can refute:

- A shard per core of a worker. A search uses all cores of all workers at once, and no other search runs.
- Documents, words and vectors are spread evenly over the shards.
- Each shard has an index of pg_textsearch; the portable engine reads all documents that contain a word, a hundred times as long.
- What searches read is in memory: text indexes, lengths, vector indexes. If a worker has less memory than that, each search reads
  the missing share of its pages from disk, :data:`_READ` seconds for each.
- The coordinator keeps a connection open for each shard; otherwise each search opens them again, a millisecond and more each.
- The network adds :data:`_TRIP` seconds for each statement, and transfers rows faster than the coordinator reads them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from stcollection.db.costs import ivfflat_lists, size_text

# Bytes of a document on a worker: all tables and indexes; and of these what searches read.
_DISK = 10_120
_HOT = {"inverted index": 220, "BM25 index": 323, "lengths": 66, "vector indexes": 1541}
# A word of the vocabulary has a row on every server; it grows with the number of documents as a power (Heaps).
_WORDS, _WORDS_AT, _HEAPS, _WORD_BYTES = 149_280, 110_293, 0.6, 110

# Seconds of the coordinator for a statement, for its task on a shard, and for a row that a shard returns; of a worker for a task.
_STATEMENT, _TASK, _ROW, _SHARD_TASK = 0.0003, 0.00006, 0.43e-6, 0.0002
_TRIP = 0.0005
_READ = 0.0001  # from a solid-state disk
# BM25 with titles as queries: seconds for each document of a shard, 43 ms for 2,426,446 documents; and for the shard, of which 12
# with 9,191 documents each took .5 to 1 ms. bm25_on_shards reads 10 texts and the shard's part of the results; a page of the index
# has about 1,000 documents, half of which contain a word of the query.
_BM25, _BM25_SHARD = 18e-9, 0.00075
_BM25_TEXTS, _BM25_PAGE = 10, 2000
_SCORED = 22e-6  # for each further document that a shard scores: its first 1,000 instead of 100 took 2.2 ms on each of 12 shards
_VECTOR = 0.77e-6  # seconds to compare a vector in half precision: 64 of 1,457 lists of 2,121,856 vectors took 72 ms
_FIRST = 10  # rows that a shard returns beyond its part (knn_on_shards)
_K, _DEPTH = 100, 1000
_STATEMENTS = {"BM25": 2, "dense": 2, "hybrid": 6}
_CONNECTIONS = 100  # max_connections of a worker, by default
_SLOW = 1.0  # seconds above which a search is called slow
_USEFUL = 0.5  # share of a search's time that the coordinator may take


@dataclass(frozen=True)
class Machine:
    """A worker. :param memory: bytes. :param disk: bytes."""

    cores: int = 8
    memory: int = 64 * 10**9
    disk: int = 2 * 10**12


@dataclass(frozen=True)
class ClusterCost:
    """A distributed collection.

    :param disk, hot: bytes on a worker: all, and what searches read. :param words: bytes of document frequencies on every server.
    :param p50: expected seconds of a search, by its kind. :param coordinator: seconds of these that the coordinator takes.
    :param limits: what is exceeded, the worst first; each with a sentence.
    """

    documents: int
    workers: int
    shards: int
    disk: int
    hot: int
    words: int
    p50: dict[str, float]
    coordinator: dict[str, float]
    limits: tuple[str, ...]


def estimate_cluster(documents: int, workers: int, machine: Machine = Machine()) -> ClusterCost:
    """Return the memory, disk and times of searches of a collection on this number of workers."""
    shards = workers * machine.cores
    rows = documents / shards
    hot = documents / workers * sum(_HOT.values())
    missing = max(0.0, 1 - 0.8 * machine.memory / hot)  # a fifth of the memory is for connections, sorts and the system
    words = int(_WORDS * (documents / _WORDS_AT) ** _HEAPS * _WORD_BYTES)
    lists = math.sqrt(rows)
    compared = min(rows, lists + max(_share(documents), 1 / math.sqrt(lists)) * rows)
    work = {
        "BM25": _BM25_SHARD + rows * _BM25 + missing * _READ * (_BM25_TEXTS + rows / _BM25_PAGE),
        "dense": compared * (_VECTOR + missing * _READ / 4),  # four vectors in a page
    }
    work["hybrid"] = work["BM25"] + work["dense"] + _SCORED * 1.25 * _DEPTH / shards
    returned = {
        "BM25": _BM25_TEXTS + 1.25 * _K / shards,
        "dense": _FIRST + 1.25 * _K / shards,
        "hybrid": _FIRST + _BM25_TEXTS + 2.5 * _DEPTH / shards,
    }
    coordinator = {
        name: _STATEMENTS[name] * (_STATEMENT + _TASK * shards) + min(rows, returned[name]) * shards * _ROW for name in work
    }
    p50 = {name: coordinator[name] + _STATEMENTS[name] * (_TRIP + _SHARD_TASK) + work[name] for name in work}
    disk = int(documents / workers * _DISK) + words
    return ClusterCost(
        documents, workers, shards, disk, int(hot), words, p50, coordinator, tuple(_limits(machine, disk, hot, p50, coordinator))
    )


def _share(documents: int) -> float:
    """Return the share of lists that a search on one server scans. A shard scans at least this share, and compares its centres."""
    lists = max(1.0, ivfflat_lists(documents))
    return min(1.0, max(10, math.sqrt(lists)) / lists)


def _limits(machine: Machine, disk: float, hot: float, p50: dict[str, float], coordinator: dict[str, float]) -> Iterator[str]:
    if disk > 0.8 * machine.disk:
        yield f"disk: a worker needs {size_text(int(disk))} of {size_text(machine.disk)}"
    if hot > 0.8 * machine.memory:
        yield f"memory: searches read {size_text(int(hot))}, a worker has {size_text(machine.memory)}"
    for name, seconds in p50.items():
        if coordinator[name] > _USEFUL * seconds:
            yield f"coordinator: it takes {coordinator[name] / seconds:.0%} of a {name} search; more workers do not help"
        elif seconds > _SLOW:
            yield f"processor: a {name} search takes {seconds:.1f} s"
    if machine.cores > 0.8 * _CONNECTIONS:
        yield f"connections: a search uses {machine.cores} of {_CONNECTIONS} on each worker"


def cluster_cells(costs: list[ClusterCost]) -> Iterator[tuple[str, ...]]:
    """Yield the costs as text: workers, shards, disk and memory of a worker, times of searches, what breaks first."""
    for cost in costs:
        times = (f"{1000 * seconds:,.0f} ms" for seconds in cost.p50.values())
        yield str(cost.workers), str(cost.shards), size_text(cost.disk), size_text(cost.hot), *times, (cost.limits or ("",))[0]


HEADINGS = ("workers", "shards", "disk", "memory", "BM25", "dense", "hybrid", "breaks first")

"""Estimate time, memory and disk for loading and indexing a number of documents: ``stc db status --plan``.

The constants were measured on one machine (:data:`MACHINE`) with little other work, for the first 50,000 and all 110,293 documents
of ACM-CR and a vector of 384 dimensions for each. For 1.1 million, copies of it were added:

=========================  ========  =========  ===========
seconds for documents      50,000    110,293    1,102,930
=========================  ========  =========  ===========
load                       11.3      26.0       214
text index                 9.3       24.4       215
ivfflat, 50/110/1050 lists 1.0       1.8        88
hnsw                       14.8      39.8
=========================  ========  =========  ===========

4,963,185 documents on another machine (docs/background/scale.md) took 7 % longer to load, 4 % longer to index, 11 % more disk, and
half the estimated time for ivfflat.

dblp's own records list more references than ACM-CR's and need more disk.

A probe of the server scales the times: the processor time of computing tsvectors, which takes most of the load and of the text
index. It does not measure disks or the number of cores.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg

MACHINE = "2 cores of an Intel Xeon, 24 GB, PostgreSQL 18, pgvector 0.8.1, pg_textsearch 1.0.0"
DIM = 384
M = 16  # links per vector of the default hnsw index

_PROBE = """
SELECT sum(length(to_tsvector('english', md5(g::text) || ' retrieval of scientific documents ' || md5(md5(g::text)))))
  FROM generate_series(1, 20000) g
"""
_PROBE_SECONDS = 0.099  # on MACHINE

# Seconds and bytes per document.
_LOAD = (0.000235, 5305)
_TEXT = (0.000221, 959)
# Memory of the server process that builds the text index, most of it for BM25, and bytes per document: 2.2 GB for 1,102,930
# documents, 8.3 for 4,963,185, without parallel workers.
_INDEXING = (340_000_000, 1600)
_TEXTS_A_SECOND = 130  # two cores with bfloat16, docs/howto/load.md; 50 without
# ivfflat: each vector is compared with each list (seconds per vector, and per vector and list).
_IVFFLAT = (1.0e-5, 6.8e-8)
# hnsw: seconds per vector and natural logarithm of their number, while the graph fits into memory (graph_memory).
_HNSW = 3.1e-5
# Factor for vectors inserted after the graph has outgrown it, a lower bound: 50,000 vectors took 39 s with 256 MB and more than
# 130 s with 32 MB, a third of the graph.
_HNSW_OUTSIDE = 5.0
_MANY = 1_000_000  # above this number, vectors are stored in half precision: sql/vectors/half_precision.sql


@dataclass(frozen=True)
class Cost:
    """The estimated cost of one step. :param memory: bytes in addition to shared_buffers; None if it depends on the model."""

    step: str
    seconds: float
    memory: int | None
    disk: int


def estimate(documents: int, *, factor: float = 1.0, dim: int = DIM, graph: int = 2**31) -> list[Cost]:
    """Return the cost of each step for this number of documents; indexes are for one field with a vector of each document.

    :param factor: how many times slower the machine is than :data:`MACHINE`; see :func:`probe`.
    :param graph: bytes of memory that the build of an hnsw index may use; see :func:`graph_memory`.
    """
    lists = ivfflat_lists(documents)
    row = 4 * dim + 120  # a vector in a table or index, with the unused rest of its page
    half = 2 * dim + 60
    stored = row if documents <= _MANY else half
    costs = [
        Cost("load", documents * _LOAD[0], 2**28, documents * _LOAD[1]),
        Cost("text index", documents * _TEXT[0], max(2**29, _INDEXING[0] + documents * _INDEXING[1]), documents * _TEXT[1]),
        Cost("embed titles and abstracts", 2 * documents / _TEXTS_A_SECOND, None, 2 * documents * stored),
    ]
    for name, size in (("ivfflat", row), ("ivfflat --half", half)):
        seconds = documents * (_IVFFLAT[0] + _IVFFLAT[1] * lists * dim / DIM)
        costs.append(Cost(name, seconds, max(2**29, _ivfflat_memory(lists, dim)), documents * size))
    for name, size in (("hnsw", row), ("hnsw --half", half)):
        needed = documents * ((2 if "half" in name else 4) * dim + 34 * M + 250)
        inside = min(1.0, graph / needed)
        seconds = documents * math.log(max(2, documents)) * _HNSW * (inside + (1 - inside) * _HNSW_OUTSIDE) * dim / DIM
        costs.append(Cost(name, seconds, max(2**29, min(graph, needed)), documents * (size + 25 * M)))
    return [Cost(cost.step, cost.seconds * factor, cost.memory, cost.disk) for cost in costs]


def ivfflat_lists(documents: int) -> float:
    """Return the number of lists of an index on one server; sql/vectors/ivfflat_lists.sql has the same formula."""
    return documents / 1000 if documents <= _MANY else math.sqrt(documents)


def _ivfflat_memory(lists: float, dim: int) -> int:
    """Return the bytes of a build; sql/vectors/ivfflat_memory.sql has the same formula."""
    samples = max(50 * lists, 10_000)
    return int((samples + 2 * lists) * (4 * dim + 16) + 4 * samples * (lists + 2) + 4 * lists * (lists + 3))


def graph_memory(conn: psycopg.Connection) -> int:
    """Return the bytes of memory that building an hnsw index uses at most; sql/vectors/graph_limit.sql has the same formula."""
    [(cached,)] = conn.execute("SELECT pg_size_bytes(current_setting('effective_cache_size'))").fetchall()
    return max(2**31, 2 * int(cached) // 3)


def probe(conn: psycopg.Connection) -> float:
    """Return how many times slower this server is than :data:`MACHINE`, by the best of three short measurements."""

    def seconds() -> float:
        began = time.perf_counter()
        conn.execute(_PROBE).fetchone()
        return time.perf_counter() - began

    return min(seconds() for _ in range(3)) / _PROBE_SECONDS


def cells(costs: list[Cost]) -> Iterator[tuple[str, str, str, str]]:
    """Yield the costs as text: step, time, memory, disk."""
    for cost in costs:
        yield cost.step, _time(cost.seconds), "" if cost.memory is None else size_text(cost.memory), size_text(cost.disk)


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{math.ceil(seconds)} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def size_text(size: int) -> str:
    """Return a number of bytes as text."""
    return f"{size / 1e6:.0f} MB" if size < 1e9 else f"{size / 1e9:.1f} GB"

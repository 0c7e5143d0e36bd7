"""A million rows: ten copies of ACM-CR with perturbed vectors; loading, both BM25 engines, ivfflat indexes, disk space.

The ivfflat indexes are below and above the million rows at which the number of lists is chosen differently. The results are
scaled to the 4,894,083 documents of dblp v12, by seconds and bytes per document. Checks the free disk space first; ``--copies``
reduces the size.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import orjson
import psycopg
import zstandard

from benchmarks.common import REPOSITORY, collection, data, dsn, server, tell, timed
from stcollection.corpus.load import load
from stcollection.vectors.npy import load_npy

DBLP = 4_894_083
# Disk space per copy of ACM-CR for rows, indexes and the sorts that build them; measured, then rounded up.
BYTES_A_COPY = 2.5e9
# Offset between the ids of two copies, larger than every id in ACM-CR.
STRIDE = 10**10
Vectors = npt.NDArray[np.float32]


def write(corpus: Path, target: Path, copies: int) -> int:
    """Write copies of ACM-CR with distinct ids. :returns: number of documents."""
    count = 0
    with target.open("wb") as raw, zstandard.ZstdCompressor(level=1, threads=-1).stream_writer(raw) as out:
        out.write(b"[\n")
        for copy in range(copies):
            with corpus.open("rb") as packed, zstandard.ZstdDecompressor().stream_reader(packed) as plain:
                for line in lines(plain):
                    record = orjson.loads(line)
                    record["id"] = record["id"] + copy * STRIDE
                    out.write(orjson.dumps(record) + b",\n")
                    count += 1
        out.write(b"]\n")
    return count


def lines(stream: zstandard.ZstdDecompressionReader) -> Iterator[bytes]:
    rest = b""
    while block := stream.read(2**20):
        *whole, rest = (rest + block).split(b"\n")
        for line in whole:
            if (record := line.strip(b"[], \r\t")) != b"":
                yield record
    if (record := rest.strip(b"[], \r\t\n")) != b"":
        yield record


def perturbed(vectors: Vectors, rng: np.random.Generator) -> Vectors:
    """Return slightly changed vectors (cosine about .9), normalised to length 1."""
    moved = vectors + rng.normal(scale=0.025, size=vectors.shape).astype(np.float32)
    return np.asarray(moved / np.linalg.norm(moved, axis=1, keepdims=True), dtype=np.float32)


@contextmanager
def step(what: str, documents: int) -> Iterator[None]:
    started = time.perf_counter()
    yield
    seconds = time.perf_counter() - started
    tell(
        what,
        f"{seconds:.0f} s",
        f"{seconds / documents * 1e6:.0f} µs per document",
        None,
        f"dblp v12: {seconds / documents * DBLP / 60:.0f} min",
    )


def main(argv: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copies", type=int, default=10)
    copies = parser.parse_args(argv).copies
    acm = data() / "acm-cr"
    build = REPOSITORY / "build"
    build.mkdir(exist_ok=True)
    free = shutil.disk_usage(build).free
    if free < copies * BYTES_A_COPY:
        raise SystemExit(
            f"{copies} copies need {copies * BYTES_A_COPY / 1e9:.0f} GB of disk, {free / 1e9:.0f} GB are free: lower --copies"
        )
    packed = build / f"large-{copies}.json.zst"
    try:
        documents = write(acm / "acmcr.dblp-v12.json.zst", packed, copies)
        with server() as at, collection(at, "bench_large") as settings, psycopg.connect(dsn(settings), autocommit=True) as conn:
            with step("load", documents):
                load(dsn(settings), [str(packed)])
            with step("text index: GIN, both BM25 engines", documents):
                conn.execute("CALL stc.index_text()")
            _bm25(conn)
            with step("vectors stored: titles and abstracts", documents), tempfile.TemporaryDirectory(dir=build) as folder:
                _store(conn, acm, Path(folder), copies)
            for field in ("abstract", "title"):
                with step(f"ivfflat of {field}s", documents):
                    conn.execute("CALL stc.index_vectors(%s)", [field])
                _dense(conn, field)
            _disk(conn, documents)
    finally:
        packed.unlink(missing_ok=True)


def _store(conn: psycopg.Connection, acm: Path, folder: Path, copies: int) -> None:
    """Store vectors of abstracts, and for titles of all documents randomly drawn, perturbed vectors of abstracts."""
    rng = np.random.default_rng(7)
    vectors = np.load(acm / "abstract_v.f16.npy").astype(np.float32)
    ids = np.load(acm / "abstract_ids.npy")
    every = np.array([row[0] for row in conn.execute("SELECT id FROM dblp WHERE id < %s ORDER BY id", [STRIDE])])
    for copy in range(copies):
        drawn = vectors[rng.integers(len(vectors), size=len(every))]
        for field, some, names in (("title", drawn, every), ("abstract", vectors, ids)):
            np.save(folder / "v.npy", perturbed(some, rng))
            np.save(folder / "ids.npy", names + copy * STRIDE)
            load_npy(conn, vectors=folder / "v.npy", ids=folder / "ids.npy", field=field)


def _bm25(conn: psycopg.Connection) -> None:
    queries = [
        row[0] for row in conn.execute("SELECT title FROM dblp_text TABLESAMPLE system (1) WHERE length(title) < 100 LIMIT 40")
    ]
    for engine in ("pg_textsearch", "portable"):
        times = [
            timed(partial(_count, conn, "SELECT count(*) FROM bm25_search(%s, 100, engine => %s)", [query, engine]))
            for query in queries
        ]
        tell(
            f"  bm25_search top 100 by {engine}, a title as query",
            f"{statistics.median(times) * 1e3:.1f} ms",
            f"worst {max(times) * 1e3:.0f} ms",
        )


def _dense(conn: psycopg.Connection, field: str) -> None:
    [(lists, probes, rows)] = conn.execute(
        "SELECT lists, effort, rows FROM stc.vector_indexes WHERE field = %s", [field]
    ).fetchall()
    queries = [
        row[0]
        for row in conn.execute(f"SELECT {field}_v::text FROM dblp_v TABLESAMPLE system (1) WHERE {field}_v IS NOT NULL LIMIT 30")
    ]
    found = "SELECT array_agg(doc) FROM dense_search(%s::vector, 10, %s, effort => %s)"
    recall: list[float] = []
    fast: list[float] = []
    exact: list[float] = []
    for query in queries:
        near: list[set[int]] = []
        for some, times in ((probes, fast), (0, exact)):
            started = time.perf_counter()
            row = conn.execute(found, [query, field, some]).fetchone()
            times.append(time.perf_counter() - started)
            near.append(set(row[0] if row else ()))
        recall.append(len(near[0] & near[1]) / len(near[1]))
    tell(
        f"  {field}s: {rows:,} vectors, {lists} lists, {probes} probes, top 10",
        f"{statistics.median(fast) * 1e3:.1f} ms",
        f"exact: {statistics.median(exact) * 1e3:.0f} ms",
        None,
        f"recall@10 {statistics.mean(recall):.3f}",
    )


def _count(conn: psycopg.Connection, query: str, arguments: list[object]) -> None:
    conn.execute(query.encode(), arguments).fetchone()


def _disk(conn: psycopg.Connection, documents: int) -> None:
    rows = conn.execute(
        "SELECT CASE relkind WHEN 'i' THEN 'index ' ELSE 'table ' END || relname,"
        " CASE relkind WHEN 'i' THEN pg_relation_size(oid) ELSE pg_table_size(oid) END AS bytes FROM pg_class"
        " WHERE relnamespace IN ('public'::regnamespace, 'stc'::regnamespace) AND relkind IN ('r', 'i')"
        " ORDER BY bytes DESC LIMIT 12"
    ).fetchall()
    whole = conn.execute("SELECT pg_database_size(current_database())").fetchone()
    for name, size in [*rows, ("whole database", whole[0] if whole else 0)]:
        tell(
            f"  disk: {name}",
            f"{size / 1e9:.2f} GB",
            f"{size / documents:,.0f} bytes per document",
            None,
            f"dblp v12: {size / documents * DBLP / 1e9:.0f} GB",
        )


if __name__ == "__main__":
    main(sys.argv[1:])

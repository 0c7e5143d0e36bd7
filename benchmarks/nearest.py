"""Measure recall against time of each kind of vector index, ten nearest, beside faiss: ``python -m benchmarks.nearest``.

The vectors are ACM-CR's 96,448 abstracts, then more: these and copies of moved vectors (benchmarks/full/documents.py), stored in
half precision as ``stc vectors convert`` does. The queries are the collection's citation contexts, embedded here. Recall is that of
exact search in numpy. Times are the processor time of the whole call of dense_search, in the server process and in Python, and for
faiss that of its search call, in one thread: on a quiet machine they are the time of a query, and other work changes them less.

Writes docs/figures/nearest.csv and nearest.svg; --draw only draws it again. diskann is built for the small collection only.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psycopg

from benchmarks.common import REPOSITORY, collection, data, dsn, server, tell
from benchmarks.full.documents import ACM, STRIDE, Seeds, Vectors
from benchmarks.full.fill import peak_of
from stcollection.db.settings import Settings
from stcollection.io.topics.queries import read_queries
from stcollection.plots.canvas import BLACK, BLUE, GREEN, GREY, ORANGE, PALE, SKY, VERMILION
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.model import load
from stcollection.vectors.npy import load_npy
from stcollection.vectors.queries import notation

QUERIES, K = 200, 10
ENOUGH, SLOWEST = 0.995, 120  # no larger efforts after this recall, or after so many milliseconds
PROBES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
CANDIDATES = (10, 20, 40, 80, 160, 320, 640)
FIGURES = REPOSITORY / "docs" / "figures"
# system: colour and style of its line
LINES = {
    "exact scan": (BLACK, ":"),
    "ivfflat": (BLUE, "-"),
    "ivfflat half": (SKY, "-"),
    "ivfflat bits": (GREEN, "-"),
    "hnsw": (VERMILION, "-"),
    "hnsw half": (ORANGE, "-"),
    "hnsw bits": (GREEN, "--"),
    "faiss IVF-Flat": (GREY, "-"),
    "faiss IVF-RaBitQ": (GREY, "--"),
    "faiss HNSW": (GREY, ":"),
    "diskann": (BLACK, "--"),
}
Search = Callable[[Vectors, int], Sequence[int]]


class Point(NamedTuple):
    """One system at one effort."""

    vectors: int
    system: str
    effort: int
    recall: float
    ms: float


def main(sizes: Sequence[int] = (1, 5), systems: Sequence[str] = tuple(LINES)) -> None:
    contexts = [one.text for one in read_queries(data() / ACM / "contexts.topics", field="desc")[1] if one.text][:QUERIES]
    queries = np.asarray(load(None).encode(contexts, query=True), dtype=np.float32)
    every, vectors = abstracts(max(sizes))
    with server() as at:
        for copies in sizes:
            rows = len(every) // max(sizes) * copies
            ids, table = every[:rows], vectors[:rows]
            true = [set(ids[np.argpartition(-(table @ query), K)[:K]].tolist()) for query in queries]
            print(f"{len(ids):,} vectors, load of the machine {os.getloadavg()[0]:.1f}", flush=True)
            with collection(at, "bench_nearest") as settings:
                store(settings, ids, table, copies)
                for system in systems:
                    # The larger table has half precision: so has an index of it, and diskann has none.
                    if copies > 1 and system in ("ivfflat", "hnsw", "diskann"):
                        continue
                    with psycopg.connect(dsn(settings), autocommit=True) as conn:  # a new server process, for its peak memory
                        search = faiss_index(system, ids, table) if system.startswith("faiss") else ours(conn, system)
                        grid = CANDIDATES if system.split()[0] in ("hnsw", "diskann") or "HNSW" in system else PROBES
                        keep(measured(conn, len(ids), system, grid, search, queries, true))


def abstracts(copies: int) -> tuple[Any, Vectors]:
    """Return the ids and vectors of the abstracts and their copies."""
    seeds = Seeds()
    ids, first = seeds.normalised(0)
    table = np.empty((copies * len(ids), first.shape[1]), dtype=np.float32)
    for number in range(copies):
        table[number * len(ids) : (number + 1) * len(ids)] = seeds.normalised(number)[1]
    return np.concatenate([ids + number * STRIDE for number in range(copies)]), table


def keep(points: Sequence[Point]) -> None:
    """Replace the points of a system and size in nearest.csv, and draw it."""
    file = FIGURES / "nearest.csv"
    with file.open() if file.exists() else io.StringIO() as stored:
        others = [row for row in csv.DictReader(stored) if (int(row["vectors"]), row["system"]) != points[0][:2]]
    with file.open("w", newline="") as stored:
        writer = csv.DictWriter(stored, Point._fields, lineterminator="\n")
        writer.writeheader()
        writer.writerows(others)
        writer.writerows({**one._asdict(), "recall": f"{one.recall:.4f}", "ms": f"{one.ms:.3f}"} for one in points)
    draw()


def store(settings: Settings, ids: Any, table: Vectors, copies: int) -> None:
    """Store the vectors, of documents without text."""
    with psycopg.connect(dsn(settings), autocommit=True) as conn, tempfile.TemporaryDirectory() as name:
        if copies > 1:
            conn.execute("SELECT stc.convert_vectors('minilm', true)")
        files = Path(name) / "v.npy", Path(name) / "ids.npy"
        np.save(files[0], table)
        np.save(files[1], ids)
        conn.execute("INSERT INTO dblp (id, docno, doc) SELECT i, i, '{}' FROM unnest(%s::bigint[]) i", [ids.tolist()])
        load_npy(conn, vectors=files[0], ids=files[1], field="abstract")
        conn.execute("VACUUM (ANALYZE) dblp, dblp_v")
    print(f"stored, load of the machine {os.getloadavg()[0]:.1f}", flush=True)


def ours(conn: psycopg.Connection, system: str) -> Search:
    """Build an index, print its cost, and return its search."""
    kind, _, stored = system.partition(" ")
    if kind != "exact":
        with peak_of(conn) as peak:
            options = IndexOptions(kind=kind, half=stored == "half", bits=stored == "bits")
            [made] = index(conn, fields=["abstract"], options=options, rebuild=True)
        row = conn.execute("SELECT bytes FROM stc.vector_status() WHERE field = 'abstract'").fetchone()
        built(system, made.seconds, row[0] if row else 0, peak[0])
    statement = b"SELECT doc FROM dense_search(%s::vector, %s, 'abstract', effort => %s)"
    return lambda query, effort: [doc for (doc,) in conn.execute(statement, [notation(query), K, effort], prepare=False)]


def faiss_index(system: str, ids: Any, table: Vectors) -> Search:
    """The same in faiss, with as many lists and links as ours.

    RaBitQ compares 20 K candidates by the vectors themselves, which are not in its size: ours are in the table.
    """
    import faiss

    (rows, dim), product = table.shape, faiss.METRIC_INNER_PRODUCT
    lists = round(rows / 1000 if rows <= 1_000_000 else rows**0.5)
    faiss.omp_set_num_threads(2)
    began = time.monotonic()
    base: Any
    if system == "faiss HNSW":
        base = faiss.IndexHNSWFlat(dim, 16, product)
        base.hnsw.efConstruction = 64
    else:
        base = (faiss.IndexIVFFlat if "Flat" in system else faiss.IndexIVFRaBitQ)(faiss.IndexFlatIP(dim), dim, lists, product)
        base.train(table[np.random.default_rng(12).choice(rows, min(rows, 50 * lists), replace=False)])
    base.add(table)
    built(system, time.monotonic() - began, faiss.serialize_index(base).nbytes, "")
    faiss.omp_set_num_threads(1)
    made = faiss.IndexRefineFlat(base, faiss.swig_ptr(table)) if "RaBitQ" in system else base

    def search(query: Vectors, effort: int) -> list[int]:
        parameters: Any = (
            faiss.SearchParametersHNSW(efSearch=effort)
            if "HNSW" in system
            else faiss.SearchParametersIVF(nprobe=effort)
            if "Flat" in system
            else faiss.IndexRefineSearchParameters(k_factor=20, base_index_params=faiss.IVFRaBitQSearchParameters(nprobe=effort))
        )
        return list(ids[made.search(query[None], K, params=parameters)[1][0]])

    return search


def built(system: str, seconds: float, size: int, peak: str) -> None:
    tell(f"{system}: built, size, memory", f"{seconds:.1f} s", f"{size / 1e6:.0f} MB", None, peak)


def measured(
    conn: psycopg.Connection,
    vectors: int,
    system: str,
    efforts: Sequence[int],
    search: Search,
    queries: Vectors,
    true: Sequence[set[int]],
) -> list[Point]:
    """Return recall and median time at each effort, of the second search for each query."""
    server = Path(f"/proc/{conn.info.backend_pid}/schedstat")  # its first number: nanoseconds on a processor

    def spent() -> float:
        return time.thread_time() + int(server.read_text().split()[0]) / 1e9

    points: list[Point] = []
    if system == "exact scan":
        efforts, queries, true = (0,), queries[:20], true[:20]
    for effort in efforts:
        hits, times = 0, []
        for query, some in zip(queries, true, strict=True):
            hits += len(some & set(search(query, effort)))
            before = spent()
            search(query, effort)
            times.append(spent() - before)
        points.append(Point(vectors, system, effort, hits / K / len(queries), 1000 * statistics.median(times)))
        tell(f"{system}, effort {effort}", f"{points[-1].recall:.4f}", f"{points[-1].ms:.2f} ms")
        if points[-1].recall >= ENOUGH or points[-1].ms > SLOWEST:
            break
    return points


def draw() -> None:
    """Plot nearest.csv: a panel for each number of vectors, a line for each system."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "stcollection", "font.size": 8})
    import matplotlib.pyplot as plt

    with (FIGURES / "nearest.csv").open() as file:
        rows = list(csv.DictReader(file))
    sizes = sorted({int(row["vectors"]) for row in rows})
    figure, axes = plt.subplots(1, len(sizes), figsize=(7.6, 3), sharey=True, layout="constrained", squeeze=False)
    for axis, size in zip(axes[0], sizes, strict=True):
        for system, (colour, style) in LINES.items():
            of = [
                (float(row["ms"]), float(row["recall"])) for row in rows if (row["system"], int(row["vectors"])) == (system, size)
            ]
            if of:
                axis.plot(*zip(*of, strict=True), color=colour, linestyle=style, marker=".", linewidth=1, label=system)
        axis.set(title=f"{size:,} vectors", xlabel="milliseconds a query", xscale="log", ylim=(0.7, 1.005))
        axis.xaxis.set_major_formatter("{x:g}")
        axis.grid(color=PALE, linewidth=0.5)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0][0].set_ylabel(f"recall of the {K} nearest")
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="outside right center", frameon=False)
    figure.savefig(FIGURES / "nearest.svg", metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--draw", action="store_true", help="Only draw the figure again.")
    arguments.add_argument("--copies", type=int, action="append", help="Copies of the vectors; repeatable.  [default: 1 and 5]")
    arguments.add_argument("--system", choices=LINES, action="append", help="Measure only this system; repeatable.")
    given = arguments.parse_args()
    if given.draw:
        draw()
    else:
        main(given.copies or (1, 5), given.system or tuple(LINES))

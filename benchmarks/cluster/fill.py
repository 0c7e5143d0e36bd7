"""Fill both collections: documents, text index, vectors and their indexes."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import psycopg
import zstandard

from benchmarks.cluster.sides import Sides, empty, fresh, processor_seconds
from benchmarks.common import dsn, tell, timed
from benchmarks.full.documents import Seeds
from benchmarks.full.fill import number
from benchmarks.full.queries import query_vectors
from stcollection.corpus.load import load
from stcollection.db.settings import Settings
from stcollection.topics.load import load as load_topics
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.npy import load_npy
from stcollection.vectors.queries import notation

FIELDS = ("title", "abstract")
PART = 12_000


def compared(what: str, found: Sides, call: Callable[[Settings], object]) -> None:
    """Time a step on one server, then on the cluster."""
    one, spread = (timed(lambda: call(settings)) for _, settings in found.both)  # noqa: B023
    tell(what, f"{spread:.1f} s", f"{one:.1f} s", spread / one)


def loaded(found: Sides, files: Sequence[Path], shards: int) -> None:
    """Load the files into both, which are created again; a load that was interrupted would not show its time."""
    empty(found, shards)
    compared("load in two processes", found, lambda at: load(dsn(at), [str(file) for file in files], workers=2))
    with psycopg.connect(dsn(found.one)) as conn:
        tell("documents", f"{number(conn, 'SELECT count(*) FROM dblp'):,}")
    _same_count(found, "dblp")


def text_indexed(found: Sides) -> None:
    compared("text index", found, lambda at: _call(at, "CALL stc.index_text()"))
    compared("VACUUM (ANALYZE)", found, lambda at: _call(at, "VACUUM (ANALYZE) dblp, dblp_text, dblp_facts"))


def _call(at: Settings, statement: str) -> None:
    with psycopg.connect(dsn(at), autocommit=True) as conn:
        conn.execute(statement.encode())


def vectors_stored(found: Sides, seeds: Seeds, folder: Path, copies: int) -> None:
    """Store vectors of titles and abstracts, copy by copy; those that are stored already are replaced."""

    def stored(at: Settings) -> None:
        with psycopg.connect(dsn(at), autocommit=True) as conn:
            docs = np.array([doc for (doc,) in conn.execute("SELECT id FROM dblp")], dtype=np.int64)
            for copy in range(copies):
                for field, (ids, vectors) in (("abstract", seeds.abstracts(copy)), ("title", seeds.titles(copy))):
                    _store(conn, folder, field, ids, vectors, docs)
            conn.execute("VACUUM (ANALYZE) dblp_v")

    compared("vectors of titles and abstracts stored", found, stored)
    _same_count(found, "dblp_v")


def _store(
    conn: psycopg.Connection,
    folder: Path,
    field: str,
    ids: npt.NDArray[np.int64],
    vectors: npt.NDArray[np.float16],
    docs: npt.NDArray[np.int64],
) -> None:
    there = np.isin(ids, docs)
    np.save(folder / "v.npy", vectors[there])
    np.save(folder / "ids.npy", ids[there])
    load_npy(conn, vectors=folder / "v.npy", ids=folder / "ids.npy", field=field)


def vectors_indexed(found: Sides) -> None:
    def indexed(at: Settings) -> None:
        with psycopg.connect(dsn(at), autocommit=True) as conn:
            index(conn, fields=list(FIELDS), options=IndexOptions(kind="ivfflat"), rebuild=True)

    compared("ivfflat indexes of both", found, indexed)


def queries_stored(found: Sides, seeds: Seeds, file: Path) -> None:
    """Store the queries of the runs, with vectors that were not made from them."""
    for _, at in found.both:
        with psycopg.connect(dsn(at), autocommit=True) as conn:
            load_topics(conn, [file], on_duplicate="first")
            texts = [text for (text,) in conn.execute("SELECT DISTINCT text FROM st1_queries WHERE text IS NOT NULL ORDER BY 1")]
            [(model,)] = conn.execute("SELECT (stc.vector_model(NULL)).model").fetchall()
            for text, vector in zip(texts, query_vectors(seeds.vectors, len(texts)), strict=True):
                conn.execute(
                    "INSERT INTO query_v (model, text, v) VALUES (%s, %s, %s::vector) ON CONFLICT DO NOTHING",
                    [model, text, notation(vector)],
                )


def disk(found: Sides) -> None:
    """Tell the size on disk, of the cluster that of its coordinator and of its largest worker."""

    def size(conninfo: str) -> int:
        with psycopg.connect(conninfo) as conn:
            return number(conn, "SELECT pg_database_size(current_database())")

    one = size(dsn(found.one))
    nodes = [size(found.cluster.dsn(found.spread.db, node=node)) for node in range(len(found.cluster.ports))]
    tell("disk", f"{sum(nodes) / 1e9:.2f} GB", f"{one / 1e9:.2f} GB", sum(nodes) / one)
    tell("disk of the coordinator, and of the largest worker", f"{nodes[0] / 1e9:.2f} GB", f"{max(nodes[1:]) / 1e9:.2f} GB")


def _same_count(found: Sides, table: str) -> None:
    counts = []
    for _, at in found.both:
        with psycopg.connect(dsn(at)) as conn:
            counts.append(number(conn, f"SELECT count(*) FROM {table}"))
    assert counts[0] == counts[1], (table, counts)


def in_processes(found: Sides, file: Path, shards: int) -> None:
    """Compare loads of a part of a file in one process and in two, each twice, into new collections."""
    part = file.with_name("part.json")
    with file.open("rb") as packed, part.open("w", encoding="utf-8") as out:
        text = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(packed), encoding="utf-8")
        out.writelines(itertools.islice(text, PART + 1))  # a bracket first
        out.write("]\n")
    seconds: dict[int, list[float]] = {1: [], 2: []}
    used: dict[int, float] = {}
    for place, processes in enumerate((1, 2, 2, 1)):
        name = f"{found.spread.db}_part_{place}"
        there = replace(found, spread=replace(found.spread, db=name, dsn=found.cluster.dsn(name)))
        fresh(there, shards)
        before = processor_seconds(found.cluster)
        seconds[processes].append(timed(lambda: load(dsn(there.spread), [str(part)], workers=processes)))  # noqa: B023
        used[processes] = processor_seconds(found.cluster) - before
    one, two = min(seconds[1]), min(seconds[2])
    tell(
        f"load of {PART:,} documents on the cluster in one process, in two",
        f"{two:.1f} s",
        f"{one:.1f} s",
        two / one,
        f"processor of the servers {used[2]:.1f} and {used[1]:.1f} s",
    )

"""Compare dense_search on ACM-CR's 96,448 abstracts with a plain pgvector query at the same probes; measure its recall.

The queries are the collection's citation contexts, embedded here. The peer is a plain pgvector statement: ids and inner products in
index order, with probes set for the session. Ours finds model, index and probes, sets and restores settings, and orders ties by
docno. Recall is computed against exact search in numpy.

One pass for many queries is compared with a scan of the index for each, and with faiss IndexFlatIP on vectors in memory. The
documents that faiss finds must be among ours.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt
import psycopg

from benchmarks.common import collection, data, dsn, paired, server, tell, timed
from stcollection.corpus.load import load
from stcollection.topics.load import load as load_topics
from stcollection.vectors.exact import nearest
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.model import Vectors
from stcollection.vectors.npy import load_npy
from stcollection.vectors.queries import embed_queries, notation
from stcollection.vectors.store import registered

ROUNDS = 5
OURS = "SELECT * FROM dense_search(%(query)s::vector, %(k)s, 'abstract')"
BARE = "SELECT id, -(abstract_v <#> %(query)s::vector) FROM dblp_v ORDER BY abstract_v <#> %(query)s::vector LIMIT %(k)s"
EXACT = "SELECT * FROM dense_search(%(query)s::vector, %(k)s, 'abstract', effort => 0)"


def main() -> None:
    folder = data() / "acm-cr"
    files = folder / "abstract_v.f16.npy", folder / "abstract_ids.npy"
    with server() as at, collection(at, "bench_dense") as settings, psycopg.connect(dsn(settings), autocommit=True) as conn:
        load(dsn(settings), [str(folder / "acmcr.dblp-v12.json.zst")])
        load_topics(conn, [folder / "contexts.topics"], field="desc", on_duplicate="first")
        stored = load_npy(conn, vectors=files[0], ids=files[1], field="abstract")
        tell("vectors stored", f"{stored.stored / stored.seconds:,.0f} /s")
        [made] = index(conn, options=IndexOptions(kind="ivfflat"))
        tell(f"ivfflat, {made.lists} lists, {made.rows:,} vectors", f"{made.seconds:.1f} s")
        conn.execute("VACUUM (ANALYZE) dblp, dblp_v")
        embed_queries(conn)
        queries = [text for (text,) in conn.execute("SELECT v::text FROM query_v ORDER BY text")]
        conn.execute(f"SET ivfflat.probes = {made.effort}")
        for k in (10, 100, 1000):
            ours, bare, ratio = compare(conn, queries, k)
            what = f"dense_search top {k}, {len(queries)} contexts, {made.effort} probes"
            tell(what, f"{ours:.2f} ms", f"pgvector {bare:.2f} ms", ratio, "at most 1.20" if k == 100 else "")
        exact = [milliseconds(conn, EXACT, query, 100) for query in queries[:25]]
        tell("dense_search top 100, all lists", f"{statistics.median(exact):.2f} ms")
        for k in (10, 100):
            tell(f"recall@{k} at {made.effort} probes", f"{recall(conn, queries, k, np.load(files[0]), np.load(files[1])):.4f}")
        one_pass(conn, unit(np.load(files[0])), np.load(files[1]))


def one_pass(conn: psycopg.Connection, stored: Vectors, ids: npt.NDArray[np.int64], k: int = 1000) -> None:
    """Compare one pass for 176 and 536 queries with index scans and faiss."""
    import faiss

    space, rng = registered(conn), np.random.default_rng(1)
    flat = faiss.IndexFlatIP(stored.shape[1])
    flat.add(stored)
    for count in (176, 536):
        queries = unit(stored[rng.integers(len(stored), size=count)] + rng.normal(scale=0.02, size=(count, stored.shape[1])))

        def ours(queries: Vectors = queries) -> list[npt.NDArray[np.int64]]:
            with conn.transaction():
                conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                return nearest(conn, space, "abstract", queries, k=k, sessions=2)

        def scans(queries: Vectors = queries) -> None:
            for query in queries:
                conn.execute(OURS.encode(), {"query": notation(query), "k": k}).fetchall()

        pair = paired(ours, partial(flat.search, queries, k), rounds=3)
        tell(f"one pass, {count} queries, top {k}", f"{pair.ours:.2f} s", f"faiss flat {pair.peer:.2f} s", pair.ratio)
        pair = paired(ours, scans, rounds=3)
        tell(f"one pass, {count} queries, top {k}", f"{pair.ours:.2f} s", f"{count} ivfflat scans {pair.peer:.2f} s", pair.ratio)
        true = ids[flat.search(queries, k)[1]]
        found = statistics.mean(len(np.intersect1d(a, b)) / k for a, b in zip(true, ours(), strict=True))
        tell(f"share of faiss's first {k} that the pass finds", f"{found:.5f}", wanted="1")


def compare(conn: psycopg.Connection, queries: Sequence[str], k: int) -> tuple[float, float, float]:
    """Return medians over queries: our milliseconds, the peer's, and their ratio. Each query's time is the median of rounds."""
    pairs = []
    for query in queries:
        ours: list[float] = []
        bare: list[float] = []
        for number in range(ROUNDS):
            for statement in (OURS, BARE) if number % 2 else (BARE, OURS):
                (ours if statement is OURS else bare).append(milliseconds(conn, statement, query, k))
        pairs.append((statistics.median(ours), statistics.median(bare)))
    return (
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
        statistics.median(a / b for a, b in pairs),
    )


def unit(table: npt.NDArray[np.floating]) -> Vectors:
    """Return the vectors with length 1: float32[n, dim]."""
    return np.asarray(table / np.linalg.norm(table.astype(np.float64), axis=1, keepdims=True), dtype=np.float32)


def milliseconds(conn: psycopg.Connection, statement: str, query: str, k: int) -> float:
    return 1000 * timed(lambda: conn.execute(statement.encode(), {"query": query, "k": k}, prepare=False).fetchall())


def recall(
    conn: psycopg.Connection, queries: Sequence[str], k: int, vectors: npt.NDArray[np.float16], ids: npt.NDArray[np.int64]
) -> float:
    """Return the mean recall of the k nearest neighbours."""
    stored = unit(vectors)
    shares = []
    for query in queries:
        true = np.argsort(-(stored @ np.array(query[1:-1].split(","), dtype=np.float32)))[:k]
        found = {row[0] for row in conn.execute(OURS.encode(), {"query": query, "k": k})}
        shares.append(len(found & set(ids[true].tolist())) / k)
    return statistics.mean(shares)


if __name__ == "__main__":
    main()

"""Searches at full size, each beside a plain statement or another engine on the same data."""

from __future__ import annotations

import re
import shutil
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import faiss
import hnswlib
import numpy as np
import psycopg
import tantivy

from benchmarks.bm25 import BARE
from benchmarks.common import medians, tell, timed
from benchmarks.engines import cheapest
from benchmarks.full.documents import Block, Seeds, Vectors
from benchmarks.full.fill import peak_of
from benchmarks.full.queries import asked, fetched, topics
from stcollection.vectors import audit
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.queries import notation
from stcollection.vectors.store import registered

ROUNDS = 3
K = 100
PROBES = (4, 8, 12, 16, 24, 32, 45, 64, 90, 128, 180, 256, 360, 512)
CANDIDATES = (40, 60, 80, 100, 140, 200, 300, 400, 600, 800, 1000)
Search = Callable[[Any], object]
Blocks = Callable[[], Iterator[Block]]


def compare(what: str, queries: Sequence[Any], ours: Search, peers: Mapping[str, tuple[Search, str]], goal: str = "") -> None:
    """Tell medians over queries: our milliseconds, each peer's, and the ratios. Each query's time is the median of rounds.

    :param peers: name: search and goal of the ratio. :param goal: of our milliseconds.
    """
    times = medians({"ours": ours, **{name: search for name, (search, _) in peers.items()}}, queries, rounds=ROUNDS)
    mine = times.pop("ours")
    tell(what, f"{statistics.median(mine):.1f} ms", f"p95 {np.quantile(mine, 0.95):.1f} ms", None, goal)
    for name, some in times.items():
        ratio = statistics.median(a / b for a, b in zip(mine, some, strict=True))
        tell(f"{what}: {name}", f"{statistics.median(mine):.1f} ms", f"{statistics.median(some):.1f} ms", ratio, peers[name][1])


# words ----------------------------------------------------------------------------------------------------------------------


def words(conn: psycopg.Connection, folder: Path) -> None:
    """Compare BM25 with pg_textsearch's own statement and tantivy, whose index is on disk."""
    peer = folder / "tantivy"
    shutil.rmtree(peer, ignore_errors=True)
    peer.mkdir()
    found: list[tantivy.Index] = []
    seconds = timed(lambda: found.append(_tantivy(conn, peer)))
    tell("tantivy: index of the same texts, two threads", f"{seconds:.0f} s")
    searcher = found[0].searcher()

    def by_tantivy(query: str) -> object:
        return searcher.search(found[0].parse_query(" ".join(re.findall(r"\w+", query)).lower(), ["body"]), K).hits

    for what, queries in asked(conn).items():
        compare(
            f"BM25 top {K}, {len(queries)} {what}",
            queries,
            lambda query: fetched(conn, "SELECT * FROM bm25_search(%s, 100)", query),
            {
                "pg_textsearch": (lambda query: fetched(conn, BARE, query), "at most 1.10"),
                "tantivy": (by_tantivy, "at most 2"),
            },
            {"titles": "at most 25 ms", "contexts": "at most 250 ms"}[what],
        )
    shutil.rmtree(peer)


def _tantivy(conn: psycopg.Connection, folder: Path) -> tantivy.Index:
    schema = tantivy.SchemaBuilder().add_text_field("body", tokenizer_name="en_stem").build()
    made = tantivy.Index(schema, path=str(folder))
    writer = made.writer(512_000_000, 2)
    with conn.transaction(), conn.cursor("texts") as rows:
        rows.itersize = 20_000
        for (text,) in rows.execute("SELECT content FROM dblp_text"):
            writer.add_document(tantivy.Document(body=text))
    writer.commit()
    writer.wait_merging_threads()
    made.reload()
    return made


# vectors --------------------------------------------------------------------------------------------------------------------


def nearest(abstracts: Blocks, queries: Vectors) -> list[set[int]]:
    """Return the ids of the K nearest vectors of each query, by comparing all."""
    best = [(np.empty(0, np.int64), np.empty(0, np.float32)) for _ in queries]
    for ids, table in abstracts():
        for place, row in enumerate(queries @ table.T):
            near = np.argpartition(-row, min(K, len(row) - 1))[:K]
            names = np.concatenate([best[place][0], ids[near]])
            values = np.concatenate([best[place][1], row[near]])
            kept = np.argsort(-values)[:K]
            best[place] = names[kept], values[kept]
    return [{int(one) for one in names} for names, _ in best]


def dense(conn: psycopg.Connection, seeds: Seeds, copies: int, kind: str) -> None:
    """Compare searches of abstracts with pgvector's own statement at the same effort, and with a library at equal recall."""

    def abstracts() -> Iterator[Block]:  # made again when they are needed: together they take 8 GB
        return (seeds.normalised(number) for number in range(copies))

    _, queries = topics()
    true = nearest(abstracts, queries)
    half = kind == "hnsw" or registered(conn).storage == "halfvec"
    with peak_of(conn) as peak:
        [made] = index(conn, fields=["abstract"], options=IndexOptions(kind=kind, half=half), rebuild=True)
    name = f"{kind}{' half' if half else ''}"
    lists = f", {made.lists} lists" if made.lists else ""
    tell(f"{name}: {made.rows:,} vectors{lists}", f"{made.seconds:.0f} s", f"{1e6 * made.seconds / made.rows:.0f} µs per vector")
    tell("peak memory of its server process", peak[0])
    library, build = (_hnswlib, "hnswlib") if kind == "hnsw" else (_faiss, "faiss IVF-flat")
    found: list[Any] = []
    seconds = timed(lambda: found.append(library(abstracts, made.rows, made.lists or 0)))
    tell(f"{build}: the same vectors in memory, two threads", f"{seconds:.0f} s")

    def ours(query: Vectors, k: int = K, effort: int = 0, filtered: bool = False) -> list[int]:
        statement = "SELECT doc FROM dense_search(%s::vector, %s, 'abstract', NULL, NULL, %s)"
        return [doc for (doc,) in fetched(conn, statement, notation(query), k, effort)]

    column = "abstract_v::halfvec(384) <#> %s::halfvec(384)" if half else "abstract_v <#> %s::vector"

    def bare(query: Vectors) -> object:
        return fetched(conn, f"SELECT id, {column} FROM dblp_v ORDER BY {column} LIMIT {K}", notation(query), notation(query))

    grid = CANDIDATES if kind == "hnsw" else PROBES
    mine, theirs = (cheapest(search, grid, queries, true, K, False) for search in (ours, found[0]))
    conn.execute(f"SET {'hnsw.ef_search' if kind == 'hnsw' else 'ivfflat.probes'} = {mine[0]}")
    compare(
        f"{name} top {K}: recall {mine[1]:.3f} at effort {mine[0]}",
        list(queries),
        partial(ours, effort=mine[0]),
        {
            "pgvector": (bare, "at most 1.10"),
            f"{build}, recall {theirs[1]:.3f} at {theirs[0]}": (partial(found[0], k=K, effort=theirs[0]), ""),
        },
        "at most 8 ms" if kind == "hnsw" else "at most 60 ms",
    )
    exact = [timed(partial(ours, query)) for query in queries[:3]]
    tell("exact search", f"{1000 * statistics.median(exact):.0f} ms")
    conn.execute("UPDATE stc.vector_indexes SET effort = %s WHERE field = 'abstract'", [mine[0]])
    # Hybrid search also reads the index of titles of documents without abstract, which the index of abstracts brings with it.
    chosen = audit.cheapest(audit.measure(conn, field="title_only", k=K, queries=30), recall=0.95)
    audit.keep(conn, chosen, field="title_only", k=K)
    tell(f"titles without abstract: recall {chosen.recall:.3f} at effort {chosen.effort}", f"{chosen.ms:.1f} ms")


def _faiss(abstracts: Blocks, rows: int, lists: int) -> Search:
    faiss.omp_set_num_threads(2)
    rng, share = np.random.default_rng(12), 50 * lists / rows
    sample = np.concatenate([table[rng.random(len(table)) < share] for _, table in abstracts()])
    dim = sample.shape[1]
    made = faiss.IndexIVFFlat(faiss.IndexFlatIP(dim), dim, lists, faiss.METRIC_INNER_PRODUCT)
    made.train(sample)
    for ids, table in abstracts():
        made.add_with_ids(table, ids)
    faiss.omp_set_num_threads(1)
    parameters: Any = faiss.SearchParametersIVF

    def search(query: Vectors, k: int = K, effort: int = 1, filtered: bool = False) -> list[int]:
        return [int(one) for one in made.search(query[None], k, params=parameters(nprobe=effort))[1][0]]

    return search


def _hnswlib(abstracts: Blocks, rows: int, lists: int) -> Search:
    made: Any = None
    for ids, table in abstracts():
        if made is None:
            made = hnswlib.Index(space="ip", dim=table.shape[1])
            made.init_index(max_elements=rows, M=16, ef_construction=64, random_seed=1)
            made.set_num_threads(2)
        made.add_items(table, ids)
    made.set_num_threads(1)

    def search(query: Vectors, k: int = K, effort: int = 1, filtered: bool = False) -> list[int]:
        made.set_ef(max(effort, k))
        try:
            return [int(one) for one in made.knn_query(query, k)[0][0]]
        except RuntimeError:  # its graph led to fewer than k
            return []

    return search


def hybrid(conn: psycopg.Connection) -> None:
    """Compare hybrid search with its two rankings alone: BM25 and the vectors of documents, 1,000 deep."""
    texts, vectors = topics()
    queries = list(zip(texts, map(notation, vectors), strict=True))

    def parts(query: tuple[str, str]) -> object:
        return fetched(conn, "SELECT * FROM bm25_search(%s, 1000)", query[0]), fetched(
            conn, "SELECT * FROM stc.dense_document_search(%s::vector, 1000)", query[1]
        )

    compare(
        f"hybrid top {K}",
        queries,
        lambda query: fetched(conn, "SELECT * FROM hybrid_search(%s, 100, %s::vector)", *query),
        {"BM25 and dense, 1,000 each": (parts, "at most 1.10")},
    )


def facets(conn: psycopg.Connection) -> None:
    """Tell the time to count the facets of a search."""
    titles = asked(conn)["titles"]
    compare(
        "facets of a BM25 search", titles, lambda query: fetched(conn, "SELECT * FROM stc.search_facets(%s, 'bm25')", query), {}
    )

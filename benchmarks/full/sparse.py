"""Learned sparse retrieval at any size: documents drawn from real ones, their index of impacts, and searches beside BM25 and SciPy.

    python -m benchmarks.full.sparse --vectors D.npz --ids IDS.npy --queries Q.npz --documents 5000000

``stc export vectors D.npz IDS.npy --field content --model sparse`` writes vectors of ACM-CR and their ids; Q.npz has the vectors of
its first citation contexts. Each drawn document joins two random real ones. A random half of the vocabulary, another one for each
document, decides which terms come from the first; the other terms come from the second. All keep their weights. So the number of
terms, their frequencies and the weights of each term are those of real documents, but two terms occur together half as often. The
text is the first half of the words of the first document and the second half of the second's.

The texts have a separate table with the peer, a BM25 index of pg_textsearch. SciPy searches the same vectors in memory,
up to 500,000 documents. Each step and each block of documents is saved, and an interrupted benchmark continues after it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson
import psycopg
import zstandard
from scipy import sparse

from benchmarks.common import REPOSITORY, data, medians, server, tell, timed
from benchmarks.full.documents import ACM, lines, words
from benchmarks.full.fill import disk, number
from benchmarks.full.steps import Steps, prepare
from stcollection.db.connection import connect
from stcollection.io.topics.queries import read_queries
from stcollection.vectors.binary import HEADER, TRAILER
from stcollection.vectors.index import index
from stcollection.vectors.queries import notation
from stcollection.vectors.sparse import SparseRows

BLOCK = 20_000
IN_MEMORY = 500_000  # documents that SciPy searches
BYTES_A_DOCUMENT = 6_500  # rows, texts, indexes and the write-ahead log of a build; measured, then rounded up


class Drawn:
    """Documents drawn from real ones. :param vectors: .npz of a csr matrix. :param ids: the ACM-CR document of each row."""

    def __init__(self, vectors: Path, ids: Path) -> None:
        made = sparse.load_npz(vectors).tocsr()
        made.sort_indices()
        self.rows = SparseRows(dim=made.shape[1], starts=made.indptr, terms=made.indices, weights=made.data)
        row = {
            int(doc): place for place, doc in enumerate(orjson.loads(ids.read_bytes()) if ids.suffix == ".json" else np.load(ids))
        }
        self.texts: list[list[str]] = [[] for _ in row]
        with (data() / ACM / "acmcr.dblp-v12.json.zst").open("rb") as packed:
            for line in lines(zstandard.ZstdDecompressor().stream_reader(packed)):
                record = orjson.loads(line)
                if (place := row.get(record["id"])) is not None:
                    self.texts[place] = [*record["title"].split(), *words(record)]

    def block(self, which: int, size: int) -> tuple[npt.NDArray[np.int64], SparseRows, list[str]]:
        """Return ids, vectors and texts of the documents of one block, always the same ones."""
        rng = np.random.default_rng([8, which])
        pairs = rng.integers(len(self.texts), size=(2, size))
        salts = rng.integers(1, 2**31, size=size, dtype=np.int64)
        parts = []
        for half, chosen in enumerate(pairs):
            some = self.rows[chosen]
            owner = np.repeat(np.arange(size), some.sizes)
            taken = (some.terms * salts[owner] >> 16 & 1) == half
            parts.append((owner[taken], some.terms[taken], some.weights[taken]))
        owner, terms, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.lexsort((terms, owner))
        starts = np.searchsorted(owner[order], np.arange(size + 1)).astype(np.int64)
        rows = SparseRows(dim=self.rows.dim, starts=starts, terms=terms[order], weights=weights[order])
        texts = []
        for first, second in pairs.T.tolist():
            head, tail = self.texts[first], self.texts[second]
            texts.append(" ".join([*head[: len(head) // 2], *tail[len(tail) // 2 :]]))
        return np.arange(1, size + 1) + which * BLOCK, rows, texts


def blocks(documents: int) -> list[tuple[int, int]]:
    """Return the number of each block, and its size."""
    return [(start // BLOCK, min(BLOCK, documents - start)) for start in range(0, documents, BLOCK)]


def filled(conn: psycopg.Connection, drawn: Drawn, documents: int) -> None:
    """Store the documents with vectors and texts, each block in a transaction, after those that are stored."""
    conn.execute("SELECT stc.add_vector_model('drawn', 'drawn', %s, made_by => 'import', storage => 'sparsevec')", [drawn.rows.dim])
    conn.execute("CREATE TABLE IF NOT EXISTS bench_texts (id bigint, content text)")
    stored = number(conn, "SELECT count(*) FROM dblp_v_drawn")
    seconds, terms, drawn_now = 0.0, 0, 0
    for which, size in blocks(documents)[-(-stored // BLOCK) :]:
        ids, rows, texts = drawn.block(which, size)
        seconds += timed(partial(_store, conn, ids, rows, texts))
        terms, drawn_now = terms + len(rows.terms), drawn_now + size
    real = drawn.rows.sizes.mean()
    if drawn_now:
        tell(f"{drawn_now:,} documents stored", f"{seconds:.0f} s", f"{1e6 * seconds / drawn_now:.0f} µs per document")
        tell("terms of a document", f"{terms / drawn_now:.1f}", f"real {real:.1f}", terms / drawn_now / float(real))
    conn.execute("VACUUM (ANALYZE) dblp_v_drawn, bench_texts, dblp, dblp_facts, dblp_text")


def _store(conn: psycopg.Connection, ids: npt.NDArray[np.int64], rows: SparseRows, texts: list[str]) -> None:
    with conn.transaction(), conn.cursor() as cursor:
        with cursor.copy("COPY dblp (id, docno, doc) FROM STDIN") as copy:
            for doc in ids.tolist():
                copy.write_row((doc, str(doc), f'{{"id":{doc}}}'))
        with cursor.copy("COPY bench_texts FROM STDIN") as copy:
            for row in zip(ids.tolist(), texts, strict=True):
                copy.write_row(row)
        with cursor.copy("COPY dblp_v_drawn (id, content_v) FROM STDIN (FORMAT BINARY)") as copy:
            copy.write(HEADER + rows.records(ids, None) + TRAILER)


def indexed(conn: psycopg.Connection) -> None:
    """Build the index of impacts, and BM25's of the texts."""
    conn.execute("CREATE EXTENSION IF NOT EXISTS pg_textsearch; DROP INDEX IF EXISTS bench_texts_bm25")
    conn.execute("SET maintenance_work_mem = '1GB'; SET max_parallel_maintenance_workers = 0")
    statement = "CREATE INDEX bench_texts_bm25 ON bench_texts USING bm25 (content) WITH (text_config = 'pg_catalog.english')"
    peer = timed(lambda: conn.execute(statement))
    [made] = index(conn, "drawn", rebuild=True)
    tell(f"index of {made.rows:,} vectors, {made.kind}", f"{made.seconds:.0f} s", f"BM25 {peer:.0f} s", made.seconds / peer)


def searched(conn: psycopg.Connection, drawn: Drawn, queries: Path, documents: int) -> None:
    """Compare the first 10 and 100 with BM25's and SciPy's, by time and recall."""
    asked = sparse.load_npz(queries).tocsr()
    contexts = [one.text for one in read_queries(data() / ACM / "contexts.topics", field="desc")[1]][: asked.shape[0]]
    pairs = [np.column_stack([row.indices, row.data]).ravel() for row in asked]
    conn.execute("SET max_parallel_workers_per_gather = 0; SET jit = off")
    bare = "SELECT id FROM bench_texts ORDER BY content <@> to_bm25query(%s, 'bench_texts_bm25') LIMIT %s"
    call = "SELECT doc FROM stc.sparse_search(%s::vector, %s, 'drawn', effort => %s)"

    def ours(query: int, k: int, effort: int | None = None) -> list[int]:
        return [doc for (doc,) in conn.execute(call.encode(), [notation(pairs[query]), k, effort])]

    def bm25(query: int, k: int) -> list[Any]:
        return conn.execute(bare.encode(), [contexts[query], k], prepare=False).fetchall()

    searches: dict[str, Any] = {"sparse": ours, "BM25": bm25}
    if documents <= IN_MEMORY:
        parts = [drawn.block(*one)[1] for one in blocks(documents)]
        csr = [sparse.csr_matrix((one.weights, one.terms, one.starts), shape=(len(one), one.dim)) for one in parts]
        columns = sparse.vstack(csr).T.tocsr()

        def scipy(query: int, k: int) -> list[int]:
            scores = (asked[query] @ columns).toarray().ravel()
            best = np.argpartition(-scores, k)[:k]
            return [int(doc) + 1 for doc in best]

        searches["SciPy"] = scipy
    for k in (10, 100):
        took = medians({name: partial(one, k=k) for name, one in searches.items()}, range(asked.shape[0]), rounds=3)
        exact = {query: set(ours(query, k, 0)) for query in islice(range(asked.shape[0]), 10)}
        recall = np.mean([len(set(ours(query, k)) & true) / k for query, true in exact.items()])
        mine = took.pop("sparse")
        for name, times in took.items():
            ratio = float(np.median(np.array(mine) / np.array(times)))
            goal = "at most 2" if name == "BM25" else ""
            what = f"first {k}, recall {recall:.3f}; {name}"
            tell(what, f"{np.median(mine):.1f} ms", f"{np.median(times):.1f} ms", ratio, goal)


def main(argv: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--vectors", "--ids", "--queries"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--documents", type=int, default=5_000_000, help="number of documents (default: %(default)s)")
    parser.add_argument("--step", action="append", default=[], help="measure only this step, again if it is finished")
    parser.add_argument("--remove", action="store_true", help="remove the collection and its files")
    options = parser.parse_args(argv)
    folder = REPOSITORY / "build" / f"sparse-{options.documents}"
    folder.mkdir(parents=True, exist_ok=True)
    with server() as at:
        needed, what = options.documents * BYTES_A_DOCUMENT, f"{options.documents:,} documents"
        settings = prepare(
            at, f"bench_sparse_{options.documents}", folder, remove=options.remove, needed=needed, what=what, option="--documents"
        )
        if settings is None:
            return
        steps, drawn = Steps(folder / "results.json", tuple(options.step)), Drawn(options.vectors, options.ids)
        with connect(settings, autocommit=True) as conn:
            steps.run("documents", lambda: filled(conn, drawn, options.documents))
            steps.run("indexes", lambda: indexed(conn))
            steps.run("searches", lambda: searched(conn, drawn, options.queries, options.documents))
            steps.run("disk", lambda: disk(conn))
        print("\n".join(steps.table()))


if __name__ == "__main__":
    main(sys.argv[1:])

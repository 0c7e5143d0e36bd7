"""Expand the judgments of 2,000 relevant documents over ACM-CR's 96,448 abstracts by exact search, compared with numpy.

The seeds are sampled from the abstracts and assigned to the collection's queries. The peer has all vectors in memory as float32:
it computes matrix products in blocks, applies the threshold, and keeps the nearest ten of each seed. A second variant first
fetches the vectors from the database. "By the index" uses ivfflat with its default probes. Before timing, both must find the same
pairs.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import psycopg

from benchmarks.common import collection, data, dsn, paired, server, tell, timed
from stcollection.corpus.load import load
from stcollection.qrels.editions import drop_edition
from stcollection.qrels.expand import NeighbourRules, expand
from stcollection.topics.load import load as load_topics
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.npy import load_npy

SEEDS, NEIGHBOURS, THRESHOLD, BLOCK = 2000, 10, 0.8, 8192
Vectors = npt.NDArray[np.float32]


def near(ids: npt.NDArray[np.int64], vectors: Vectors, seeds: npt.NDArray[np.int64]) -> set[tuple[int, int]]:
    """Return pairs of a seed and one of its nearest neighbours, by matrix products in blocks."""
    sources = vectors[seeds]
    found: list[tuple[float, int, int]] = []
    for first in range(0, len(vectors), BLOCK):
        cosines = sources @ vectors[first : first + BLOCK].T
        for seed, doc in zip(*np.nonzero(cosines >= THRESHOLD), strict=True):
            if seeds[seed] != first + doc:
                found.append((-float(cosines[seed, doc]), int(seed), int(ids[first + doc])))
    taken: dict[int, list[int]] = {}
    for _, seed, doc in sorted(found):
        taken.setdefault(seed, []).append(doc)
    return {(int(ids[seeds[seed]]), doc) for seed, docs in taken.items() for doc in docs[:NEIGHBOURS]}


def fetch(conn: psycopg.Connection) -> tuple[npt.NDArray[np.int64], Vectors]:
    rows = conn.execute("SELECT id, abstract_v::text FROM dblp_v WHERE abstract_v IS NOT NULL").fetchall()
    return np.array([row[0] for row in rows]), np.array([np.fromstring(row[1][1:-1], np.float32, sep=",") for row in rows])


def main() -> None:
    folder = data() / "acm-cr"
    files = folder / "abstract_v.f16.npy", folder / "abstract_ids.npy"
    with server() as at, collection(at, "bench_expansion") as settings, psycopg.connect(dsn(settings), autocommit=True) as conn:
        load(dsn(settings), [str(folder / "acmcr.dblp-v12.json.zst")])
        load_topics(conn, [folder / "contexts.topics"], field="desc", on_duplicate="first")
        load_npy(conn, vectors=files[0], ids=files[1], field="abstract")
        index(conn, options=IndexOptions(kind="ivfflat"))
        ids = np.load(files[1]).astype(np.int64)
        vectors = np.load(files[0]).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        seeds = np.random.default_rng(4).choice(len(ids), SEEDS, replace=False)
        conn.execute("INSERT INTO stc_all.qrels_editions (edition) VALUES ('seeds')")
        conn.execute(
            "INSERT INTO qrels_judgments (edition, query, doc, rel)"
            " SELECT e.id, q.ids[1 + s.number %% cardinality(q.ids)], s.doc, 2"
            " FROM qrels_editions e, (SELECT array_agg(id ORDER BY id) AS ids FROM st1_queries) q,"
            " unnest(%s::bigint[]) WITH ORDINALITY AS s (doc, number)",
            [ids[seeds].tolist()],
        )
        conn.execute("VACUUM (ANALYZE)")

        def ours(effort: int | None = 0) -> int:
            done = expand(
                conn,
                edition="seeds",
                into="expansion",
                neighbours=NEIGHBOURS,
                threshold=THRESHOLD,
                rules=NeighbourRules(field="abstract", effort=effort),
            )
            drop_edition(conn, "expansion")
            return done.added

        rows = conn.execute(
            "SELECT source, doc FROM stc.near_documents(%s, %s, %s, 'abstract')", [ids[seeds].tolist(), NEIGHBOURS, THRESHOLD]
        )
        mine, theirs = set(rows.fetchall()), near(ids, vectors, seeds)
        assert len(mine ^ theirs) <= len(theirs) // 100, len(
            mine ^ theirs
        )  # float32 sums in a different order can cross the threshold
        pair = paired(ours, lambda: near(ids, vectors, seeds), rounds=3)
        what = f"expand {SEEDS:,} seeds over {len(ids):,} abstracts, {ours():,} labels"
        tell(f"{what}: numpy in memory", f"{pair.ours:.1f} s", f"{pair.peer:.1f} s", pair.ratio, "at most 20 s")
        tell("… numpy, with vectors fetched first", f"{pair.ours:.1f} s", f"{timed(lambda: near(*fetch(conn), seeds)):.1f} s")
        tell("… with the ivfflat index", f"{timed(lambda: ours(None)):.1f} s", f"{ours(None) / ours():.2f} of the labels")


if __name__ == "__main__":
    main()

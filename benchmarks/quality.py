"""Retrieval quality on real collections, by the default settings, through the whole chain: load, index, embed, run, score.

The peer of BM25 is bm25s (Lucene's variant, k1 1.2, b 0.75, English stemmer and stop words) on the same texts; of the dense
systems, the published kind of leaderboard. nDCG@10, MAP and recall@100 over the judged queries.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import bm25s
import psycopg
import pytrec_eval
import Stemmer

from benchmarks.common import collection, data, dsn, server, tell
from stcollection.corpus.load import load
from stcollection.qrels.load import import_qrels
from stcollection.topics.load import load as load_topics
from stcollection.vectors.embed import embed
from stcollection.vectors.npy import load_npy
from stcollection.vectors.queries import embed_queries

SYSTEMS = ("boolean", "bm25", "dense-title", "dense-abstract", "hybrid")


@dataclass(frozen=True)
class Collection:
    """:param wanted: nDCG@10 that BM25 must reach."""

    name: str
    documents: str
    topics: str
    qrels: str
    wanted: float
    topic_field: str = "title"
    grades: dict[int, int] | None = None
    vectors: tuple[str, str] | None = None
    systems: tuple[str, ...] = field(default=SYSTEMS)


COLLECTIONS = (
    Collection("Cranfield", "cranfield/cran.all.1400", "cranfield/cran.qry", "cranfield/cranqrel", 0.360,
               grades={1: 4, 2: 3, 3: 2, 4: 1, -1: 0}),
    Collection("NPL", "npl/doc-text.trec", "npl/query-text.trec", "npl/qrels", 0.434),
    Collection("CACM", "cacm/cacm.all", "cacm/query.text", "cacm/qrels.text", 0.486),
    Collection("ACM-CR contexts", "acm-cr/acmcr.dblp-v12.json.zst", "acm-cr/contexts.topics", "acm-cr/contexts.qrels", 0.282,
               topic_field="desc", vectors=("acm-cr/abstract_v.f16.npy", "acm-cr/abstract_ids.npy"),
               systems=("boolean", "bm25", "dense-abstract")),
)  # fmt: skip


def main() -> None:
    with server() as at:
        for one in COLLECTIONS:
            with collection(at, "bench_quality") as settings, psycopg.connect(dsn(settings), autocommit=True) as conn:
                fill(conn, dsn(settings), one, data())
                rivals = lucene(conn)
                for system in one.systems:
                    ndcg, ap, recall = values(conn, system)
                    rival = f"bm25s {rivals[0]:.3f} / {rivals[1]:.3f} / {rivals[2]:.3f}" if system == "bm25" else ""
                    tell(
                        f"{one.name}, {system}: nDCG@10 / MAP / R@100", f"{ndcg:.3f} / {ap:.3f} / {recall:.3f}", rival,
                        ndcg / rivals[0] if system == "bm25" else None, f"at least {one.wanted}" if system == "bm25" else "",
                    )  # fmt: skip


def fill(conn: psycopg.Connection, where: str, one: Collection, folder: Path) -> None:
    """Load, index, embed, and make a run by each system."""
    load(where, [str(folder / one.documents)])
    conn.execute("CALL index_text()")
    load_topics(conn, [folder / one.topics], field=one.topic_field, on_duplicate="first")
    import_qrels(conn, folder / one.qrels, edition="all", grades=one.grades)
    if one.vectors is None:
        embed(conn)
    else:
        load_npy(conn, vectors=folder / one.vectors[0], ids=folder / one.vectors[1], field="abstract")
    embed_queries(conn)
    for system in one.systems:
        try:
            conn.execute("SELECT make_run(%s, %s)", [system, system])
        except psycopg.errors.DatabaseError as error:
            if error.sqlstate != "IR405":  # NPL has no titles
                raise
            print(f"{one.name}, {system}: {error.diag.message_primary}")
    conn.execute("VACUUM (ANALYZE) st1_rankings")


def values(conn: psycopg.Connection, run: str) -> tuple[float, float, float]:
    row = conn.execute(
        "SELECT avg(ndcg) FILTER (WHERE cutoff = 10), avg(average_precision) FILTER (WHERE cutoff = 10),"
        " avg(recall_at) FILTER (WHERE cutoff = 100) FROM evaluate(ARRAY[%s], 'all', '{10,100}')",
        [run],
    ).fetchone()
    return (0.0, 0.0, 0.0) if row is None or row[0] is None else (row[0], row[1], row[2])


def lucene(conn: psycopg.Connection, depth: int = 1000) -> tuple[float, float, float]:
    """The same by bm25s and pytrec_eval."""
    rows = conn.execute("SELECT docno, content FROM dblp_text JOIN dblp USING (id) ORDER BY id").fetchall()
    queries = conn.execute("SELECT query, text FROM st1_queries WHERE text IS NOT NULL ORDER BY query").fetchall()
    stemmer = Stemmer.Stemmer("english")
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    index.index(
        bm25s.tokenize([text for _, text in rows], stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False
    )
    words = bm25s.tokenize([text for _, text in queries], stopwords="en", stemmer=stemmer, show_progress=False)
    docs, scores = index.retrieve(words, k=min(depth, len(rows)), show_progress=False)
    run = {
        query: {rows[doc][0]: float(score) for doc, score in zip(docs[n], scores[n], strict=True) if score > 0}
        for n, (query, _) in enumerate(queries)
    }
    qrels: dict[str, dict[str, int]] = {}
    for query, docno, rel in conn.execute(
        "SELECT s.query, d.docno, q.rel FROM qrels q JOIN st1_queries s ON s.id = q.query JOIN dblp d ON d.id = q.doc"
    ):
        qrels.setdefault(query, {})[docno] = rel
    scored = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "map", "recall.100"}).evaluate(run)
    ndcg, ap, recall = (sum(one[name] for one in scored.values()) / len(qrels) for name in ("ndcg_cut_10", "map", "recall_100"))
    return ndcg, ap, recall


if __name__ == "__main__":
    main()

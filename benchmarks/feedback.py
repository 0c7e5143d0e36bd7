"""What relevance feedback brings on real collections, by the default settings: RM3 beside BM25, Rocchio beside dense.

nDCG@10, MAP and recall@100 over the judged queries, depth 1,000; the p-value of the paired, two-sided t-test over the average
precision of the queries. RM3 also by Anserini's estimate. Then the time of RM3 by pg_textsearch beside the inverted file alone.
"""

from __future__ import annotations

import statistics
from functools import partial

import psycopg
from scipy.stats import ttest_rel  # type: ignore[import-untyped]

from benchmarks.common import collection, data, dsn, paired, server, tell
from benchmarks.quality import COLLECTIONS, Collection
from stcollection.corpus.load import load
from stcollection.qrels.load import import_qrels
from stcollection.topics.load import load as load_topics
from stcollection.vectors.embed import embed
from stcollection.vectors.npy import load_npy
from stcollection.vectors.queries import embed_queries

# A search of each system for a query q (its vector v.v) to depth 1,000.
SEARCHES = {
    "bm25": "bm25_search(q.text, 1000)",
    "rm3": "rm3_search(q.text, 1000)",
    "rm3-anserini": "rm3_search(q.text, 1000, estimate => 'anserini')",
    "dense-abstract": "dense_search(v.v, 1000, 'abstract')",
    "rocchio-abstract": "rocchio_search(v.v, 1000, 'abstract')",
}
PAIRS = (("bm25", "rm3"), ("bm25", "rm3-anserini"), ("dense-abstract", "rocchio-abstract"))
Values = dict[str, tuple[float, float, float]]


def main() -> None:
    with server() as at:
        for one in COLLECTIONS:
            with collection(at, "bench_feedback") as settings, psycopg.connect(dsn(settings), autocommit=True) as conn:
                fill(conn, dsn(settings), one)
                compare(conn, one.name)
                speed(conn, one.name)


def fill(conn: psycopg.Connection, where: str, one: Collection) -> None:
    """Load, index and embed."""
    load(where, [str(data() / one.documents)])
    conn.execute("CALL index_text()")
    load_topics(conn, [data() / one.topics], field=one.topic_field, on_duplicate="first")
    import_qrels(conn, data() / one.qrels, edition="all", grades=one.grades)
    if one.vectors is None:
        embed(conn)
    else:
        load_npy(conn, vectors=data() / one.vectors[0], ids=data() / one.vectors[1], field="abstract")
    embed_queries(conn)


def compare(conn: psycopg.Connection, name: str) -> None:
    """Each system beside the one it starts from."""
    for before, after in PAIRS:
        ours, peer = (values(conn, system, SEARCHES[system]) for system in (after, before))
        ratio = means(ours)[1] / means(peer)[1]
        tell(
            f"{name}, {after}: nDCG@10 / MAP / R@100", written(ours), f"{before} {written(peer)}", ratio,
            f"MAP above it; p = {p_value(ours, peer):.2g}",
        )  # fmt: skip


def values(conn: psycopg.Connection, run: str, search: str) -> Values:
    """nDCG@10, average precision and recall@100 by judged query, of a run that is made here. :param search: SQL."""
    conn.execute("DELETE FROM st1_runs WHERE run = %s", [run])
    conn.execute("INSERT INTO st1_runs (run, tag) VALUES (%s, %s)", [run, run])
    conn.execute(
        "INSERT INTO st1_rankings (run, query, doc, rank, rel_score)"
        " SELECT (SELECT id FROM st1_runs WHERE run = %s), q.id, s.doc, s.rank, s.score"
        f" FROM st1_queries q JOIN query_v v ON v.text = q.text, LATERAL {search} s",
        [run],
    )
    rows = conn.execute(
        "SELECT query, max(ndcg) FILTER (WHERE cutoff = 10), max(average_precision), max(recall_at) FILTER (WHERE cutoff = 100)"
        " FROM evaluate(ARRAY[%s], 'all', '{10,100}') GROUP BY query",
        [run],
    )
    return {query: (ndcg, ap, recall) for query, ndcg, ap, recall in rows}


def means(of: Values) -> tuple[float, ...]:
    return tuple(statistics.fmean(column) for column in zip(*of.values(), strict=True))


def written(of: Values) -> str:
    return " / ".join(f"{mean:.3f}" for mean in means(of))


def p_value(ours: Values, peer: Values) -> float:
    """Of the paired, two-sided t-test over average precision."""
    queries = sorted(peer)
    return float(ttest_rel([ours[query][1] for query in queries], [peer[query][1] for query in queries]).pvalue)


def speed(conn: psycopg.Connection, name: str, queries: int = 10) -> None:
    """Milliseconds a query, top 100: RM3 beside the portable engine; and beside BM25."""
    texts = [
        text for (text,) in conn.execute("SELECT text FROM st1_queries WHERE text IS NOT NULL ORDER BY id LIMIT %s", [queries])
    ]

    def each(function: str, options: str = "") -> None:
        for text in texts:
            conn.execute(f"SELECT * FROM {function}(%s, 100{options})", [text])

    for peer, rival in (("portable", "rm3_search"), ("bm25", "bm25_search")):
        options = ", engine => 'portable'" if peer == "portable" else ""
        pair = paired(lambda: each("rm3_search"), partial(each, rival, options), rounds=3)
        ours, theirs = (f"{1000 * seconds / len(texts):.1f} ms" for seconds in (pair.ours, pair.peer))
        tell(f"{name}, rm3: a query, top 100", ours, f"{peer} {theirs}", pair.ratio)


if __name__ == "__main__":
    main()

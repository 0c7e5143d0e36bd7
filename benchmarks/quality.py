"""Retrieval quality on real collections with default settings: load, index, embed, run, score.

Measures are nDCG@10, MAP and recall@100 over the judged queries, at depth 1,000. The peer of BM25 is bm25s (Lucene's variant, k1
1.2, b 0.75, English stemmer and stop words) on the same texts. The peer of RM3 is BM25, that of Rocchio its dense search, that of
a hybrid the best of its component systems. The p-values are of paired, two-sided t-tests over the queries: on average precision
for feedback, on nDCG@10 for hybrids, with the 95 % interval of the difference.

Tuned weights are cross-validated: those of a fold of queries are the best of the other nine. Pairs of runs of TREC DL 2021, by
words and by stronger models, have no documents here; they are fused as hybrid_search does, 100 deep.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import bm25s
import psycopg
import pytrec_eval
import Stemmer
from scipy.stats import ttest_rel

from benchmarks.common import collection, data, dsn, server, tell
from stcollection.corpus.load import load
from stcollection.qrels.load import JudgmentOptions, import_qrels
from stcollection.runs.load import import_runs
from stcollection.topics.load import load as load_topics
from stcollection.vectors.embed import embed
from stcollection.vectors.npy import load_npy
from stcollection.vectors.queries import embed_queries

# SQL of each system for a query q (vector v.v) at depth 1,000, and the systems it is compared with.
SEARCHES: dict[str, tuple[str, tuple[str, ...]]] = {
    "boolean": ("boolean_search(q.text, 1000)", ()),
    "bm25": ("bm25_search(q.text, 1000)", ()),
    "rm3": ("rm3_search(q.text, 1000)", ("bm25",)),
    "rm3, Anserini's estimate": ("rm3_search(q.text, 1000, estimate => 'anserini')", ("bm25",)),
    "dense-title": ("dense_search(v.v, 1000, 'title')", ()),
    "dense-abstract": ("dense_search(v.v, 1000, 'abstract')", ()),
    "dense-content": ("dense_search(v.v, 1000, 'content')", ()),
    "abstract, else title": ("stc.dense_document_search(v.v, 1000)", ()),
    "rocchio-abstract": ("rocchio_search(v.v, 1000, 'abstract')", ("dense-abstract",)),
    "hybrid": ("hybrid_search(q.text, 1000, v.v)", ("bm25", "abstract, else title")),
    "hybrid of equal weights": (
        'hybrid_search(q.text, 1000, v.v, weights => \'{"bm25": 1, "document": 1}\')',
        ("bm25", "abstract, else title"),
    ),
    "hybrid by reciprocal ranks": ("hybrid_search(q.text, 1000, v.v, method => 'rrf')", ("bm25", "abstract, else title")),
    "hybrid with content": ("hybrid_search(q.text, 1000, v.v, '{bm25,content}')", ("bm25", "dense-content")),
}
Values = dict[str, tuple[float, float, float]]
# Weights of the second system of a hybrid; the first has 1.
EQUAL, DEFAULT = 1.0, 1.5
# Runs of TREC DL 2021 by words and by vectors, dense or sparse.
PAIRS = (
    ("paug_bm25", "p_tct0"),
    ("paug_bm25", "TUW_TAS-B_ANN"),
    ("p_bm25rm3", "TUW_TAS-B_ANN"),
    ("paug_bm25", "TUW_DR_Base"),
    ("paug_bm25", "p_unicoil0"),
)


@dataclass(frozen=True)
class Collection:
    """A collection. :param wanted: nDCG@10 that BM25 must reach. :param vectors: files with vectors; None embeds all fields."""

    name: str
    documents: str
    topics: str
    qrels: str
    wanted: float
    topic_field: str = "title"
    grades: dict[int, int] | None = None
    vectors: tuple[str, str] | None = None


COLLECTIONS = (
    Collection("Cranfield", "cranfield/cran.all.1400", "cranfield/cran.qry", "cranfield/cranqrel", 0.360,
               grades={1: 4, 2: 3, 3: 2, 4: 1, -1: 0}),
    Collection("NPL", "npl/doc-text.trec", "npl/query-text.trec", "npl/qrels", 0.434),
    Collection("CACM", "cacm/cacm.all", "cacm/query.text", "cacm/qrels.text", 0.486),
    Collection("ACM-CR contexts", "acm-cr/acmcr.dblp-v12.json.zst", "acm-cr/contexts.topics", "acm-cr/contexts.qrels", 0.282,
               topic_field="desc", vectors=("acm-cr/abstract_v.f16.npy", "acm-cr/abstract_ids.npy")),
)  # fmt: skip


def main() -> None:
    with server() as at:
        for one in COLLECTIONS:
            with collection(at, "bench_quality") as settings, psycopg.connect(dsn(settings), autocommit=True) as conn:
                fill(conn, dsn(settings), one, data())
                compare(conn, one)
        with collection(at, "bench_quality") as settings, psycopg.connect(dsn(settings), autocommit=True) as conn:
            fuse_pairs(conn, data() / "trec-dl" / "dl21")


def fill(
    conn: psycopg.Connection, where: str, one: Collection, folder: Path, fields: Sequence[str] = ("title", "abstract", "content")
) -> None:
    """Load, index and embed. :param fields: fields to embed if the collection has no vectors."""
    load(where, [str(folder / one.documents)])
    conn.execute("CALL stc.index_text()")
    load_topics(conn, [folder / one.topics], field=one.topic_field, on_duplicate="first")
    import_qrels(conn, folder / one.qrels, edition="all", options=JudgmentOptions(grades=one.grades))
    if one.vectors is None:
        embed(conn, fields=fields)
    else:
        load_npy(conn, vectors=folder / one.vectors[0], ids=folder / one.vectors[1], field="abstract")
    embed_queries(conn)


def compare(conn: psycopg.Connection, one: Collection) -> None:
    """Print the values of each system and its peer."""
    found: dict[str, Values] = {}
    rivals = lucene(conn)
    for system, (search, parts) in SEARCHES.items():
        try:
            found[system] = ours = values(conn, system, search)
        except psycopg.errors.DatabaseError as error:
            if error.sqlstate != "IR405":  # NPL has no titles; ACM-CR has only vectors of abstracts
                raise
            print(f"{one.name}, {system}: {error.diag.message_primary}")
            continue
        what = f"{one.name}, {system}: nDCG@10 / MAP / R@100"
        if system == "bm25":
            peer = f"bm25s {rivals[0]:.3f} / {rivals[1]:.3f} / {rivals[2]:.3f}"
            tell(what, written(ours), peer, means(ours)[0] / rivals[0], f"at least {one.wanted}")
        elif parts:
            column = 0 if system.startswith("hybrid") else 1
            best = max(parts, key=lambda part: means(found[part])[column])
            ratio = means(ours)[column] / means(found[best])[column]
            tell(
                what,
                written(ours),
                f"{best} {written(found[best])}",
                ratio,
                f"higher {('nDCG@10', 'MAP')[column]}; {difference(ours, found[best], column)}",
            )
        else:
            tell(what, written(ours))
    tune(conn, one.name, ("bm25", "abstract, else title"), found)


def tune(conn: psycopg.Connection, name: str, runs: tuple[str, str], found: dict[str, Values]) -> None:
    """Print the cross-validated nDCG@10 of weights tuned on the same collection, and that of the better run."""
    best = max(runs, key=lambda run: means(found[run])[0])
    rows = conn.execute(
        "SELECT query, value FROM stc.fusion_folds(%s, 'all', 'ndcg', 10, 'sum', 'zscore', 20, '{60}', 1000, 10)"
        " WHERE query IS NOT NULL",
        [[*runs]],
    )
    tuned: Values = {query: (value, 0.0, 0.0) for query, value in rows}
    beside(f"{name}, weights tuned in 10 folds", tuned, best, found[best])


def beside(what: str, ours: Values, best: str, peer: Values) -> None:
    """Print the nDCG@10 of a fusion and of the better run."""
    mean, other = means(ours)[0], means(peer)[0]
    tell(f"{what}: nDCG@10", f"{mean:.3f}", f"{best} {other:.3f}", mean / other, difference(ours, peer, 0))


def fuse_pairs(conn: psycopg.Connection, folder: Path) -> None:
    """Compare hybrids of runs with the better run."""
    for _ in import_runs(conn, [folder / "runs" / f"{run}.gz" for run in sorted({run for pair in PAIRS for run in pair})]):
        pass
    import_qrels(conn, folder / "nist.qrels", edition="all")
    for pair in PAIRS:
        found = {run: scored(conn, run) for run in pair}
        best = max(pair, key=lambda run: means(found[run])[0])
        for what, weight in (("hybrid of equal weights", EQUAL), ("hybrid", DEFAULT)):
            weights = json.dumps({pair[0]: 1, pair[1]: weight})
            conn.execute("SELECT FROM fuse_runs('fused', %s, 'sum', 'zscore', %s, replace => true)", [[*pair], weights])
            beside(f"DL 2021, {' + '.join(pair)}, {what}", scored(conn, "fused"), best, found[best])
        tune(conn, f"DL 2021, {' + '.join(pair)}", pair, found)


def values(conn: psycopg.Connection, run: str, search: str) -> Values:
    """Make a run, and return its nDCG@10, average precision and recall@100 by judged query. :param search: SQL."""
    conn.execute("DELETE FROM st1_runs WHERE run = %s", [run])
    conn.execute("INSERT INTO st1_runs (run, tag) VALUES (%s, %s)", [run, run])
    conn.execute(
        "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score)"
        " SELECT (SELECT id FROM st1_runs WHERE run = %s), q.id, s.doc, s.rank, s.score"
        f" FROM st1_queries q JOIN query_v v ON v.text = q.text AND v.model = 'minilm', LATERAL {search} s",
        [run],
    )
    return scored(conn, run)


def scored(conn: psycopg.Connection, run: str) -> Values:
    """Return nDCG@10, average precision and recall@100 of a stored run by judged query."""
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


def difference(ours: Values, peer: Values, column: int) -> str:
    """Return the mean difference over the queries, its 95 % interval, and the p-value of the paired, two-sided t-test."""
    queries = sorted(peer)
    test = ttest_rel([ours[query][column] for query in queries], [peer[query][column] for query in queries])
    low, high = test.confidence_interval()
    return f"{means(ours)[column] - means(peer)[column]:+.3f} [{low:+.3f}, {high:+.3f}], p = {test.pvalue:.2g}"


def lucene(conn: psycopg.Connection, depth: int = 1000) -> tuple[float, float, float]:
    """Return the means of bm25s, computed by pytrec_eval."""
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

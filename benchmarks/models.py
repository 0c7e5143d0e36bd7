"""What a choice of model costs: time to embed by the size of the model, and the effect of truncated vectors on real collections.

Speed depends on the layers and their width, not on the weights, so models of the sizes of BERT are made with random weights. They
embed abstracts of ACM-CR in single precision; the peer is all-MiniLM-L6-v2, in the same rounds.

all-MiniLM-L6-v2 was not trained for truncation (Matryoshka), so the losses are those of such a model. The peer is the same model at
full length; p is of paired, two-sided t-tests over the queries on nDCG@10. Searches are exact.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from functools import partial
from pathlib import Path

import psycopg
import pytrec_eval
from scipy.stats import ttest_rel

from benchmarks.common import collection, data, dsn, records, server, tell, timed
from benchmarks.embedding import rate, rounds
from benchmarks.quality import COLLECTIONS, Collection
from stcollection.corpus.load import load
from stcollection.qrels.load import JudgmentOptions, import_qrels
from stcollection.topics.load import load as load_topics
from stcollection.vectors.embed import embed
from stcollection.vectors.model import Embedder, EncoderOptions, packaged
from stcollection.vectors.model import load as load_model
from stcollection.vectors.npy import load_npy
from stcollection.vectors.queries import embed_queries

# Layers, width and heads of encoders like BERT, with models of this size.
SIZES = {
    "6 x 384 (all-MiniLM-L6-v2)": (6, 384, 12),
    "12 x 384 (bge-small, e5-small)": (12, 384, 12),
    "12 x 768 (e5-base, arctic-embed-m)": (12, 768, 12),
    "24 x 1024 (bge-large, e5-large)": (24, 1024, 16),
}
TEXTS = 24
DIMENSIONS = (384, 256, 128, 64)
TRUNCATED = ("Cranfield", "CACM", "ACM-CR contexts")


def main() -> None:
    speed()
    with server() as at:
        for one in (one for one in COLLECTIONS if one.name in TRUNCATED):
            with collection(at, "bench_truncation") as settings, psycopg.connect(dsn(settings), autocommit=True) as conn:
                fill(conn, dsn(settings), one)
                compare(conn, one)


def speed() -> None:
    """Compare the speed of models of several sizes."""
    texts = [abstract(json.loads(record)["indexed_abstract"]["InvertedIndex"]) for record in records(TEXTS, 500)]
    load_model()  # before torch is imported, since it configures how OpenMP threads wait
    with tempfile.TemporaryDirectory() as folder:
        made = {name: sized(Path(folder) / str(number), *size) for number, (name, size) in enumerate(SIZES.items())}
        seconds, _ = rounds({name: partial(one.encode, texts) for name, one in made.items()})
    first = next(iter(SIZES))
    for name, spent in seconds.items():
        ratio = statistics.median(a / b for a, b in zip(seconds[first], spent, strict=True))
        tell(f"{name}: abstracts a second", rate(texts, spent), rate(texts, seconds[first]), ratio)


def abstract(places: dict[str, list[int]]) -> str:
    """Return the text of an abstract. :param places: positions of each word."""
    return " ".join(word for _, word in sorted((at, word) for word, words in places.items() for at in words))


def sized(folder: Path, layers: int, width: int, heads: int) -> Embedder:
    """Make a model of a size, with random weights and the tokenizer of the default model."""
    from sentence_transformers import SentenceTransformer, models
    from transformers import AutoTokenizer, BertConfig, BertModel

    config = BertConfig(num_hidden_layers=layers, hidden_size=width, num_attention_heads=heads, intermediate_size=4 * width)
    BertModel(config).save_pretrained(folder / "bert")
    AutoTokenizer.from_pretrained(packaged(), local_files_only=True).save_pretrained(folder / "bert")
    layer = models.Transformer(str(folder / "bert"), max_seq_length=256)
    model = SentenceTransformer(modules=[layer, models.Pooling(width)], device="cpu")
    return Embedder(model, name="sized", short="sized", revision=None, options=EncoderOptions(precision="fp32"))


def fill(conn: psycopg.Connection, where: str, one: Collection) -> None:
    """Load a collection, embed it, and truncate its vectors as EncoderOptions(dimensions=…) does."""
    folder = data()
    load(where, [str(folder / one.documents)])
    load_topics(conn, [folder / one.topics], field=one.topic_field, on_duplicate="first")
    import_qrels(conn, folder / one.qrels, edition="judged", options=JudgmentOptions(grades=one.grades))
    if one.vectors is None:
        embed(conn, fields=["abstract"])
    else:
        load_npy(conn, vectors=folder / one.vectors[0], ids=folder / one.vectors[1], field="abstract")
    embed_queries(conn)
    for dim in DIMENSIONS:
        conn.execute("SELECT stc.add_vector_model(%s, 'all-MiniLM-L6-v2', %s)", [f"d{dim}", dim])
        conn.execute(
            f"INSERT INTO dblp_v_d{dim} (id, abstract_v) SELECT id, l2_normalize(subvector(abstract_v, 1, {dim})) FROM dblp_v"
            " WHERE abstract_v IS NOT NULL;"
            f"INSERT INTO query_v (model, text, v)"
            f" SELECT 'd{dim}', text, l2_normalize(subvector(v, 1, {dim})) FROM query_v WHERE model = 'minilm'"
        )


def compare(conn: psycopg.Connection, one: Collection) -> None:
    """Search with each number of dimensions, and compare."""
    judged: dict[str, dict[str, int]] = {}
    for query, docno, rel in conn.execute("SELECT query, docno, rel FROM judgments"):
        judged.setdefault(query, {})[docno] = rel
    measured = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.10"})
    whole: list[float] = []
    for dim in DIMENSIONS:
        conn.execute(f"ANALYZE dblp_v_d{dim}")
        rankings: dict[str, dict[str, float]] = {query: {} for query in judged}
        rows = conn.execute(
            "SELECT q.query, d.docno, s.score FROM st1_queries q JOIN query_v v ON v.text = q.text AND v.model = %(model)s"
            " CROSS JOIN LATERAL dense_search(v.v, 100, 'abstract', %(model)s, effort => 0) s JOIN dblp d ON d.id = s.doc"
            " WHERE q.query = ANY (%(queries)s)",
            {"model": f"d{dim}", "queries": list(judged)},
        )
        for query, docno, score in rows:
            rankings[query][docno] = score
        scores = measured.evaluate(rankings)
        values = [scores[query]["ndcg_cut_10"] for query in sorted(scores)]
        whole = whole or values
        search = "SELECT count(*) FROM query_v v, LATERAL dense_search(v.v, 100, 'abstract', %s, effort => 0) WHERE v.model = %s"
        seconds = [timed(lambda: conn.execute(search, [f"d{dim}", f"d{dim}"])) for _ in range(5)]  # noqa: B023
        [(queries, size)] = conn.execute(
            "SELECT (SELECT count(*) FROM query_v WHERE model = %s), pg_total_relation_size(%s)", [f"d{dim}", f"dblp_v_d{dim}"]
        ).fetchall()
        p = "" if values is whole else f", p {ttest_rel(whole, values).pvalue:.4f}"
        ms = 1000 * statistics.median(seconds) / queries
        tell(
            f"{one.name}, {dim} dimensions: nDCG@10{p}; ms, MB",
            f"{statistics.mean(values):.4f}; {ms:.2f}, {size / 1e6:.2f}",
            f"{statistics.mean(whole):.4f}",
        )


if __name__ == "__main__":
    main()

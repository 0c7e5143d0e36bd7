"""A small collection with words and vectors at random, and queries whose answers must not depend on the number of servers."""

from __future__ import annotations

import json

import numpy as np
import psycopg
from psycopg import sql

from stcollection.vectors.queries import notation
from tests.vectors.worlds import clustered

DOCUMENTS = 240
_WORDS = ("voice", "assistant", "privacy", "home", "model", "learning", "graph", "river", "gender", "text", "search", "query",
          "index", "vector", "rank", "score")  # fmt: skip
_TABLES = ("dblp", "dblp_text", "dblp_facts", "dblp_v", "dblp_passages", "dblp_p", "stc.citation_ranks",
           "stc.st1_complexity_metrics", "stc.text_lengths", "stc.text_lexemes", "qrels_judgments", "stc.st1_rankings")  # fmt: skip
_QUERIES = ("voice", "voice privacy", '"voice assistant"', "+river -graph text", "voice OR river", "assist* home", "title:gender",
            "voice assistant privacy home model learning")  # fmt: skip
_SYSTEMS = ("boolean", "conjunctive", "bm25", "rm3", "dense-title", "dense-abstract", "dense-passage", "rocchio-title", "hybrid")
_FILTERS = ('{"year": [2005, 2012]}', '{"text": "privacy"}', '{"textstat_fkgl": [5, 12]}', '{"citation_percentile": [40, null]}',
            '{"venue": ["SIGIR"]}', '{"age": [2, 9]}', '{"docnos": ["d007", "d011", "d013"]}',
            '{"judged": "train", "query": "T1.1"}', '{"judged": false}', '{"citations_per_year": [1, null]}')  # fmt: skip

Answers = dict[str, list[tuple[object, ...]]]


def fill(conn: psycopg.Connection) -> None:
    """Store documents with everything that is computed from them, a query, judgments, and a run."""
    rng = np.random.default_rng(7)
    vectors = clustered(DOCUMENTS + 1, seed=5, clusters=8)
    vectors[20] = vectors[10]  # equal distances, resolved by docno
    texts = [" ".join(rng.choice(_WORDS, size=size)) for size in rng.integers(4, 30, size=DOCUMENTS + 1)]
    with conn.transaction(), conn.cursor() as cursor:
        for doc in range(1, DOCUMENTS + 1):
            record = {"year": 2000 + doc % 20, "n_citation": int(rng.integers(0, 90)), "venue": ["SIGIR", "CHI", "VLDB"][doc % 3],
                      "references": [f"d{doc // 2:03}", f"d{doc * 2:03}", "elsewhere"]}  # fmt: skip
            cursor.execute("INSERT INTO dblp (id, docno, doc) VALUES (%s, %s, %s)", [doc, f"d{doc:03}", json.dumps(record)])
            abstract = texts[doc] if doc % 5 else None
            cursor.execute("INSERT INTO dblp_text (id, title, abstract) VALUES (%s, %s, %s)", [doc, texts[-doc][:40], abstract])
            cursor.execute(
                "INSERT INTO dblp_v (id, title_v, abstract_v) VALUES (%s, %s::vector, %s::vector)",
                [doc, notation(vectors[doc]), notation(vectors[-doc]) if abstract else None],
            )
            cursor.execute(
                "INSERT INTO st1_complexity_metrics (id, textstat_fkgl, read_tok) VALUES (%s, %s, 9)", [doc, float(doc % 17)]
            )
            if abstract:
                cursor.execute("INSERT INTO dblp_passages (doc, position, text) VALUES (%s, 1, %s) RETURNING id", [doc, abstract])
                cursor.execute(
                    "INSERT INTO dblp_p (id, passage_v) VALUES (currval('dblp_passages_id_seq'), %s::vector)",
                    [notation(vectors[doc])],
                )
        cursor.execute("INSERT INTO st1_topics (topic) VALUES ('T1')")
        cursor.execute("INSERT INTO stc.st1_queries (query, topic, text) SELECT 'T1.1', id, 'voice privacy' FROM st1_topics")
        cursor.execute("INSERT INTO qrels_editions (edition) VALUES ('train')")
        cursor.execute(
            "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT e.id, q.id, d.id, d.id % 3"
            " FROM qrels_editions e, st1_queries q, dblp d WHERE d.id <= 60"
        )
        cursor.execute("INSERT INTO st1_runs (run) VALUES ('mine')")
        cursor.execute(
            "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score) SELECT r.id, q.id, d.id, d.id, 100 - d.id"
            " FROM st1_runs r, st1_queries q, dblp d WHERE d.id <= 50"
        )
        cursor.execute("INSERT INTO stc.vector_models (model, name, dim, relation) VALUES ('minilm', 'a', 384, 'dblp_v')")
        cursor.execute(
            "INSERT INTO query_v (model, text, v) VALUES ('minilm', 'voice privacy', %s::vector)", [notation(vectors[3])]
        )
    conn.execute("SELECT stc.rank_citations(2)")
    conn.execute("CALL stc.index_text()")


def answers(conn: psycopg.Connection) -> Answers:
    """Return counts, views, scores, and the results of searches, by name of the query."""
    found: Answers = {}

    def ask(statement: str, *parameters: object) -> None:
        found[f"{statement} {parameters}"] = conn.execute(statement.encode(), parameters).fetchall()

    for table in _TABLES:
        identifier = sql.Identifier(*table.split("."))
        found[table] = conn.execute(sql.SQL("SELECT count(*) FROM {}").format(identifier)).fetchall()
    ask("SELECT count(*), sum(year), min(title) FROM documents")
    ask("SELECT docno, rank, rel_score FROM rankings ORDER BY rank")
    ask("SELECT docno, rel FROM judgments ORDER BY docno")
    ask("SELECT * FROM evaluate('{mine}', 'train')")
    ask("SELECT * FROM credibility ORDER BY id")
    ask("SELECT * FROM credibility WHERE id = 7")
    ask("SELECT * FROM document_measures ORDER BY id")
    ask("SELECT * FROM document_measures WHERE id = 7")
    ask("SELECT * FROM dblp_citations ORDER BY doc, cited_docno")
    ask("SELECT cited FROM dblp_citations WHERE doc = 7 ORDER BY cited")
    ask("SELECT c.doc, t.title FROM dblp_citations c JOIN dblp_text t ON t.id = c.cited ORDER BY c.doc, t.title")
    ask("SELECT * FROM corpus_references ORDER BY doc, cited")
    ask("SELECT * FROM citation_counts ORDER BY id")
    for by in (None, "year", "venue"):
        ask("SELECT * FROM measure_quantiles('textstat_fkgl', %s)", by)
    ask("SELECT * FROM rank_correlations('{textstat_fkgl,citations,age}')")
    ask("""SELECT * FROM stc.coverage_counts('[["voice", "privacy"], ["river"], ["absent"]]')""")
    ask("SELECT * FROM stc.coverage_words('{5,9,20}')")
    for query in _QUERIES:
        ask("SELECT * FROM boolean_search(%s, 15)", query)
        ask("SELECT * FROM bm25_search(%s, 15, engine => 'portable')", query)
        ask("SELECT * FROM stc.search_page(%s, 'bm25', 5)", query)
    asked = notation(clustered(3, seed=11, clusters=2)[0])
    for field in ("title", "abstract"):
        for k in (1, 10, 400):
            ask("SELECT * FROM dense_search(%s::vector, %s, %s, effort => 0)", asked, k, field)
    ask("SELECT * FROM knn(%s::vector, 10, 'passage', effort => 0)", asked)
    for aggregate in ("max", "mean", "top3"):
        ask("SELECT * FROM passage_search(%s::vector, 10, %s, effort => 0)", asked, aggregate)
    ask("SELECT * FROM rocchio_search(%s::vector, 10)", asked)
    ask("SELECT * FROM document_neighbours(10, 5, effort => 0)")
    ask("SELECT * FROM rm3_search('voice river', 10, engine => 'portable')")
    ask("SELECT * FROM rm3_search('voice river', 10, '{\"year\": [2005, null]}', engine => 'portable', estimate => 'anserini')")
    ask("SELECT * FROM hybrid_search('voice privacy', 20, %s::vector, rankers => '{boolean,title,abstract}')", asked)
    for wanted in _FILTERS:
        ask("SELECT * FROM boolean_search('voice', 10, %s)", wanted)
        ask("SELECT * FROM bm25_search('voice river', 10, %s, 'portable')", wanted)
        ask("SELECT * FROM dense_search(%s::vector, 10, 'title', filter => %s, effort => 0)", asked, wanted)
    return found


def made(conn: psycopg.Connection) -> Answers:
    """Return what functions that store runs and judgments store, and what they compute from these; the changes are rolled back."""
    found: Answers = {}

    def ask(statement: str) -> None:
        found[statement] = conn.execute(statement.encode()).fetchall()

    with conn.transaction(force_rollback=True):
        for system in _SYSTEMS:
            ask(f"SELECT * FROM make_run('{system}', '{system}', 40)")
        ask("""SELECT * FROM make_run('judged', 'bm25', 40, filter => '{"judged": "train"}')""")
        ask("SELECT * FROM fuse_runs('fused', '{bm25,dense-title}')")
        ask("""SELECT * FROM combine_run('combined', 'bm25', '{"relevance": 0.8, "textstat_fkgl": 0.2}')""")
        ask("SELECT run, query, docno, rank, rel_score FROM rankings ORDER BY run, query, rank")
        ask("SELECT * FROM stc.run_ranking('bm25', passages => true)")
        ask("SELECT * FROM tune_fusion('{bm25,dense-title}', 'train', steps => 4)")
        ask("SELECT * FROM combine_tune('bm25', 'train', steps => 4)")
        ask("SELECT * FROM evaluate('{fused,combined,rm3,dense-passage}', 'train') ORDER BY run, query")
        ask("SELECT * FROM run_readability('{bm25,rm3}') ORDER BY run")
        ask("SELECT * FROM document_means('{bm25}', 'train', '{textstat_fkgl,age}') ORDER BY query, measure")
        ask("SELECT * FROM retrieved('{bm25,rm3}', 'T1.1', 'train')")
        ask("SELECT copied, added, sources, without_vector FROM expand_qrels('train', 'near', 5, 0.5)")
        ask("SELECT docno, rel, origin FROM judgments WHERE edition = 'near' ORDER BY docno, rel")
        ask("SELECT * FROM edition_rules('near')")
        ask("SELECT * FROM pareto_front('voice privacy', 20, system => 'bm25')")
        ask("""SELECT * FROM pareto_front('T1.1', run => 'bm25', filter => '{"judged": "train"}')""")
        conn.execute("DROP TABLE IF EXISTS pg_temp.incoming")
        conn.execute('CREATE TEMP TABLE incoming (line bigint, query text, docno text COLLATE "C")')
        named = "SELECT d, 'T1.' || d % 3, 'd' || lpad(d::text, 3, '0') FROM generate_series(1, 250) d"
        conn.execute(f"INSERT INTO pg_temp.incoming {named}".encode())
        ask("SELECT * FROM stc.resolve_incoming('a.run', 'skip', 'stub')")
        ask("SELECT id, docno FROM pg_temp.incoming_docs ORDER BY id")
    return found


def differing(before: Answers, after: Answers) -> list[str]:
    """Return the names of queries whose rows differ. Numbers may differ by 1e-6: the order of a sum depends on the servers."""
    return [name for name, rows in before.items() if not _equal(rows, after[name])]


def _equal(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= 1e-6
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    return one == other

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
_TABLES = ("dblp", "dblp_text", "dblp_facts", "dblp_v", "dblp_passages", "dblp_p", "st1_complexity_metrics", "stc.citation_ranks",
           "stc.text_lengths", "stc.text_lexemes", "qrels_judgments", "st1_rankings")  # fmt: skip
_QUERIES = ("voice", "voice privacy", '"voice assistant"', "+river -graph text", "voice OR river", "assist* home", "title:gender",
            "voice assistant privacy home model learning")  # fmt: skip
_FILTERS = ('{"year": [2005, 2012]}', '{"text": "privacy"}', '{"textstat_fkgl": [5, 12]}', '{"citation_percentile": [40, null]}',
            '{"venue": ["SIGIR"]}', '{"age": [2, 9]}', '{"docnos": ["d007", "d011", "d013"]}')  # fmt: skip

Answers = dict[str, list[tuple[object, ...]]]


def fill(conn: psycopg.Connection) -> None:
    """Store documents with everything that is computed from them, a query, judgments, and a run."""
    rng = np.random.default_rng(7)
    vectors = clustered(DOCUMENTS + 1, seed=5, clusters=8)
    vectors[20] = vectors[10]  # equal distances, resolved by docno
    texts = [" ".join(rng.choice(_WORDS, size=size)) for size in rng.integers(4, 30, size=DOCUMENTS + 1)]
    with conn.transaction(), conn.cursor() as cursor:
        for doc in range(1, DOCUMENTS + 1):
            record = {"year": 2000 + doc % 20, "n_citation": int(rng.integers(0, 90)), "venue": ["SIGIR", "CHI", "VLDB"][doc % 3]}
            cursor.execute("INSERT INTO dblp (id, docno, doc) VALUES (%s, %s, %s)", [doc, f"d{doc:03}", json.dumps(record)])
            abstract = texts[doc] if doc % 5 else None
            cursor.execute("INSERT INTO dblp_text (id, title, abstract) VALUES (%s, %s, %s)", [doc, texts[-doc][:40], abstract])
            cursor.execute(
                "INSERT INTO dblp_v (id, title_v, abstract_v) VALUES (%s, %s::vector, %s::vector)",
                [doc, notation(vectors[doc]), notation(vectors[-doc]) if abstract else None],
            )
            cursor.execute("INSERT INTO st1_complexity_metrics (id, textstat_fkgl) VALUES (%s, %s)", [doc, float(doc % 17)])
            if abstract:
                cursor.execute("INSERT INTO dblp_passages (doc, position, text) VALUES (%s, 1, %s) RETURNING id", [doc, abstract])
                cursor.execute(
                    "INSERT INTO dblp_p (id, passage_v) VALUES (currval('dblp_passages_id_seq'), %s::vector)",
                    [notation(vectors[doc])],
                )
        cursor.execute("INSERT INTO st1_topics (topic) VALUES ('T1')")
        cursor.execute("INSERT INTO st1_queries (query, topic, text) SELECT 'T1.1', id, 'voice privacy' FROM st1_topics")
        cursor.execute("INSERT INTO qrels_editions (edition) VALUES ('train')")
        cursor.execute(
            "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT e.id, q.id, d.id, d.id % 3"
            " FROM qrels_editions e, st1_queries q, dblp d WHERE d.id <= 60"
        )
        cursor.execute("INSERT INTO st1_runs (run) VALUES ('mine')")
        cursor.execute(
            "INSERT INTO st1_rankings (run, query, doc, rank, rel_score) SELECT r.id, q.id, d.id, d.id, 100 - d.id"
            " FROM st1_runs r, st1_queries q, dblp d WHERE d.id <= 50"
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
    for query in _QUERIES:
        ask("SELECT * FROM boolean_search(%s, 15)", query)
        ask("SELECT * FROM bm25_search(%s, 15, engine => 'portable')", query)
    asked = notation(clustered(3, seed=11, clusters=2)[0])
    for field in ("title", "abstract"):
        for k in (1, 10, 400):
            ask("SELECT * FROM dense_search(%s::vector, %s, %s, effort => 0)", asked, k, field)
    ask("SELECT * FROM knn(%s::vector, 10, 'passage', effort => 0)", asked)
    ask("SELECT * FROM hybrid_search('voice privacy', 20, %s::vector, rankers => '{boolean,title,abstract}')", asked)
    for wanted in _FILTERS:
        ask("SELECT * FROM boolean_search('voice', 10, %s)", wanted)
        ask("SELECT * FROM bm25_search('voice river', 10, %s, 'portable')", wanted)
        ask("SELECT * FROM dense_search(%s::vector, 10, 'title', filter => %s, effort => 0)", asked, wanted)
    return found

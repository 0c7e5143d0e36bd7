"""A collection for tests of backups: rows of every kind, and documents that only a ranking refers to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import zstandard

from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.text.configure import configure
from stcollection.text.index import index
from tests.vectors.worlds import clustered, put_vectors

DOCUMENTS = 240
# Documents by the kind of row that refers to them; others are only ranked, or not referenced.
JUDGED = range(1, 21)
SOURCE = 30
POOLED = range(40, 45)
ASKED = 50  # the source of a generated query
GRADED = 60
PREFERRED = 65
COVERED = 70
NEEDED = {*JUDGED, SOURCE, *POOLED, ASKED, GRADED, PREFERRED, COVERED}
RANKED = range(1, 121)

_DOCUMENTS = """
INSERT INTO dblp (id, docno, doc)
SELECT n, n::text, jsonb_build_object('id', n, 'year', 2000 + n %% 20, 'n_citation', n, 'title',
           (ARRAY['voice', 'games', 'women', 'robots', 'privacy', 'news'])[1 + n %% 6] || ' and '
           || (ARRAY['computers', 'networks', 'learning'])[1 + n %% 3] || ' ' || n,
           'license', CASE WHEN n %% 2 = 0 THEN 'CC BY 4.0' WHEN n %% 3 = 0 THEN 'cc0' END)
  FROM generate_series(1, %s) n
"""
_FILL = """
INSERT INTO dblp_text (id, title, abstract)
SELECT d.id, d.doc ->> 'title', CASE WHEN d.id % 3 <> 0 THEN 'A study of ' || (d.doc ->> 'title') || ' at home. It has one.' END
  FROM dblp d;
INSERT INTO dblp_passages (doc, position, text) SELECT id, 1, abstract FROM dblp_text WHERE abstract IS NOT NULL;
INSERT INTO st1_complexity_metrics (id, textstat_fkgl) SELECT id, id / 10.0 FROM dblp_text WHERE abstract IS NOT NULL;
INSERT INTO st1_topics (topic, text, title, article, source, published)
VALUES ('T1', 'An article on ☃ and "quotes"; DROP TABLE dblp;', '☃', E'One.\\n\\nTwo\\ttabs.', 'The Gazette', '2019-05-22');
INSERT INTO stc.st1_queries (query, topic, text, origin, source)
VALUES ('T1.1', 1, 'voice assistants', 'human', NULL), ('T1.2', 1, E'tab\there\\nand back\\\\slash', 'human', NULL),
       ('G1', NULL, 'generated', 't5', 50);
INSERT INTO qrels_editions (edition, split, year) VALUES ('train', 'train', 2023), ('test', 'test', 2024), ('open', NULL, NULL);
INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator)
SELECT e.id, q.id, d.id, (d.id + q.id + e.id) % 3, 'human', 'anna'
  FROM qrels_editions e, st1_queries q, dblp d
 WHERE d.id BETWEEN 1 AND 20 AND q.query <> 'G1' AND (e.edition <> 'open' OR d.id < 5);
INSERT INTO qrels_judgments (edition, query, doc, rel, origin, source_doc, similarity) VALUES (3, 1, 6, 1, 'knn', 30, 0.9);
INSERT INTO qrels_preferences VALUES (3, 1, 'anna', '1', 65, 1);
INSERT INTO qrels_subtopics VALUES (3, 1, '1', 65, 1), (3, 1, '2', 1, 0);
INSERT INTO stc_all.qrels_pools (pool, method) VALUES ('p', 'depth');
INSERT INTO stc_all.qrels_pool_documents (pool, query, doc, position, runs, teams, best_rank)
SELECT 1, 1, id, id - 39, 1, 1, 1 FROM dblp WHERE id BETWEEN 40 AND 44;
INSERT INTO stc_all.annotators VALUES ('ben', 'CS master');
INSERT INTO stc_all.annotations (doc, aspect, annotator, grade) VALUES (60, 'complexity', 'ben', 2);
INSERT INTO stc.query_sets (name, expression, description) VALUES ('mine', 'topic:T1-"G1"', 'of ☃');
INSERT INTO stc.coverages (coverage, text, model, docs) VALUES ('c', 'voice', 'minilm', '{70}');
INSERT INTO stc.corpus_files (path, format, state, documents) VALUES ('/tmp/dblp.json', 'dblp', 'loaded', 240);
INSERT INTO st1_runs (run, team) VALUES ('one', 'a'), ('two', 'b');
INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score, passage)
SELECT r.id, q.id, d.id, row_number() OVER (PARTITION BY r.id, q.id ORDER BY md5(r.run || q.query || d.id)), 1,
       CASE r.run WHEN 'two' THEN 'Of ' || (d.doc ->> 'title') END
  FROM st1_runs r, st1_queries q, dblp d WHERE d.id <= 120;
CREATE SCHEMA team;
CREATE TABLE team."My notes" (doc bigint REFERENCES dblp (id) ON DELETE CASCADE, note text);
INSERT INTO team."My notes" SELECT id, 'n' || id FROM dblp WHERE id % 10 = 1;
CREATE VIEW team.mine AS SELECT * FROM rankings;
"""


def fill(settings: Settings, folder: Path) -> None:
    """Fill an empty collection."""
    with open_session(conninfo(settings), autocommit=True) as conn:
        conn.execute(_DOCUMENTS.encode(), [DOCUMENTS])
        conn.execute(_FILL.encode())
        title, abstract = clustered(DOCUMENTS, seed=1), clustered(DOCUMENTS, seed=2)
        put_vectors(
            conn,
            title={n: title[n - 1] for n in range(1, DOCUMENTS + 1)},
            abstract={n: abstract[n - 1] for n in range(1, DOCUMENTS + 1) if n % 3},
        )
        conn.execute("SELECT stc.rank_citations(1)")
        if settings.embedded:
            words = folder / "words.ths"
            words.write_text("personal computer : computers\n", encoding="utf-8")
            configure(conn, settings, name="home", thesaurus=str(words))
        index(conn, config="home" if settings.embedded else "english", k1=0.9, b=0.4)
        conn.execute("CALL stc.index_vectors('title', lists => 4, effort => 2)")
        conn.execute(
            "CALL stc.index_vectors('abstract', kind => 'hnsw', half => true, m => 6, ef_construction => 40, effort => 30)"
        )
        conn.execute("UPDATE stc.vector_indexes SET recall = 0.98, recall_k = 10, audited = now() WHERE field = 'title'")
        conn.execute("SELECT seal_edition('train')")
        conn.execute("SELECT stc.hide_edition('test')")
        conn.execute("SELECT ndcg('{}', 'train', 10)")


def leaderboard(settings: Settings, edition: str) -> list[tuple[object, ...]]:
    """Return the scores of each run and query by two measures."""
    with open_session(conninfo(settings), autocommit=True) as conn:
        return conn.execute(
            "SELECT 'ndcg', n.* FROM ndcg('{}', %(e)s, 10) n"
            " UNION ALL SELECT 'ap', a.* FROM average_precision('{}', %(e)s) a ORDER BY 1, 2, 3",
            {"e": edition},
        ).fetchall()


def databases(settings: Settings) -> set[str]:
    """Return the names of all databases of the server."""
    with open_session(conninfo(replace(settings, db="postgres")), autocommit=True) as conn:
        return {name for (name,) in conn.execute("SELECT datname FROM pg_database").fetchall()}


def unpacked_rows(path: Path) -> bytes:
    """Return the content of a file of rows of a dump, uncompressed."""
    return zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes())

"""Columns and joins as the publication prints them, typed in psql, in a collection whose ids are texts."""

from __future__ import annotations

import re

import psycopg
import pytest

from tests import databases
from tests.acceptance.conftest import Stc

pytestmark = pytest.mark.slow
# Documents are named, queries and topics too; d4 has no abstract and d5 is a stub.
FILL = """
INSERT INTO dblp (id, docno, doc, stub)
SELECT n, 'conf/x/d' || n, CASE WHEN n < 5 THEN jsonb_build_object('title', 'T' || n) ELSE '{}' END, n = 5
  FROM generate_series(1, 5) n;
INSERT INTO dblp_text (id, title, abstract) SELECT n, 'T' || n, CASE WHEN n < 4 THEN 'A text.' END FROM generate_series(1, 4) n;
INSERT INTO st1_complexity_metrics (id, nltk_sent, nltk_tok, sent, tok, wordtypes, long_words, wrd_per_sent)
SELECT n, 1, 3 * n, 1, 2 * n, n, n, 2 * n FROM generate_series(1, 3) n;
INSERT INTO st1_topics (topic, text) VALUES ('G01', 'Assistants'), ('G-two', 'Speakers');
INSERT INTO st1_queries (query, topic, text) VALUES ('G01.1', 'G01', 'voice'), ('q:x', 'G-two', 'home'), ('free', NULL, 'none');
INSERT INTO qrels_editions (edition, split) VALUES ('train', 'train');
INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT 1, q.id, n, n % 3 FROM st1_queries q, generate_series(1, 5) n;
INSERT INTO st1_runs (run) VALUES ('bm25'), ('dense');
INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score)
SELECT r.id, q.id, CASE r.run WHEN 'bm25' THEN n ELSE 6 - n END, n, 10 - n
  FROM st1_runs r, st1_queries q, generate_series(1, 5) n;
"""
PRINTED = (
    "sent", "tok", "cmu_tok", "cmu_syl", "cmu_wrd_per_sent", "cmu_syl_per_wrd", "cmu_fkgl", "syl", "read_char", "wordtypes",
    "long_words", "complex_words", "char_per_wrd", "wrd_per_sent", "syl_per_wrd", "type_token_ratio", "nltk_sent", "nltk_tok",
)  # fmt: skip
STATEMENTS = {
    f"SELECT {', '.join(PRINTED)} FROM st1_complexity_metrics WHERE id = 2": "1|4||||||||2|2|||4|||1|6",
    # The names of 0.2.
    "SELECT read_tok, read_wordtypes, read_wrd_per_sent FROM st1_complexity_metrics WHERE id = 2": "4|2|4",
    "SELECT id, wordtypes / tok FROM dblp LEFT JOIN st1_complexity_metrics USING (id) WHERE id > 2 ORDER BY id": "3|0.5\n4|\n5|",
    "SELECT topic, query FROM st1_topics JOIN st1_queries USING (topic) ORDER BY query": "G01|G01.1\nG-two|q:x",
    "SELECT query, count(*) FROM st1_topics JOIN st1_queries USING (topic) JOIN st1_qrels_train USING (topic, query)"
    " GROUP BY 1 ORDER BY 1": "G01.1|5\nq:x|5",
    "SELECT topic, count(*) FROM st1_topics JOIN st1_qrels_train USING (topic) GROUP BY 1 ORDER BY 1": "G-two|5\nG01|5",
    "SELECT text FROM st1_queries WHERE topic = 'G-two'": "home",
    "SELECT run, count(*), sum(rel) FROM st1_rankings JOIN st1_qrels_train USING (query, doc) GROUP BY run ORDER BY run":
        "bm25|15|18\ndense|15|18",
    "SELECT rank, rel FROM st1_rankings JOIN st1_qrels_train USING (query, doc) WHERE (run, query) = ('dense', 'q:x') ORDER BY 1":
        "1|2\n2|1\n3|0\n4|2\n5|1",
    "SELECT run, team IS NULL, doc FROM st1_runs JOIN st1_rankings USING (run) WHERE query = 'free' AND rank = 1 ORDER BY run":
        "bm25|t|1\ndense|t|5",
    "SELECT DISTINCT topic FROM st1_queries JOIN st1_rankings USING (query) WHERE topic IS NOT NULL ORDER BY 1": "G-two\nG01",
    "SELECT docno, tok FROM st1_rankings r JOIN dblp d ON d.id = r.doc LEFT JOIN st1_complexity_metrics USING (id)"
    " WHERE (run, query) = ('dense', 'free') AND rank IN (1, 3)": "conf/x/d5|\nconf/x/d3|6",
    "SELECT q.query, avg(rank) FROM st1_rankings r JOIN st1_queries q ON q.id = r.query_id WHERE rank < 3 GROUP BY 1 ORDER BY 1":
        "G01.1|1.5000000000000000\nfree|1.5000000000000000\nq:x|1.5000000000000000",
}  # fmt: skip
# A misspelt name, and what PostgreSQL answers.
TYPOS = {
    "SELECT long_word FROM st1_complexity_metrics": 'Perhaps you meant to reference the column "st1_complexity_metrics.long_words"',
    "SELECT querry FROM st1_rankings": 'Perhaps you meant to reference the column "st1_rankings.query"',
    "SELECT topics FROM st1_queries": 'Perhaps you meant to reference the column "st1_queries.topic"',
}


@databases.world
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    conn.execute(FILL)
    return conn


def test_every_statement_typed_in_psql(filled: psycopg.Connection, stc: Stc) -> None:
    script = ";\n\\echo --\n".join(STATEMENTS)
    done = stc("db", "psql", "-v", "ON_ERROR_STOP=1", "-At", "-f", "-", stdin=f"{script};\n".encode())
    assert done.returncode == 0, done.stderr
    found = dict(zip(STATEMENTS, (block.strip("\n") for block in done.stdout.split("--\n")), strict=True))
    assert found == STATEMENTS


def test_the_same_from_python(filled: psycopg.Connection) -> None:
    for statement, rows in STATEMENTS.items():
        assert len(filled.execute(statement.encode()).fetchall()) == rows.count("\n") + 1, statement


@pytest.mark.parametrize("statement", TYPOS)
def test_a_typo_gets_a_hint(filled: psycopg.Connection, statement: str) -> None:
    with pytest.raises(psycopg.errors.UndefinedColumn) as error, filled.transaction():
        filled.execute(statement.encode())
    assert TYPOS[statement] in (error.value.diag.message_hint or "")


def test_queries_are_written_by_the_name_of_their_topic(filled: psycopg.Connection) -> None:
    filled.execute("INSERT INTO st1_queries (query, topic) VALUES ('n1', 'G01'), ('n2', NULL) RETURNING id")
    filled.execute("UPDATE st1_queries SET topic = 'G-two' WHERE query = 'G01.1'")
    filled.execute("UPDATE st1_queries SET topic = NULL, text = 'now' WHERE query = 'q:x'")
    filled.execute("UPDATE st1_queries SET topic_id = (SELECT id FROM st1_topics WHERE topic = 'G01') WHERE query = 'n2'")
    filled.execute("DELETE FROM st1_queries WHERE query = 'n1'")
    assert filled.execute("SELECT query, topic, text, origin FROM st1_queries ORDER BY id").fetchall() == [
        ("G01.1", "G-two", "voice", "human"),
        ("q:x", None, "now", "human"),
        ("free", None, "none", "human"),
        ("n2", "G01", None, "human"),
    ]
    for statement, message in (
        ("UPDATE st1_queries SET topic = 'G-tow' WHERE query = 'free'", "there is no topic 'G-tow'"),
        ("INSERT INTO st1_queries (id, query) VALUES (99, 'x')", "cannot get the id 99"),
        ("UPDATE st1_queries SET id = 99 WHERE query = 'free'", "cannot get the id 99"),
    ):
        with pytest.raises(psycopg.Error, match=message), filled.transaction():
            filled.execute(statement.encode())


def test_rankings_are_written_by_names_in_trec_evals_order(filled: psycopg.Connection) -> None:
    filled.execute("INSERT INTO st1_runs (run) VALUES ('mine')")
    filled.execute(
        "INSERT INTO st1_rankings (run, query, doc, rank, rel_score)"
        " SELECT 'mine', q.query, d, d, 1.0 / d FROM st1_queries q, generate_series(1, 4) d"
    )
    filled.execute("UPDATE st1_rankings SET comb_score = .5 WHERE run = 'mine' AND doc = 1")
    filled.execute("UPDATE st1_rankings SET passage = 'A text.' WHERE run = 'mine' AND query = 'free' AND doc = 2")
    filled.execute("DELETE FROM st1_rankings WHERE run = 'mine' AND query = 'q:x' AND rank = 4")
    assert filled.execute(
        "SELECT query, doc, rank, comb_score, passage FROM st1_rankings WHERE run = 'mine' AND query <> 'G01.1' ORDER BY 1, 3"
    ).fetchall() == [
        ("free", 1, 1, 0.5, None),
        ("free", 2, 2, None, "A text."),
        ("free", 3, 3, None, None),
        ("free", 4, 4, None, None),
        ("q:x", 1, 1, 0.5, None),
        ("q:x", 2, 2, None, None),
        ("q:x", 3, 3, None, None),
    ]
    for statement, message in (
        ("INSERT INTO st1_rankings (run, query, doc, rank, rel_score) VALUES ('mien', 'free', 1, 1, 1)", "there is no run 'mien'"),
        ("INSERT INTO st1_rankings (run, query, doc, rank, rel_score) VALUES (3, 'free', 1, 1, 1)", "there is no run '3'"),
        ("INSERT INTO st1_rankings (run, query, doc, rank, rel_score) VALUES ('mine', 'fre', 1, 1, 1)", "there is no query 'fre'"),
        ("INSERT INTO st1_rankings (run, query, doc, rank, rel_score) VALUES ('mine', 'q:x', 5, 5, 0)", "but no rank 4"),
        ("INSERT INTO st1_rankings (run, query, doc, rank, rel_score) VALUES ('mine', 'q:x', 5, 4, 1)", "above 0.33"),
        ("INSERT INTO st1_rankings (run, query, doc, rank, rel_score) VALUES ('mine', 'q:x', 6, 4, 0)", "foreign key"),
        ("UPDATE st1_rankings SET query = 'free' WHERE run = 'mine' AND query = 'q:x'", "cannot move to another"),
    ):
        with pytest.raises(psycopg.Error, match=message), filled.transaction():
            filled.execute(statement.encode())


def plan(conn: psycopg.Connection, query: str) -> tuple[float, str]:
    """The planner's cost of a statement, and its plan."""
    lines = "\n".join(line for (line,) in conn.execute(f"EXPLAIN {query}".encode()).fetchall())
    found = re.search(r"\.\.(\d+\.\d+)", lines)
    assert found is not None
    return float(found[1]), lines


# A statement with names, and the same with the keys of the tables.
PAIRS = {
    "SELECT run, sum(rel) FROM st1_rankings JOIN st1_qrels_train USING (query, doc) GROUP BY run":
        "SELECT n.run, sum(t.rel) FROM stc.st1_rankings r JOIN st1_runs n ON n.id = r.run JOIN stc.st1_queries q ON q.id = r.query"
        " JOIN st1_qrels_train t ON t.query = q.query AND t.doc = r.doc GROUP BY n.run",
    "SELECT rank, rel FROM st1_rankings JOIN st1_qrels_train USING (query, doc) WHERE run = 'r1' AND query = 'm7'":
        "SELECT r.rank, t.rel FROM stc.st1_rankings r JOIN st1_runs n ON n.id = r.run JOIN stc.st1_queries q ON q.id = r.query"
        " JOIN st1_qrels_train t ON t.query = q.query AND t.doc = r.doc WHERE n.run = 'r1' AND q.query = 'm7'",
    "SELECT doc FROM st1_rankings WHERE run = 'r1' AND query = 'm7' ORDER BY rank LIMIT 10":
        "SELECT r.doc FROM stc.st1_rankings r JOIN st1_runs n ON n.id = r.run JOIN stc.st1_queries q ON q.id = r.query"
        " WHERE n.run = 'r1' AND q.query = 'm7' ORDER BY r.rank LIMIT 10",
    "SELECT count(*), avg(rel_score) FROM st1_rankings": "SELECT count(*), avg(rel_score) FROM stc.st1_rankings",
    "SELECT t.text, q.text FROM st1_topics t JOIN st1_queries q USING (topic) WHERE topic = 'm'":
        "SELECT t.text, q.text FROM st1_topics t JOIN stc.st1_queries q ON q.topic = t.id WHERE t.topic = 'm'",
    "SELECT id FROM st1_complexity_metrics WHERE id = 3 AND tok > 2":
        "SELECT id FROM stc.st1_complexity_metrics WHERE id = 3 AND read_tok > 2",
}  # fmt: skip


@pytest.fixture
def many(filled: psycopg.Connection) -> psycopg.Connection:
    """20 runs with 8,000 ranked documents each, and 4,000 judgments."""
    filled.execute("""
        INSERT INTO dblp (id, docno, doc) SELECT 1000 + n, 'many' || n, '{}' FROM generate_series(1, 200) n;
        INSERT INTO st1_topics (topic) VALUES ('m');
        INSERT INTO st1_queries (query, topic) SELECT 'm' || n, 'm' FROM generate_series(1, 40) n;
        INSERT INTO st1_runs (run) SELECT 'r' || n FROM generate_series(1, 20) n;
        INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score)
        SELECT r.id, q.id, d.doc, d.rank, 1000 - d.rank
          FROM st1_runs r, st1_queries q,
               (SELECT id AS doc, row_number() OVER (ORDER BY id) AS rank FROM dblp WHERE docno LIKE 'many%') d
         WHERE r.run ~ '^r' AND q.query ~ '^m';
        INSERT INTO qrels_judgments (edition, query, doc, rel)
        SELECT 1, q.id, d.id, d.id % 3 FROM st1_queries q, dblp d WHERE q.query ~ '^m' AND d.docno LIKE 'many%' AND d.id % 2 = 0;
        ANALYZE
    """)
    assert filled.execute("SELECT count(*) FROM st1_rankings JOIN st1_qrels_train USING (query, doc)").fetchone() == (80_030,)
    return filled


def test_the_plan_is_no_worse_than_with_keys(many: psycopg.Connection, subtests: pytest.Subtests) -> None:
    for named, with_keys in PAIRS.items():
        with subtests.test(named):
            (cost, shown), (before, keyed) = plan(many, named), plan(many, with_keys)
            assert cost <= 1.05 * before + 1, f"{shown}\n{keyed}"
            assert "SubPlan" not in shown

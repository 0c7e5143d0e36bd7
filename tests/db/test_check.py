"""stc db check: rows that keys and triggers would prevent, written while these are off."""

from __future__ import annotations

import json

import psycopg
import pytest
from click.testing import CliRunner

import stcollection
from stcollection.db.check import problems
from stcollection.db.settings import Settings
from tests.groups import db

_DOCUMENTS = "INSERT INTO dblp (id, docno, doc) SELECT i, 'd' || i, '{\"title\": \"On voice\"}' FROM generate_series(1, 9) i"
_TEXTS = "INSERT INTO dblp_text (id, title) SELECT i, 'On voice' FROM generate_series(1, 9) i"


@pytest.fixture
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    conn.execute(_DOCUMENTS)
    conn.execute(_TEXTS)
    conn.execute("CALL stc.index_text()")
    return conn


def _unchecked(conn: psycopg.Connection, *statements: str) -> None:
    """Run statements without triggers and foreign keys."""
    conn.execute("SET session_replication_role = replica")
    for statement in statements:
        conn.execute(statement.encode())
    conn.execute("SET session_replication_role = origin")


def test_a_sound_collection_has_no_problems(filled: psycopg.Connection) -> None:
    assert problems(filled) == []


def test_an_empty_collection_has_no_problems(conn: psycopg.Connection) -> None:
    assert problems(conn) == []


def test_duplicates(filled: psycopg.Connection) -> None:
    filled.execute("ALTER TABLE dblp DROP CONSTRAINT dblp_docno_key")
    filled.execute("ALTER TABLE dblp_passages DROP CONSTRAINT dblp_passages_doc_position_key")
    filled.execute("UPDATE dblp SET docno = 'd1' WHERE id IN (4, 5)")
    filled.execute("UPDATE dblp SET docno = 'd2' WHERE id = 6")
    filled.execute("INSERT INTO dblp_passages (doc, position, text) VALUES (3, 1, 'a'), (3, 1, 'b'), (2, 1, 'c')")
    found = problems(filled)
    assert [one[:4] for one in found] == [("duplicate", "dblp", 2, ["d1", "d2"]), ("duplicate", "dblp_passages", 1, ["3"])]
    assert "docno = 'd1'" in found[0].advice


def test_lists_that_contradict_themselves(filled: psycopg.Connection) -> None:
    filled.execute("INSERT INTO stc.st1_queries (query) SELECT 'q' || g FROM generate_series(1, 9) g")
    filled.execute("INSERT INTO st1_runs (run) VALUES ('a'), ('b'), ('c')")
    wrong = (
        "(1, 1, 1, '{1,2}', '{1,1}'), (1, 1, 4, '{3}', '{1}')",  # a gap
        "(1, 2, 2, '{1}', '{1}')",
        "(1, 3, 1, '{1,1}', '{1,1}')",  # a document twice
        "(1, 4, 1, '{1,2}', '{1,1}'), (1, 4, 3, '{2}', '{1}')",
        "(1, 5, 1, '{1,2}', '{1,1}'), (1, 5, 2, '{3}', '{1}')",  # a rank twice
        "(2, 1, 1, '{1,2}', '{1,2}')",  # a score above the previous one
        "(2, 2, 1, '{1,2}', '{3,2}'), (2, 2, 3, '{3}', '{2.1}')",
    )
    sound = "(3, 1, 1, '{1,2}', '{2,1}'), (3, 1, 3, '{3}', '{1}'), (1, 9, 1, '{1}', '{0}')"
    rows = ", ".join((*wrong, sound))
    _unchecked(filled, f"INSERT INTO stc.ranked_lists (run, query, first, docs, rel_scores) VALUES {rows}")
    [found] = problems(filled)
    assert found[:4] == ("wrong ranks", "st1_rankings", len(wrong), ["a", "b"])
    filled.execute(found.advice.partition("remove the runs: ")[2].encode())
    assert problems(filled) == []


def test_rows_without_their_document(filled: psycopg.Connection) -> None:
    filled.execute("INSERT INTO st1_topics (topic) VALUES ('T')")
    filled.execute("INSERT INTO stc.st1_queries (query, topic) SELECT 'Q', id FROM st1_topics")
    filled.execute("INSERT INTO qrels_editions (edition) VALUES ('train')")
    filled.execute("INSERT INTO st1_runs (run) VALUES ('mine')")
    filled.execute("INSERT INTO dblp_passages (doc, position, text) OVERRIDING SYSTEM VALUE VALUES (9, 1, 'a')")
    _unchecked(
        filled,
        "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT e.id, q.id, 70 + i, 1"
        " FROM qrels_editions e, st1_queries q, generate_series(1, 7) i",
        "INSERT INTO stc.ranked_lists (run, query, first, docs, rel_scores)"
        " SELECT r.id, q.id, 1, '{99}', '{1}' FROM st1_runs r, st1_queries q",
        "INSERT INTO dblp_v (id) VALUES (88)",
        "INSERT INTO dblp_p (id) VALUES (66)",
        "DELETE FROM dblp WHERE id = 9",
    )
    found = {(one.problem, one.relation): one for one in problems(filled)}
    assert {relation: (one.rows, one.examples) for (problem, relation), one in found.items() if problem == "orphan"} == {
        "qrels_judgments": (7, ["71", "72", "73", "74", "75"]),
        "st1_rankings": (1, ["99"]),
        "dblp_v": (1, ["88"]),
        "dblp_p": (1, ["66"]),
        "dblp_passages": (1, ["9"]),
        "dblp_text": (1, ["9"]),
        "dblp_facts": (1, ["9"]),
    }
    assert "DELETE FROM dblp_v WHERE id = ANY ('{88}')" in found["orphan", "dblp_v"].advice
    assert "stc drop runs" in found["orphan", "st1_rankings"].advice
    filled.execute("SELECT drop_runs('{mine}')")
    # The advice repairs it, except judgments, which are append-only.
    for one in found.values():
        if one.problem == "orphan" and one.relation not in ("qrels_judgments", "st1_rankings"):
            filled.execute(one.advice.split("these rows: ")[1].encode())
    assert {one.relation for one in problems(filled) if one.problem == "orphan"} == {"qrels_judgments"}


def test_documents_without_text_or_facts(filled: psycopg.Connection) -> None:
    _unchecked(filled, "DELETE FROM dblp_facts WHERE id = 2", "DELETE FROM dblp_text WHERE id = 3")
    filled.execute("INSERT INTO dblp (id, docno, doc, stub) VALUES (50, 'only named', '{}', true)")
    found = [one[:4] for one in problems(filled) if one.problem == "incomplete"]
    assert found == [("incomplete", "dblp", 2, ["d2", "d3"])]


def test_stale_and_invalid_indexes(filled: psycopg.Connection) -> None:
    filled.execute("INSERT INTO dblp_v (id, title_v) SELECT i, array_fill(i::real, '{384}')::vector FROM generate_series(1, 8) i")
    filled.execute("CALL stc.index_vectors('title')")
    assert problems(filled) == []
    filled.execute("UPDATE dblp_text SET abstract = 'more' WHERE id = 1")
    filled.execute("DELETE FROM dblp_v WHERE id = 8")
    filled.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'dblp_facts_pkey'::regclass")
    found = problems(filled)
    assert [one[:2] for one in found] == [
        ("stale index", "dblp_text"),
        ("stale index", "minilm title"),
        ("invalid index", "dblp_facts"),
    ]
    assert [one.advice for one in found][:2] == [
        "Run 'stc index'.",
        "built from 8 vectors, now 6. Run 'stc vectors index --field title'.",
    ]


def test_the_command_and_the_call(settings: Settings, conn: psycopg.Connection) -> None:
    done = CliRunner().invoke(db, ["check"], obj=settings)
    assert (done.exit_code, done.output) == (0, "no problems\n")
    conn.execute(_DOCUMENTS)
    done = CliRunner().invoke(db, ["check"], obj=settings)
    assert "incomplete" in done.output
    assert "stc drop documents" in done.output
    assert str(done.exception) == f"the collection {settings.db!r} has 1 problem"
    done = CliRunner().invoke(db, ["check", "--format", "json"], obj=settings)
    [row] = json.loads(done.output)
    assert (row["problem"], row["rows"], row["examples"]) == ("incomplete", 9, "d1, d2, d3, d4, d5")
    with stcollection.open(settings.db, dsn=settings.dsn, home=settings.home) as collection:
        assert list(collection.check()["problem"]) == ["incomplete"]
        collection.sql("DELETE FROM dblp")
        assert len(collection.check()) == 0

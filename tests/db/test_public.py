"""The schema public contains documented objects for users; all others are in stc, where only owners create objects."""

from __future__ import annotations

import psycopg
import pytest

OURS = "NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = '{}'::regclass AND d.objid = {}.oid AND d.deptype = 'e')"
RELATIONS = (
    "SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = ANY (%s) AND "
    + OURS.format("pg_class", "c")
    + " ORDER BY 1"
)
# Views with the published names of tables in stc.
PUBLISHED = ["st1_complexity_metrics", "st1_queries", "st1_rankings"]
ROUTINES = "FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND " + OURS.format("pg_proc", "p")


def names(conn: psycopg.Connection, query: str, *parameters: object) -> list[str]:
    return [row[0] for row in conn.execute(query.encode(), parameters or None).fetchall()]


def test_public_is_small(conn: psycopg.Connection) -> None:
    tables, views = names(conn, RELATIONS, ["r", "p"]), names(conn, RELATIONS, ["v", "m"])
    routines = names(conn, f"SELECT p.oid::regprocedure::text {ROUTINES}")
    assert 0 < len(tables) <= 35
    assert 0 < len(views) <= 25
    assert 0 < len(routines) <= 100
    assert {"dblp", "dblp_text", "dblp_v"} <= set(tables)
    assert {"st1_qrels_train", "st1_qrels_train_knn", "documents", "queries", "judgments", "runs", "rankings", "scores"} <= set(
        views
    )
    assert {"dblp_knn_title(vector,numeric,double precision)", "qdblp_v_title(bigint)"} <= set(routines)


def test_everything_in_public_has_a_comment(conn: psycopg.Connection) -> None:
    assert names(conn, f"SELECT p.oid::regprocedure::text {ROUTINES} AND obj_description(p.oid, 'pg_proc') IS NULL") == []
    relations = names(conn, RELATIONS, ["r", "p", "v", "m"])
    assert names(conn, "SELECT r FROM unnest(%s::text[]) r WHERE obj_description(r::regclass, 'pg_class') IS NULL", relations) == []
    assert (
        names(
            conn,
            "SELECT concat(r, '.', a.attname) FROM unnest(%s::text[]) r JOIN pg_attribute a ON a.attrelid = r::regclass"
            " WHERE a.attnum > 0 AND NOT a.attisdropped AND col_description(a.attrelid, a.attnum) IS NULL",
            relations,
        )
        == []
    )


PLAIN = ("documents", "queries", "judgments", "runs", "rankings", "scores")


def test_the_same_column_has_the_same_type_in_all_plain_views(conn: psycopg.Connection) -> None:
    rows = conn.execute(
        "SELECT a.attname, array_agg(DISTINCT concat(format_type(a.atttypid, a.atttypmod), ' ', nullif(a.attcollation,"
        " 0)::regcollation))"
        "  FROM unnest(%s::text[]) r JOIN pg_attribute a ON a.attrelid = r::regclass WHERE a.attnum > 0 GROUP BY 1",
        [list(PLAIN)],
    ).fetchall()
    types: dict[str, list[str]] = {column: found for column, found in rows if column != "origin"}
    assert {column for column, found in types.items() if len(found) > 1} == set()
    for column in ("edition", "run", "query", "docno", "doc"):
        assert column in types


def test_plain_views_agree_with_the_tables(conn: psycopg.Connection) -> None:
    for statement in (
        "INSERT INTO dblp (id, docno, doc, stub) VALUES (1, 'one', '{\"year\": 2001}', false), (2, 'two', '{}', true)",
        "INSERT INTO dblp_text (id, title, abstract) VALUES (1, 'a title', 'an abstract')",
        "INSERT INTO st1_topics (topic) VALUES ('T')",
        "INSERT INTO stc.st1_queries (query, topic, text) VALUES ('q1', 1, 'what is it'), ('q2', NULL, NULL)",
        "INSERT INTO qrels_editions (edition, split) VALUES ('train', 'train')",
        "INSERT INTO qrels_judgments (edition, query, doc, rel, annotator) VALUES (1, 1, 1, 2, 'anna'), (1, 1, 2, 0, '')",
        "INSERT INTO st1_runs (run) VALUES ('bm25'), ('dense')",
        "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score) VALUES (1, 1, 2, 1, 5), (1, 1, 1, 2, 3), (2, 1, 1, 1, .5)",
    ):
        conn.execute(statement.encode())
    assert conn.execute("SELECT doc, docno, title, abstract, year FROM documents").fetchall() == [
        (1, "one", "a title", "an abstract", 2001)
    ]
    assert conn.execute("SELECT query, topic, text, type, origin FROM queries ORDER BY query").fetchall() == [
        ("q1", "T", "what is it", "question-word", "human"),
        ("q2", None, None, None, "human"),
    ]
    assert conn.execute("SELECT edition, query, docno, rel, origin, annotator FROM judgments ORDER BY docno").fetchall() == [
        ("train", "q1", "one", 2, "human", "anna"),
        ("train", "q1", "two", 0, "human", None),
    ]
    assert conn.execute("SELECT run FROM runs ORDER BY 1").fetchall() == [("bm25",), ("dense",)]
    assert conn.execute("SELECT run, query, rank, docno, score FROM rankings ORDER BY run, rank").fetchall() == [
        ("bm25", "q1", 1, "two", 5.0),
        ("bm25", "q1", 2, "one", 3.0),
        ("dense", "q1", 1, "one", 0.5),
    ]
    found = conn.execute(
        "SELECT edition, run, query, value FROM scores WHERE edition = 'train' AND measure = 'RR' ORDER BY run"
    ).fetchall()
    assert found == [("train", "bm25", "q1", 0.5), ("train", "dense", "q1", 1.0)]
    # A run, several as an array, several in quotes, all.
    assert conn.execute("SELECT run, query, value FROM reciprocal_rank('bm25', 'train')").fetchall() == [("bm25", "q1", 0.5)]
    for several in ("ARRAY['bm25', 'dense']", "'{bm25,dense}'", "'{}'"):
        both = conn.execute(f"SELECT run, value FROM reciprocal_rank({several}, 'train') ORDER BY 1".encode()).fetchall()
        assert both == [("bm25", 0.5), ("dense", 1.0)]


@pytest.mark.parametrize(
    "measure", ["ndcg", "precision_at", "recall_at", "reciprocal_rank", "average_precision", "bpref", "judged_at"]
)
def test_a_measure_takes_one_run_by_its_name(conn: psycopg.Connection, measure: str) -> None:
    with pytest.raises(psycopg.Error, match="there is no run 'bm25'") as error:
        conn.execute(f"SELECT * FROM {measure}('bm25', 'none')".encode())
    assert error.value.sqlstate == "IR101"
    with pytest.raises(psycopg.Error, match="there is no edition 'none'"):
        conn.execute(f"SELECT * FROM {measure}('{{}}', 'none')".encode())


@pytest.mark.parametrize("search", ["dense_search", "knn", "passage_search", "rocchio_search"])
def test_words_for_a_vector_are_told_to_be_embedded(conn: psycopg.Connection, search: str) -> None:
    with pytest.raises(psycopg.Error, match=f"{search} needs a vector, got the text 'voice assistants'") as error:
        conn.execute(f"SELECT * FROM {search}('voice assistants', 5)".encode())
    assert error.value.sqlstate == "IR202"
    assert f"{search}(embed_query(" in str(error.value.diag.message_hint)
    # A quoted vector is a vector, also after spaces and as a parameter.
    for given in ("'[1,2]'", "' [1,2]'", "'[1,2]'::vector"):
        with pytest.raises(psycopg.Error, match="the query vector has 2 dimensions") as error:
            conn.execute(f"SELECT * FROM {search}({given}, 5)".encode())
        assert error.value.sqlstate == "IR403"
    with pytest.raises(psycopg.Error, match="2 dimensions"):
        conn.execute(f"SELECT * FROM {search}(%s, 5)".encode(), ["[1,2]"])
    with pytest.raises(psycopg.Error, match="the query vector is NULL"):
        conn.execute(f"SELECT * FROM {search}(NULL)".encode())


def test_words_for_the_vector_of_a_snippet_are_told_to_be_embedded(conn: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error, match="passage_snippet needs a vector, got the text 'voice'") as error:
        conn.execute("SELECT * FROM passage_snippet(1, 'voice')")
    assert "embed_query" in str(error.value.diag.message_hint)
    with pytest.raises(psycopg.Error, match="2 dimensions"):
        conn.execute("SELECT * FROM passage_snippet(1, '[1,2]')")


def test_nobody_else_creates_anything_in_stc(conn: psycopg.Connection) -> None:
    for role in ("public", "stc_participant", "stc_reader", "stc_organiser"):
        may = conn.execute(
            "SELECT has_schema_privilege(%(r)s, 'stc', 'USAGE'), has_schema_privilege(%(r)s, 'stc', 'CREATE')", {"r": role}
        )
        assert may.fetchone() == (True, False), role
    assert names(conn, "SELECT nspowner::regrole::text FROM pg_namespace WHERE nspname = 'stc'") == ["stc_owner"]


def test_only_published_views_have_the_name_of_a_table_of_stc(conn: psycopg.Connection) -> None:
    assert (
        names(
            conn,
            "SELECT relname FROM pg_class WHERE relnamespace IN ('public'::regnamespace, 'stc'::regnamespace)"
            " AND relkind <> 'i' GROUP BY relname HAVING count(*) > 1 ORDER BY 1",
        )
        == PUBLISHED
    )
    assert set(PUBLISHED) <= set(names(conn, RELATIONS, ["v"]))

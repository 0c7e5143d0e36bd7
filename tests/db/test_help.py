"""help() finds functions and tables by a word."""

from __future__ import annotations

import psycopg


def found(conn: psycopg.Connection, word: str | None) -> list[str]:
    return list(dict.fromkeys(name for (name,) in conn.execute("SELECT name FROM help(%s)", [word])))


def test_a_name_comes_first(conn: psycopg.Connection) -> None:
    assert found(conn, "bm25_search")[0] == "bm25_search"
    assert found(conn, "bm25")[0] == "bm25_search"
    assert found(conn, "ndcg")[0] == "ndcg"
    assert found(conn, " NDCG ") == found(conn, "ndcg")


def test_comments_and_columns_count_by_their_stems(conn: psycopg.Connection) -> None:
    assert "judgments" in found(conn, "annotator")
    assert {"document_neighbours", "st1_qrels_train_knn"} <= set(found(conn, "neighbours"))
    assert found(conn, "xyzzy") == []


def test_all_words_must_be_found(conn: psycopg.Connection) -> None:
    both = found(conn, "average precision")
    assert both[0] == "average_precision"
    assert set(both) <= set(found(conn, "precision"))


def test_it_lists_everything_of_ours_and_nothing_of_extensions(conn: psycopg.Connection) -> None:
    every = found(conn, None)
    assert len(every) > 80
    assert {"documents", "dblp", "make_run", "help"} <= set(every)
    assert not {"cosine_distance", "l2_distance", "avg"} & set(every)


def test_usage_can_be_typed(conn: psycopg.Connection) -> None:
    row = conn.execute("SELECT usage FROM help('queries') WHERE name = 'queries'").fetchone()
    assert row is not None
    conn.execute(row[0])
    row = conn.execute("SELECT usage, about FROM help('make_run') WHERE name = 'make_run'").fetchone()
    assert row is not None
    assert row[0].startswith("make_run(run text, system text, depth integer DEFAULT 1000")
    assert row[1]

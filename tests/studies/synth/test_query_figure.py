"""The histograms of judged queries agree with the target of a study."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from stcollection.errors import StateError, UnknownObject
from stcollection.plots.table import table_of
from stcollection.qrels.load import import_qrels
from stcollection.studies.synth.query_figure import plot_queries, query_histograms

QRELS = "q1 0 1 1\nq1 0 2 2\nq2 0 1 0\nq2 0 2 1\nq3 0 1 1\nq4 0 1 1\n"


@pytest.fixture
def world(conn: psycopg.Connection, tmp_path: Path) -> psycopg.Connection:
    conn.execute("INSERT INTO dblp (id, docno, doc) SELECT n, n, '{}' FROM generate_series(1, 3) n")
    conn.execute("INSERT INTO dblp_text (id, title, abstract) VALUES (1, 'A', 'voice assistants at home'), (2, 'Robots', NULL)")
    rows = (
        ("q1", "voice assistants", "human"), ("q2", "the voice of the robots", "human"), ("q3", "assistants", "t5"),
        ("q4", None, "t5"),
    )  # fmt: skip
    for query, text, origin in rows:
        conn.execute("INSERT INTO st1_queries (query, text, origin) VALUES (%s, %s, %s)", [query, text, origin])
    (tmp_path / "e.qrels").write_text(QRELS)
    import_qrels(conn, tmp_path / "e.qrels", edition="e")
    return conn


def test_lengths_are_of_queries_and_words_found_of_relevant_pairs(world: psycopg.Connection) -> None:
    found = query_histograms(world, "e")
    assert found.lengths == {"human": {2: 1, 5: 1}, "t5": {1: 1}}
    assert found.in_documents == {"human": {2: 1}, "t5": {1: 1}}
    content = query_histograms(world, "e", field="content")
    assert content.in_documents == {"human": {0: 1, 1: 1, 2: 1}, "t5": {1: 1}}
    target = world.execute("SELECT sum(pairs) FROM stc.synth_target('e', 'content') WHERE length IS NOT NULL").fetchall()
    assert [(sum(sum(one.values()) for one in content.in_documents.values()),)] == target
    assert query_histograms(world, "e", queries="origin:t5").lengths == {"t5": {1: 1}}
    assert query_histograms(world, "e", level=2).in_documents == {}
    assert ["t5", "found", 1, 1] in table_of(plot_queries(world, "e")).rows


def test_wrong_arguments(world: psycopg.Connection) -> None:
    with pytest.raises(UnknownObject, match="no field 'title'"):
        query_histograms(world, "e", field="title")
    world.execute("UPDATE st1_queries SET text = NULL")
    with pytest.raises(StateError, match="'e' judges no query with a text"):
        query_histograms(world, "e")

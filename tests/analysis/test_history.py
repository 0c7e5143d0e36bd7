"""Documents by year, and the history of editions, counted by hand."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.analysis.history import collection_history, document_years, edition_history
from stcollection.cli.analysis.history import history_command as command
from stcollection.db.settings import Settings
from stcollection.errors import StateError, UnknownObject
from stcollection.plots.history import draw_years
from stcollection.plots.table import table_of
from tests.plots.look import check_texts, part, title

pytestmark = pytest.mark.slow


def put_documents(conn: psycopg.Connection) -> None:
    years = {"1": "1999", "2": "1999", "3": "2001", "4": "0", "5": "null", "6": "9999"}
    for docno, year in years.items():
        conn.execute(
            "INSERT INTO dblp (id, docno, doc) VALUES (%s, %s, jsonb_build_object('year', %s::jsonb))", [docno, docno, year]
        )
    conn.execute("INSERT INTO dblp_text (id, title, abstract) VALUES (1, 'a', 'text'), (2, 'b', NULL)")


def test_records_without_a_year_are_counted_apart(conn: psycopg.Connection) -> None:
    with pytest.raises(StateError, match="no document is stored"):
        document_years(conn)
    put_documents(conn)
    found = document_years(conn)
    assert found.years == [(1999, 2, 1), (2001, 1, 0)]
    assert found.without == 3
    figure = draw_years(found)
    assert "without 3 documents that have no year" in title(figure)
    assert list(part(figure, "documents").get_data().values) == [2, 0, 1]
    assert table_of(figure).rows == [[1999, 2, 1], [2001, 1, 0], [None, 3, None]]
    check_texts(figure)
    conn.execute("DELETE FROM dblp_text")
    conn.execute("DELETE FROM dblp WHERE id < 4")
    with pytest.raises(StateError, match="3 documents, none with a year"):
        document_years(conn)


def put_editions(conn: psycopg.Connection) -> None:
    put_documents(conn)
    conn.execute("INSERT INTO st1_topics (topic) VALUES ('G1'), ('G2')")
    conn.execute(
        "INSERT INTO stc.st1_queries (query, topic) SELECT t.topic || '.' || n, t.id FROM st1_topics t, generate_series(1, 2) n"
    )
    conn.execute("INSERT INTO st1_queries (query) VALUES ('free')")
    for edition, year in (("late", 2024), ("early", 2022), ("undated", None)):
        conn.execute("INSERT INTO qrels_editions (edition, year) VALUES (%s, %s)", [edition, year])
    rows = (
        ("early", "G1.1", 1, 2, "human"), ("early", "G1.2", 1, 0, "human"), ("early", "G1.2", 2, -1, "human"),
        ("late", "G1.1", 1, 1, "human"), ("late", "G2.1", 2, 1, "knn"), ("late", "free", 2, 0, "llm"),
    )  # fmt: skip
    for row in rows:
        conn.execute(
            "INSERT INTO qrels_judgments (edition, query, doc, rel, origin) SELECT e.id, q.id, %s, %s, %s"
            " FROM qrels_editions e, st1_queries q WHERE e.edition = %s AND q.query = %s",
            [*row[2:], *row[:2]],
        )


def test_editions_are_counted_oldest_first(conn: psycopg.Connection) -> None:
    with pytest.raises(StateError, match="no edition is stored"):
        edition_history(conn)
    put_editions(conn)
    found = edition_history(conn)
    assert [(one.edition, one.topics, one.queries, one.judgments, one.by_people, one.documents) for one in found] == [
        ("early", 1, 2, 2, 2, 1),
        ("late", 2, 3, 3, 1, 2),
        ("undated", 0, 0, 0, 0, 0),
    ]
    assert [(one.fewest, one.most, one.names) for one in found] == [(1, 1, ["G1"]), (1, 1, ["G1", "G2"]), (None, None, None)]
    assert [one.edition for one in collection_history(conn, ["late"]).editions] == ["late"]
    with pytest.raises(UnknownObject, match="'erly'"):
        edition_history(conn, ["early", "erly"])


def test_the_command_prints_a_table(settings: Settings, conn: psycopg.Connection, tmp_path: Path) -> None:
    put_editions(conn)
    done = CliRunner().invoke(command, ["late", "--format", "csv"], obj=settings)
    assert done.output.splitlines()[1].startswith("late,2024,,2,3,3,1,1,1,2,")
    done = CliRunner().invoke(command, ["late", "--topics", "--format", "csv"], obj=settings)
    assert done.output.splitlines()[1].endswith(",G1 G2")

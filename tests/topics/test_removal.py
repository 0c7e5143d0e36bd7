"""Removal of queries: removed rows, remaining stubs, and loading the same file again."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from stcollection.qrels.load import import_qrels
from stcollection.topics.load import load
from stcollection.topics.removal import remove_queries, topic_files
from tests.groups import topics

pytestmark = pytest.mark.slow

HEADER = "topic_id;topic_text;topic_url;query_id;query_text\n"
FIRST = (
    HEADER
    + "G01;Assistants;http://a;G01.1;digital assistant\nG01;Assistants;http://a;G01.2;voice\nG02;Games;http://b;G02.1;games\n"
)
SECOND = HEADER + "G02;Games;http://b;G02.1;games\nG03;Graphs;http://c;G03.1;graphs\nG03;Graphs;http://c;G03.2;trees\n"


def stored(conn: psycopg.Connection) -> tuple[list[tuple[str, str | None]], list[str]]:
    """Return queries with their texts, and topics."""
    queries = conn.execute("SELECT query, text FROM st1_queries ORDER BY query").fetchall()
    return queries, [topic for (topic,) in conn.execute("SELECT topic FROM st1_topics ORDER BY topic")]


@pytest.fixture
def two(conn: psycopg.Connection, tmp_path: Path) -> tuple[Path, Path]:
    """Load two files that share a query; one query of the second is judged."""
    paths = tmp_path / "first.csv", tmp_path / "second.csv"
    for path, text in zip(paths, (FIRST, SECOND), strict=True):
        path.write_text(text)
        load(conn, [path])
    (tmp_path / "train.qrels").write_text("G03.1 0 d1 1\n")
    import_qrels(conn, tmp_path / "train.qrels", edition="train")
    return paths


def test_a_file_is_removed_and_loaded_again(conn: psycopg.Connection, two: tuple[Path, Path]) -> None:
    before = stored(conn)
    found = remove_queries(conn, files=["second.csv"], dry_run=True)
    assert (found.removed, found.kept, found.shared) == (1, 1, 1)
    assert [(one.what, one.rows, one.names) for one in found.dependents if one.what] == [("judgments", 1, ["train"])]
    assert stored(conn) == before
    done = remove_queries(conn, files=["second.csv"])
    assert (done.removed, done.kept, done.shared, done.topics) == (1, 1, 1, 1)
    assert stored(conn) == (
        [("G01.1", "digital assistant"), ("G01.2", "voice"), ("G02.1", "games"), ("G03.1", None)],
        ["G01", "G02"],
    )
    assert [Path(one.path).name for one in topic_files(conn)] == ["first.csv"]
    assert conn.execute("SELECT query, rel FROM judgments").fetchall() == [("G03.1", 1)]
    again = load(conn, [two[1]])
    assert (again.added, again.filled, again.added_topics) == (1, 1, 1)
    assert stored(conn) == before


def test_topics_and_queries_by_name(conn: psycopg.Connection, two: tuple[Path, Path]) -> None:
    done = remove_queries(conn, topics=["G01"])
    assert (done.removed, done.kept, done.topics) == (2, 0, 1)
    done = remove_queries(conn, ["G03.1", "G03.2"])
    assert (done.removed, done.kept, done.topics) == (1, 1, 0)
    assert stored(conn) == ([("G02.1", "games"), ("G03.1", None)], ["G02", "G03"])
    with pytest.raises(UnknownObject, match="no query 'G01'"):
        remove_queries(conn, ["G01"])
    with pytest.raises(UnknownObject, match="no topic 'G01'"):
        remove_queries(conn, topics=["G01"])
    with pytest.raises(BadArgument, match="selections of what to remove"):
        remove_queries(conn, ["G02.1"], topics=["G02"])
    assert load(conn, [two[0]]).added == 2


def test_stubs_go_when_nothing_names_them(conn: psycopg.Connection, two: tuple[Path, Path]) -> None:
    conn.execute("INSERT INTO st1_queries (query) VALUES ('x')")
    remove_queries(conn, ["G03.1"])
    done = remove_queries(conn, stubs=True)
    assert (done.removed, done.kept) == (1, 1)
    assert stored(conn)[0][-2:] == [("G03.1", None), ("G03.2", "trees")]


def test_a_changed_file_is_compared_with_the_earlier_one(settings: Settings, conn: psycopg.Connection, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(FIRST)
    assert load(conn, [path]).earlier == ()
    assert load(conn, [path]).gone == 0
    assert len(topic_files(conn)) == 1
    path.write_text(FIRST.replace("G01.2;voice", "G01.3;voice") + "G04;Trees;http://d;G04.1;trees\n")
    shown = CliRunner().invoke(topics, ["load", str(path)], obj=settings).output
    assert "4 queries of 3 topics, 2 added, 2 unchanged\n" in shown
    earlier = topic_files(conn)[0].sha256
    assert earlier is not None
    assert f"1 query of the earlier file stays: stc drop queries --file {earlier[:12]}\n" in shown
    shown = CliRunner().invoke(topics, ["remove", "--file", earlier[:12]], obj=settings, input="y\n").output
    assert "1 query to remove\n  2 more stay: another loaded file has them too\n" in shown
    assert "removed 1 query" in shown
    assert [name for name, _ in stored(conn)[0]] == ["G01.1", "G01.3", "G02.1", "G04.1"]
    listed = CliRunner().invoke(topics, ["files", "--format", "csv"], obj=settings).output
    assert str(path) in listed
    assert earlier not in listed

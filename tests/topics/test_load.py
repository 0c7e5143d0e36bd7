"""Loading topics and queries: added, filled, unchanged, refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadInput
from stcollection.topics.load import load
from tests.groups import topics

pytestmark = pytest.mark.slow

HEADER = "topic_id;topic_text;topic_url;query_id;query_text\n"
TWO = HEADER + "G01;Assistants;http://a;G01.1;digital assistant\nG02;Games;http://b;G02.1;=+women -games\n"
File = Callable[..., Path]


@pytest.fixture
def file(tmp_path: Path) -> File:
    def file(text: str, name: str = "queries.csv") -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return file


def stored(conn: psycopg.Connection) -> list[tuple[object, ...]]:
    return conn.execute(
        "SELECT q.query, q.text, t.topic, t.text, t.url, q.origin"
        " FROM stc.st1_queries q LEFT JOIN st1_topics t ON t.id = q.topic ORDER BY q.id"
    ).fetchall()


def counts(conn: psycopg.Connection, *paths: Path, **options: object) -> tuple[int, ...]:
    done = load(conn, paths, **options)  # type: ignore[arg-type]
    return done.added, done.filled, done.changed


def test_queries_too_long_to_be_searched_whole_are_named(settings: Settings, file: File) -> None:
    path = file(f"q1\t{'word ' * 2001}\nq2\t{'word ' * 1999}\n", "long.tsv")
    done = CliRunner().invoke(topics, ["load", str(path)], obj=settings, catch_exceptions=False)
    assert "stc: 1 query (q1) of more than 10,000 characters: searches of words read the first 10,000" in done.stderr


def test_a_second_load_changes_nothing(conn: psycopg.Connection, file: File) -> None:
    path = file(TWO)
    assert counts(conn, path) == (2, 0, 0)
    before = stored(conn)
    assert before == [
        ("G01.1", "digital assistant", "G01", "Assistants", "http://a", "human"),
        ("G02.1", "=+women -games", "G02", "Games", "http://b", "human"),
    ]
    assert counts(conn, path) == (0, 0, 0)
    assert stored(conn) == before


def test_a_stub_gets_its_text_and_keeps_its_id(conn: psycopg.Connection, file: File) -> None:
    conn.execute("INSERT INTO st1_queries (query) VALUES ('G02.1')")
    [before] = conn.execute("SELECT id FROM st1_queries").fetchall()
    assert counts(conn, file(TWO), origin="gpt-4") == (1, 1, 0)
    assert conn.execute("SELECT id, text, origin FROM st1_queries WHERE query = 'G02.1'").fetchone() == (
        *before,
        "=+women -games",
        "gpt-4",
    )


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("digital assistant", "smart assistant", ("queries.csv:2", "G01.1", "another text", "digital assistant")),
        ("Games;", "Play;", ("queries.csv:3", "topic G02", "another text", "Games")),
        ("http://b", "http://c", ("queries.csv:3", "topic G02", "another url", "http://b")),
        ("G02;Games", "G01;Assistants", ("queries.csv:3", "G02.1", "another topic", "G02")),
    ],
)
def test_a_changed_text_is_an_error_unless_replaced(
    conn: psycopg.Connection, file: File, old: str, new: str, words: tuple[str, ...]
) -> None:
    load(conn, [file(TWO)])
    before = stored(conn)
    text = TWO.replace(old, new).replace("http://b;G02.1", "http://a;G02.1" if new == "G01;Assistants" else "http://b;G02.1")
    with pytest.raises(BadInput) as error:
        load(conn, [file(text)])
    assert all(word in error.value.message for word in words), error.value.message
    assert "--replace" in (error.value.hint or "")
    assert error.value.sqlstate == "IR302"
    assert stored(conn) == before
    load(conn, [file(text)], replace=True)
    assert stored(conn) != before
    assert counts(conn, file(text)) == (0, 0, 0)


def test_what_a_file_leaves_out_stays_and_what_was_missing_is_filled(conn: psycopg.Connection, file: File) -> None:
    load(conn, [file("topic_id;query_id;query_text\nG01;G01.1;digital assistant\n")])
    load(conn, [file(TWO)])
    before = stored(conn)
    assert before[0] == ("G01.1", "digital assistant", "G01", "Assistants", "http://a", "human")
    load(conn, [file("1\tx\nG01.1\tdigital assistant\n", "queries.tsv")])
    assert stored(conn)[:2] == before
    assert stored(conn)[2] == ("1", "x", None, None, None, "human")


def test_an_origin_differs(conn: psycopg.Connection, file: File) -> None:
    load(conn, [file(TWO)], origin="t5")
    assert counts(conn, file(TWO)) == (0, 0, 0)
    with pytest.raises(BadInput, match="another origin: t5"):
        load(conn, [file(TWO)], origin="gpt-4")
    assert counts(conn, file(TWO), origin="gpt-4", replace=True) == (0, 0, 2)


def test_all_files_or_none(conn: psycopg.Connection, file: File) -> None:
    with pytest.raises(BadInput, match=r"b\.tsv:2"):
        load(conn, [file(TWO), file("1\tx\nno tab\n", "b.tsv")])
    assert stored(conn) == []


def test_two_texts_for_one_query(conn: psycopg.Connection, file: File) -> None:
    one, other = file("1\tx\n2\ty\n", "one.tsv"), file("2\tz\n", "other.tsv")
    with pytest.raises(BadInput, match=r"other\.tsv:1: query 2 has the text 'z', but 'y' in .*one\.tsv:2") as error:
        load(conn, [one, other])
    assert "--on-duplicate" in (error.value.hint or "")
    assert stored(conn) == []
    assert load(conn, [one, other], on_duplicate="first").duplicates == 1
    assert dict(conn.execute("SELECT query, text FROM st1_queries").fetchall()) == {"1": "x", "2": "y"}
    load(conn, [one, other], on_duplicate="last", replace=True)
    assert dict(conn.execute("SELECT query, text FROM st1_queries").fetchall()) == {"1": "x", "2": "z"}


def test_acm_cr_numbers_two_contexts_alike(conn: psycopg.Connection, data: Path) -> None:
    path = data / "acm-cr/contexts.topics"
    with pytest.raises(BadInput, match=r"contexts\.topics:2124: query 340982510 .*:2113"):
        load(conn, [path], field="desc")
    done = load(conn, [path], field="desc", on_duplicate="first")
    assert (done.queries, done.added, done.duplicates) == (268, 268, 1)
    row = conn.execute("SELECT text FROM st1_queries WHERE query = '340982510'").fetchone()
    assert row is not None
    assert row[0].startswith("Clusters of documents in lists")


def test_names_are_compared_as_bytes(conn: psycopg.Connection, file: File) -> None:
    """A linguistic collation treats some different names as equal, or orders them differently."""
    load(conn, [file("query_id\tquery\na-b\tx\nab\ty\nA-B\tz\n", "queries.tsv")])
    assert [row[0] for row in conn.execute("SELECT query FROM st1_queries ORDER BY query")] == ["A-B", "a-b", "ab"]


def test_the_command(settings: Settings, conn: psycopg.Connection, file: File) -> None:
    conn.execute("INSERT INTO st1_queries (query) VALUES ('G02.1')")
    path = file(TWO)
    done = CliRunner().invoke(topics, ["load", str(path)], obj=settings, catch_exceptions=False)
    assert done.output == f"{path}: read as simpletext-csv\n2 queries of 2 topics, 1 added, 1 stubs filled\n"
    again = CliRunner().invoke(topics, ["load", str(path)], obj=settings, catch_exceptions=False)
    assert "2 unchanged" in again.output
    loaded = load(conn, [path])
    assert (loaded.changed, loaded.added_topics, loaded.changed_topics, loaded.gone) == (0, 0, 0, 0)

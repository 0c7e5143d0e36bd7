"""The BM25 index of pg_textsearch is not transactional: entries of rolled-back or interrupted writes must not affect scores."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from stcollection.errors import StateError, translate
from tests.durability.servers import Server
from tests.text.documents import put

pytestmark = pytest.mark.slow

DB = "words"
TEXTS = {number: (f"voice assistant {number}", "it listens " * (number % 7)) for number in range(1, 400)}
_WRITE = (
    "INSERT INTO dblp (id, docno, doc) SELECT 5000 + i, 'n' || i, '{\"title\": \"voice\"}' FROM generate_series(1, 300) i",
    "INSERT INTO dblp_text (id, title) SELECT 5000 + i, 'voice' FROM generate_series(1, 300) i",
)
_SCORES = "SELECT doc, round(score::numeric, 4) FROM bm25_search('voice assistant', 1000, engine => %s) ORDER BY doc"


@pytest.fixture
def built(own: Server) -> Iterator[Server]:
    """A collection with a text index."""
    own.done(DB, "db", "create", DB)
    with own.connect(DB) as conn:
        put(conn, TEXTS)
    own.done(DB, "text", "index", "--engine", "pg_textsearch")
    yield own
    own.done(DB, "db", "drop", DB, "--yes")


def status(conn: psycopg.Connection) -> dict[str, object]:
    row = conn.execute("SELECT to_jsonb(s) FROM stc.text_status() s").fetchone()
    assert row is not None
    return dict(row[0])


def check_mended(server: Server, before: list[tuple[object, ...]]) -> None:
    """Check that it gives the same answers with the portable engine, reports this, and 'stc index' rebuilds it."""
    with server.connect(DB) as conn:
        assert status(conn)["stale"] is False
        assert status(conn)["sound"] is False
        said: list[str] = []
        conn.add_notice_handler(lambda notice: said.append(notice.message_primary or ""))
        assert conn.execute(_SCORES, [None]).fetchall() == before
        assert any("never committed" in one for one in said), said
        with pytest.raises(StateError, match="never committed") as error, translate():
            conn.execute(_SCORES, ["pg_textsearch"])
        assert "stc index" in (error.value.hint or "")
    assert server.done(DB, "text", "index").out.startswith("indexed")
    with server.connect(DB) as conn:
        assert status(conn)["sound"] is True
        assert conn.execute(_SCORES, ["pg_textsearch"]).fetchall() == before


def test_a_write_that_is_rolled_back(built: Server) -> None:
    with built.connect(DB) as conn:
        before = conn.execute(_SCORES, ["pg_textsearch"]).fetchall()
        assert len(before) == len(TEXTS)
        with conn.transaction(force_rollback=True):
            for statement in _WRITE:
                conn.execute(statement.encode())
    check_mended(built, before)


@pytest.mark.parametrize("flushed", [True, False], ids=["flushed", "not flushed"])
def test_a_write_that_a_power_cut_ends(built: Server, flushed: bool) -> None:
    with built.connect(DB) as conn, built.connect(DB) as another:
        before = conn.execute(_SCORES, ["pg_textsearch"]).fetchall()
        conn.execute("BEGIN")
        for statement in _WRITE:
            conn.execute(statement.encode())
        if flushed:
            another.execute("CHECKPOINT")
        built.cut_power()
    with built.connect(DB) as conn:
        assert conn.execute("SELECT count(*) FROM dblp_text").fetchone() == (len(TEXTS),)
        sound = status(conn)["sound"]
        assert conn.execute(_SCORES, [None]).fetchall() == before
    assert not (flushed and sound)
    if not sound:  # the file may have grown, although it contains no entry any more
        check_mended(built, before)


def test_a_build_that_was_just_committed(built: Server) -> None:
    with built.connect(DB) as conn:
        before = conn.execute(_SCORES, ["pg_textsearch"]).fetchall()
    built.done(DB, "text", "index", "--rebuild")
    built.cut_power()
    with built.connect(DB) as conn:
        assert status(conn)["sound"] is True
        assert conn.execute(_SCORES, ["pg_textsearch"]).fetchall() == before


def test_a_search_beside_a_write_that_is_not_committed(built: Server) -> None:
    with built.connect(DB) as conn, built.connect(DB) as another:
        before = conn.execute(_SCORES, ["pg_textsearch"]).fetchall()
        with another.transaction(force_rollback=True):
            for statement in _WRITE:
                another.execute(statement.encode())
            assert conn.execute(_SCORES, [None]).fetchall() == before


def test_every_document_is_found_after_writes_vacuum_and_a_power_cut(built: Server) -> None:
    """Rows that were updated in place, before and after the build, are found by a build after each of these."""
    found = "SELECT array_agg(doc ORDER BY doc) FROM bm25_search('voice assistant', 1000, engine => %s)"
    for step in (
        ["UPDATE dblp_text SET title = title WHERE id % 3 = 0"],
        ["DELETE FROM dblp_text WHERE id % 5 = 0", "UPDATE dblp_text SET title = title"],
        ["VACUUM dblp_text", "UPDATE dblp_text SET title = title"],
        ["VACUUM dblp_text", *_WRITE, "UPDATE dblp_text SET title = title WHERE id % 2 = 0"],
    ):
        with built.connect(DB) as conn:
            for statement in step:
                conn.execute(statement.encode())
        built.cut_power()
        built.done(DB, "text", "index", "--engine", "pg_textsearch")
        for again in (False, True):
            with built.connect(DB) as conn:
                row = conn.execute("SELECT lost, sound FROM stc.text_status(verify => true)").fetchone()
                assert row == (0, True)
                by_both = [conn.execute(found, [engine]).fetchone() for engine in ("pg_textsearch", "portable")]
                assert by_both[0] == by_both[1]
                assert conn.execute("SELECT array_agg(id ORDER BY id) FROM dblp_text").fetchone() == by_both[0]
            if not again:
                built.stop()
                built.start()

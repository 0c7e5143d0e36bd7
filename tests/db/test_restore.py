"""Restore the same collection on this server and another; refuse dumps that are damaged or newer, and names that are taken."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from psycopg import sql

from stcollection.db import catalogue
from stcollection.db.backup import indexes, scratch
from stcollection.db.backup import restore as module
from stcollection.db.backup.dump import Dumped, dump
from stcollection.db.backup.manifest import OURS
from stcollection.db.backup.restore import restore
from stcollection.db.backup.sample import Excerpt, dump_sample, size
from stcollection.db.collections import collections, create
from stcollection.db.connection import conninfo
from stcollection.db.current import in_step
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.objects import drift
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, DatabaseError, StateError
from tests.databases import start
from tests.db.conftest import NewName
from tests.db.handed import databases, leaderboard
from tests.db.shape import shape
from tests.groups import db as group

pytestmark = pytest.mark.slow

QUERIES = (
    "SELECT * FROM bm25_search('voice computers', 20)",
    "SELECT * FROM boolean_search('+games -women', 20)",
    "SELECT * FROM dense_search((SELECT title_v FROM dblp_v WHERE id = 7), 20, 'abstract', effort => 240)",
    "SELECT * FROM dense_search((SELECT title_v FROM dblp_v WHERE id = 7), 20, 'title', effort => 4)",
    "SELECT * FROM st1_qrels_train ORDER BY query, doc",
    "SELECT config::text, k1, b, rows, documents, tokens, stale, sound FROM stc.text_status()",
    "SELECT model, field, kind, half, lists, m, ef_construction, effort, rows, stale FROM stc.vector_status() ORDER BY 1, 2",
    "SELECT * FROM verify_editions()",
    "SELECT * FROM document_measures ORDER BY id",
)


def answers(settings: Settings) -> list[Any]:
    with open_session(conninfo(settings), autocommit=True) as conn:
        return [conn.execute(query.encode()).fetchall() for query in QUERIES]


def schema(settings: Settings) -> list[tuple[str, str, str]]:
    with open_session(conninfo(settings), autocommit=True) as conn:
        sequences = conn.execute(
            "SELECT 'sequence', sequencename::text, coalesce(last_value, 0)::text FROM pg_sequences ORDER BY 2"
        )
        # Triggers and policies of all schemas are listed; those of other users are not dumped.
        return [*sequences.fetchall(), *shape(conn, built=True)]


def test_a_restored_collection_is_the_same(handed: Settings, dumped: Dumped, new_name: NewName) -> None:
    there = new_name()
    done = restore(there, dumped.folder, jobs=2)
    assert done.rows >= 240 * 6
    assert schema(there) == schema(handed)
    assert answers(there) == answers(handed)
    for edition in ("train", "test", "open"):
        assert leaderboard(there, edition) == leaderboard(handed, edition) != []
    with open_session(conninfo(there), autocommit=True) as conn:
        assert in_step(conn)
        assert drift(conn) == []
        assert catalogue.drift(conn) == []
        if dumped.manifest.indexes["text"]["engine"] == "pg_textsearch":  # every document was looked up
            noted = "SELECT obj_description('dblp_text_bm25'::regclass) LIKE '%every document found'"
            assert conn.execute(noted).fetchone() == (True,)
        with pytest.raises(psycopg.Error, match="sealed"):
            conn.execute("INSERT INTO qrels_judgments (edition, query, doc, rel) VALUES (1, 1, 100, 1)")
        # The result of an audit applies only to the index of that time.
        assert conn.execute("SELECT recall FROM stc.vector_indexes WHERE field = 'title'").fetchone() == (None,)
        # pg_dump leaves settings of the database out; the search effort follows the indexes.
        assert (
            conn.execute("SELECT current_setting('ivfflat.probes')").fetchone()
            == conn.execute("SELECT max(effort)::text FROM stc.vector_indexes WHERE kind = 'ivfflat'").fetchone()
        )
    assert any("recall" in note and "0.9800" in note for note in done.notes)
    assert there.db in {one.name for one in collections(there)}


def test_tables_of_vectors_keep_their_storage(new_name: NewName, tmp_path: Path) -> None:
    here, there = new_name(), new_name()
    create(here)
    with open_session(conninfo(here), autocommit=True) as conn:
        conn.execute("SELECT stc.add_vector_model('other', 'a/model', 8), stc.convert_vectors('minilm', true)")
        conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}')")
        conn.execute("INSERT INTO dblp_v (id, title_v) VALUES (1, array_fill(0.05, ARRAY[384])::vector)")
        conn.execute("UPDATE stc.vector_models SET recipe = '{\"field\": \"title\"}' WHERE model = 'other'")
    dump(here, tmp_path / "dump")
    restore(there, tmp_path / "dump")
    rows = "SELECT title_v::text, (SELECT recipe FROM stc.vector_models WHERE model = 'other') FROM dblp_v"
    stored = (
        "SELECT relname, reloptions, attname, format_type(atttypid, atttypmod)"
        " FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid"
        " WHERE relname ~ '^dblp_[vp](_other)?$' AND attname LIKE '%\\_v' ORDER BY 1, 3"
    )
    options: list[Any] = []
    for settings in (here, there):
        with open_session(conninfo(settings), autocommit=True) as conn:
            options.append([*conn.execute(stored).fetchall(), *conn.execute(rows.encode()).fetchall()])
    assert options[0] == options[1]
    assert options[0][-1][1] == {"field": "title"}
    half = {("dblp_p", "halfvec(384)"), ("dblp_v", "halfvec(384)")}
    assert {(table, type_) for table, _, _, type_ in options[0][:-1]} == half | {
        ("dblp_p_other", "vector(8)"),
        ("dblp_v_other", "vector(8)"),
    }
    assert {tuple(one[1]) for one in options[0][:-1]} == {("toast_tuple_target=8160",)}


@pytest.mark.parametrize(
    ("words", "indexed", "sampled"),
    [("split", True, True), ("split", False, False), ("published", True, False), ("published", False, True)],
)
def test_words_are_separated_as_before(new_name: NewName, tmp_path: Path, words: str, indexed: bool, sampled: bool) -> None:
    here, there = new_name(), new_name()
    create(here)
    with open_session(conninfo(here), autocommit=True) as conn:
        conn.execute("CALL stc.compute_text('english', %s)", [words])
        conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}')")
        conn.execute("INSERT INTO dblp_text (id, title) VALUES (1, 'Client/server')")
        if indexed:
            conn.execute("CALL stc.index_text()")
    if sampled:
        dump_sample(here, tmp_path / "dump", part=Excerpt(size("100%"), 1))
    else:
        dump(here, tmp_path / "dump")
    restore(there, tmp_path / "dump")
    with open_session(conninfo(there), autocommit=True) as conn:
        state = conn.execute("SELECT words, sound FROM stc.text_status()").fetchone()
        assert state == (words, indexed)
        assert len(conn.execute("SELECT FROM boolean_search('server')").fetchall()) == (words == "split")


@pytest.mark.long
@pytest.mark.slow
def test_a_bm25_index_built_by_restore_outlives_a_restart(dumped: Dumped, handed: Settings, elsewhere: Settings) -> None:
    there = replace(elsewhere, db="moved")
    restore(there, dumped.folder)
    before = answers(there)
    assert before == answers(handed)
    host = psycopg.conninfo.conninfo_to_dict(str(elsewhere.dsn))["host"]
    server = EmbeddedServer(Path(str(host)).parent)
    assert server.stop()
    server.ensure()
    assert answers(there) == before


@pytest.mark.slow
def test_there_and_back(dumped: Dumped, elsewhere: Settings, new_name: NewName, tmp_path: Path) -> None:
    away = replace(elsewhere, db='a "way=1 $(x)')
    restore(away, dumped.folder)
    second = dump(away, tmp_path / "back")
    there = new_name()
    restore(there, tmp_path / "back")
    again = dump(there, tmp_path / "again")
    for one in (second, again):
        own = dict.fromkeys(OURS, 0)
        assert {**one.manifest.tables, **own} == {**dumped.manifest.tables, **own}
        assert one.manifest.editions == dumped.manifest.editions


@pytest.mark.slow
def test_without_pg_textsearch_the_portable_engine_answers(
    dumped: Dumped, handed: Settings, new_name: NewName, tmp_path: Path, server: Settings
) -> None:
    if dumped.manifest.indexes["text"]["engine"] != "pg_textsearch":
        pytest.skip("the server of the dump has no pg_textsearch")
    # A server that does not load the library at start, which has the same effect as 'not installed'.
    scores = "SELECT round(score::numeric, 3) FROM bm25_search('voice computers', 20)"
    home = tmp_path / "plain"
    start(Settings(db="postgres", home=home, dsn=None))
    plain = Settings(db="moved", home=home, dsn=None)
    try:
        with open_session(conninfo(replace(plain, db="postgres")), autocommit=True) as conn:
            conn.execute("ALTER SYSTEM SET shared_preload_libraries = 'vector'")
        EmbeddedServer(home).stop()
        done = restore(plain, dumped.folder)
        assert any("portable" in note for note in done.notes)
        with open_session(conninfo(plain), autocommit=True) as conn:
            assert conn.execute("SELECT engine, sound FROM stc.text_status()").fetchone() == ("portable", True)
            found = conn.execute(scores).fetchall()
        with open_session(conninfo(handed), autocommit=True) as conn:
            assert found == conn.execute(scores).fetchall() != []
    finally:
        EmbeddedServer(home).stop()


def test_a_collection_that_holds_anything_stays(dumped: Dumped, handed: Settings, new_name: NewName) -> None:
    before = answers(handed)
    with pytest.raises(BadArgument, match="exists and is not empty"):
        restore(handed, dumped.folder)
    assert answers(handed) == before
    empty = new_name()
    create(empty)
    restore(empty, dumped.folder)
    assert answers(empty) == before
    with pytest.raises(BadArgument, match=r"exists and is not empty: it contains rows of (public|stc|stc_all)\."):
        restore(empty, dumped.folder)


def test_a_database_of_others_stays(dumped: Dumped, new_name: NewName, admin: psycopg.Connection) -> None:
    there = new_name()
    with pytest.raises(BadArgument, match="server's own"):
        restore(replace(there, db="postgres"), dumped.folder)
    admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(there.db)))
    try:
        with open_session(conninfo(there), autocommit=True) as conn:
            conn.execute("CREATE FUNCTION f() RETURNS integer LANGUAGE sql RETURN 1")
        with pytest.raises(BadArgument, match=r"not empty: it contains f\(\)"):
            restore(there, dumped.folder)
        with open_session(conninfo(there), autocommit=True) as conn:
            conn.execute("DROP FUNCTION f()")
        restore(there, dumped.folder)  # an empty one is replaced
        with open_session(conninfo(there), autocommit=True) as conn:
            assert conn.execute("SELECT count(*) FROM dblp").fetchone() == (240,)
    finally:
        admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(there.db)))


def test_a_collection_with_tables_of_ones_own_stays(dumped: Dumped, new_name: NewName) -> None:
    there = new_name()
    create(there)
    with open_session(conninfo(there), autocommit=True) as conn:
        conn.execute("CREATE SCHEMA mine CREATE TABLE notes (note text)")
    with pytest.raises(BadArgument, match=r"not empty: it contains mine.notes"):
        restore(there, dumped.folder)


def test_an_empty_database_in_use_is_not_taken_away(dumped: Dumped, new_name: NewName) -> None:
    there = new_name()
    create(there)
    with open_session(conninfo(there)), pytest.raises(DatabaseError, match="being accessed by other users"):
        restore(there, dumped.folder)
    assert there.db in databases(there)


@pytest.mark.long
@pytest.mark.slow
def test_two_restores_at_once(dumped: Dumped, new_name: NewName) -> None:
    there = new_name()
    with scratch.making(there, purpose="restore", collection=there.db) as (_, name):
        with pytest.raises(StateError, match="another restore"):
            restore(there, dumped.folder)
        assert name in databases(there)
        other = new_name()
        restore(other, dumped.folder)
        assert name in databases(there)  # a database in progress is not a leftover
    assert name not in databases(there)
    restore(there, dumped.folder)


@pytest.mark.slow
def test_a_name_taken_meanwhile(dumped: Dumped, new_name: NewName, monkeypatch: pytest.MonkeyPatch) -> None:
    there = new_name()
    real = indexes.build

    def build(*arguments: Any, **options: Any) -> list[str]:
        create(there)
        with open_session(conninfo(there), autocommit=True) as conn:
            conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}')")
        return real(*arguments, **options)

    monkeypatch.setattr(module, "build", build)
    before = databases(there)
    with pytest.raises(BadArgument, match="exists and is not empty"):
        restore(there, dumped.folder)
    assert databases(there) == before | {there.db}
    with open_session(conninfo(there), autocommit=True) as conn:
        assert conn.execute("SELECT count(*) FROM dblp").fetchone() == (1,)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("moment", ["restoring", "vacuum", "comparing rows"])
def test_a_killed_restore_shows_nothing_and_the_next_removes_it(
    dumped: Dumped, handed: Settings, new_name: NewName, moment: str
) -> None:
    there = new_name()
    before = databases(there)
    child = subprocess.Popen(
        [sys.executable, "-m", "stcollection", "db", "restore", str(dumped.folder), "--db", there.db],
        env={**os.environ, "STC_HOME": str(there.home), **({"STC_DSN": there.dsn} if there.dsn is not None else {})},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stderr is not None
    for line in child.stderr:
        if line.startswith(moment):
            break
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    left = databases(there) - before
    assert len(left) == 1
    assert there.db not in left
    assert not left & {one.name for one in collections(there)}
    # The restore of another collection drops it too, after the server has noticed the end of its session.
    deadline = time.monotonic() + 20
    while left & databases(there):
        assert time.monotonic() < deadline
        other = new_name()
        restore(other, dumped.folder)
    restore(there, dumped.folder)
    assert answers(there) == answers(handed)


@pytest.mark.long
def test_an_interrupted_restore_leaves_nothing(dumped: Dumped, new_name: NewName) -> None:
    there = new_name()
    before = databases(there)

    def interrupt(message: str) -> None:
        if message.startswith("vacuum"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        restore(there, dumped.folder, tell=interrupt)
    assert databases(there) == before


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_restore_that_is_stopped_cleans_up(dumped: Dumped, new_name: NewName, how: signal.Signals) -> None:
    there = new_name()
    before = databases(there)
    child = subprocess.Popen(
        [sys.executable, "-m", "stcollection", "db", "restore", str(dumped.folder), "--db", there.db],
        env={**os.environ, "STC_HOME": str(there.home), **({"STC_DSN": there.dsn} if there.dsn is not None else {})},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert child.stderr is not None
    for line in child.stderr:
        if line.startswith("restoring"):
            break
    child.send_signal(how)
    _, said = child.communicate(timeout=60)
    assert child.returncode == 130, said
    assert "interrupted" in said
    assert databases(there) == before


def test_the_command(dumped: Dumped, new_name: NewName, server: Settings) -> None:
    there = new_name()
    done = CliRunner().invoke(group, ["restore", str(dumped.folder), "--db", there.db], obj=server)
    assert done.exit_code == 0, done.output
    assert f"digest {dumped.digest}" in done.output
    assert "3 editions" in done.output
    with open_session(conninfo(there)) as conn:
        assert conn.execute(sql.SQL("SELECT count(*) FROM dblp")).fetchone() == (240,)

"""A run says how it was made, and says the same whether the command line, Python or SQL made it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

import stcollection
from stcollection.cli.retrieval import command as retrieval
from stcollection.db.settings import Settings
from tests.text.documents import build, put


@pytest.fixture
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    put(conn, {1: ("voice assistants", None), 2: ("voice interfaces", "at home"), 3: ("graphs", None)})
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q1', 'voice'), ('q2', 'graphs at home')")
    build(conn, "portable")
    return conn


def row(conn: psycopg.Connection, run: str) -> dict[str, Any]:
    """All that st1_runs says of a run but its key and the time."""
    [[found]] = conn.execute("SELECT to_jsonb(n) - '{id,made}'::text[] FROM st1_runs n WHERE run = %s", [run]).fetchall()
    assert found["metadata"]["implementation"].pop("made")
    return dict(found)


def ranked(conn: psycopg.Connection, run: str) -> list[tuple[object, ...]]:
    return conn.execute("SELECT query, docno, rank, rel_score FROM rankings WHERE run = %s ORDER BY 1, 3", [run]).fetchall()


def test_the_same_row_from_every_face(filled: psycopg.Connection, settings: Settings, dsn: str) -> None:
    def command() -> None:
        words = ["run", "bm25", "--name", "mine", "--depth", "50"]
        done = CliRunner().invoke(retrieval, words, obj=settings, catch_exceptions=False)
        assert done.exit_code == 0, done.output

    def python() -> None:
        with stcollection.open(dsn=dsn) as collection:
            collection.run("bm25", "mine", depth=50)

    def sql() -> None:
        filled.execute("SELECT * FROM make_run('mine', 'bm25', 50)")

    found = []
    faces: list[Callable[[], None]] = [command, python, sql]
    for face in faces:
        face()
        found.append((row(filled, "mine"), ranked(filled, "mine")))
        filled.execute("SELECT drop_runs('{mine}')")
    assert found[0] == found[1] == found[2]
    [(said, rows), *_] = found
    assert len(rows) == 4
    [made] = said["metadata"]["method"]["retrieval"]
    assert (made["name"], made["method"], made["depth"]) == ("mine", "bm25", 50)
    assert made["indexes"]["text"]["config"] == "english"
    assert "functions" in said["metadata"]["implementation"]["source"]["commit"]


def test_runs_made_of_runs_are_recorded_too(filled: psycopg.Connection) -> None:
    filled.execute("SELECT make_run('one', 'bm25', 50), make_run('two', 'boolean', 50)")
    filled.execute("SELECT * FROM fuse_runs('both', '{one,two}')")
    filled.execute(
        "SELECT s.* FROM st1_runs n, rerank_store('again', n.id, '{}', '{}', '{}', '{\"system\": \"rerank\", \"n\": 0}') s"
        " WHERE n.run = 'one'"
    )
    for run, system in (("both", "fusion"), ("again", "rerank")):
        assert row(filled, run)["metadata"]["method"]["retrieval"][0]["method"] == system


def test_the_code_that_made_a_run_is_known_by_its_fingerprint(filled: psycopg.Connection) -> None:
    commit = "SELECT run_metadata('mine') #>> '{implementation,source,commit}'"
    filled.execute("SELECT make_run('mine', 'bm25')")
    before = filled.execute(commit).fetchone()
    filled.execute("UPDATE stc_objects SET fingerprint = 'another' WHERE file = 'retrieval/bm25_search.sql'")
    assert filled.execute(commit).fetchone() != before
    assert filled.execute("SELECT metadata #>> '{implementation,source,commit}' FROM st1_runs").fetchone() == before

"""Runs record how they were made, equally for the command line, Python and SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import psycopg
import pytest
from click.testing import CliRunner

import stcollection
from stcollection.api.collection import Collection
from stcollection.db.settings import Settings
from stcollection.qrels.load import import_qrels
from stcollection.runs.load import ImportOptions
from tests.groups import retrieval, runs
from tests.text.documents import build, put

pytestmark = pytest.mark.slow


@pytest.fixture
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    put(conn, {1: ("voice assistants", None), 2: ("voice interfaces", "at home"), 3: ("graphs", None)})
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q1', 'voice'), ('q2', 'graphs at home')")
    build(conn, "portable")
    return conn


def row(conn: psycopg.Connection, run: str) -> dict[str, Any]:
    """Return the columns of a run in st1_runs without key and time."""
    [[found]] = conn.execute("SELECT to_jsonb(n) - '{id,made}'::text[] FROM st1_runs n WHERE run = %s", [run]).fetchall()
    if found["metadata"]:
        found["metadata"].pop("resources", None)  # SQL alone does not measure them
    made = found["metadata"].get("implementation", {}).pop("made", None) if found["metadata"] else None
    assert (made is None) == (found["source"] is not None)  # the creation time of a file's run is unknown
    return dict(found)


def ranked(conn: psycopg.Connection, run: str) -> list[tuple[object, ...]]:
    return conn.execute("SELECT query, docno, rank, rel_score FROM rankings WHERE run = %s ORDER BY 1, 3", [run]).fetchall()


Face = Callable[[], object]


@pytest.fixture
def collection(dsn: str) -> Iterator[Collection]:
    with stcollection.open(dsn=dsn) as opened:
        yield opened


def by_face(conn: psycopg.Connection, *faces: Face) -> list[tuple[dict[str, Any], list[tuple[object, ...]]]]:
    """Return the run mine as stored by each interface; it is dropped in between."""
    found = []
    for face in faces:
        face()
        found.append((row(conn, "mine"), ranked(conn, "mine")))
        conn.execute("SELECT drop_runs('{mine}')")
    return found


def command(settings: Settings, group: click.Command, *words: str) -> Face:
    def run() -> None:
        done = CliRunner().invoke(group, list(words), obj=settings, catch_exceptions=False)
        assert done.exit_code == 0, done.output

    return run


def test_the_same_row_from_every_face(filled: psycopg.Connection, settings: Settings, collection: Collection) -> None:
    found = by_face(
        filled,
        command(settings, retrieval, "run", "bm25", "--name", "mine", "--depth", "50"),
        lambda: collection.run("bm25", "mine", depth=50),
        lambda: filled.execute("SELECT * FROM make_run('mine', 'bm25', 50)"),
    )
    assert found[0] == found[1] == found[2]
    [(said, rows), *_] = found
    assert len(rows) == 4
    [made] = said["metadata"]["method"]["retrieval"]
    assert (made["name"], made["method"], made["depth"]) == ("mine", "bm25", 50)
    assert made["indexes"]["text"]["config"] == "english"
    assert "functions" in said["metadata"]["implementation"]["source"]["commit"]


def test_a_fused_run_is_the_same_from_every_face(filled: psycopg.Connection, settings: Settings, collection: Collection) -> None:
    filled.execute("SELECT make_run('one', 'bm25', 50), make_run('two', 'boolean', 50)")
    found = by_face(
        filled,
        command(settings, retrieval, "fuse", "one", "two", "--name", "mine", "--depth", "20"),
        lambda: collection.fuse("mine", ["one", "two"], depth=20),
        lambda: filled.execute("SELECT * FROM fuse_runs('mine', '{one,two}', depth => 20)"),
    )
    assert found[0] == found[1] == found[2]
    assert len(found[0][1]) == 4


def test_an_imported_run_is_the_same_from_every_face(
    filled: psycopg.Connection, settings: Settings, collection: Collection, tmp_path: Path
) -> None:
    file = tmp_path / "mine.run"
    file.write_text("q1 Q0 1 1 2.5 tag\nq1 Q0 3 2 1.5 tag\n")
    found = by_face(
        filled,
        command(settings, runs, "import", str(file), "--team", "us", "--family", "sparse"),
        lambda: collection.runs.load(file, options=ImportOptions(team="us", family="sparse", unknown_documents="few")),
    )
    assert found[0] == found[1]
    assert (found[0][0]["team"], found[0][0]["family"]) == ("us", "sparse")
    assert len(found[0][1]) == 2


def test_a_run_is_judged_at_once_whatever_face_stored_it(
    filled: psycopg.Connection, settings: Settings, collection: Collection, tmp_path: Path
) -> None:
    file = tmp_path / "mine.run"
    file.write_text("q1 Q0 1 1 2.5 tag\n")
    (tmp_path / "people.qrels").write_text("q1 0 1 1\n")
    import_qrels(filled, tmp_path / "people.qrels", edition="people")
    faces: list[Face] = [
        command(settings, retrieval, "run", "bm25", "--name", "mine"),
        lambda: collection.run("bm25", "mine"),
        command(settings, runs, "import", str(file)),
        lambda: collection.runs.load(file),
        lambda: collection.runs.add({"qid": ["q1"], "docno": ["1"], "score": [1.0]}, "mine"),
    ]
    for face in faces:
        face()
        judged = "SELECT count(*) FROM stc_all.judged_runs g JOIN st1_runs n ON n.id = g.run WHERE n.run = 'mine'"
        assert filled.execute(judged).fetchone() == (1,)
        filled.execute("SELECT drop_runs('{mine}')")


def test_runs_made_of_runs_are_recorded_too(filled: psycopg.Connection) -> None:
    filled.execute("SELECT make_run('one', 'bm25', 50), make_run('two', 'boolean', 50)")
    filled.execute("SELECT * FROM fuse_runs('both', '{one,two}')")
    filled.execute(
        "SELECT s.* FROM st1_runs n, stc.rerank_store('again', n.id, '{}', '{}', '{}', '{\"system\": \"rerank\", \"n\": 0}') s"
        " WHERE n.run = 'one'"
    )
    for run, system in (("both", "fusion"), ("again", "rerank")):
        assert row(filled, run)["metadata"]["method"]["retrieval"][0]["method"] == system


def test_the_code_that_made_a_run_is_known_by_its_fingerprint(filled: psycopg.Connection) -> None:
    commit = "SELECT stc.run_metadata('mine') #>> '{implementation,source,commit}'"
    filled.execute("SELECT make_run('mine', 'bm25')")
    before = filled.execute(commit).fetchone()
    filled.execute("UPDATE stc_objects SET fingerprint = 'another' WHERE file = 'retrieval/bm25_search.sql'")
    assert filled.execute(commit).fetchone() != before
    assert filled.execute("SELECT metadata #>> '{implementation,source,commit}' FROM st1_runs").fetchone() == before

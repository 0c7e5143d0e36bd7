"""The upgrade repairs names and numbers that are no longer valid and reports each change."""

from __future__ import annotations

import psycopg
import pytest

from stcollection.db.online import CHECKS
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from stcollection.names import is_name
from tests.db.shape import shape
from tests.roles.worlds import collection

pytestmark = pytest.mark.slow

_ = collection


def _run(settings: Settings) -> tuple[str, ...]:
    """Upgrade and return the reported repairs."""
    return upgrade(settings).repairs


def _drop_checks(conn: psycopg.Connection) -> None:
    """Drop the checks that an upgrade adds to tables of an older version."""
    rows = conn.execute(
        "SELECT conrelid::regclass::text, conname FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid"
        " WHERE contype = 'c' AND NOT t.relispartition AND conname = ANY (%s)",
        [[one.name for one in CHECKS if one.since == "0009"]],
    ).fetchall()
    for table, constraint in rows:
        conn.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{constraint}"'.encode())


def test_names_and_numbers_of_an_older_collection(collection: psycopg.Connection, settings: Settings, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as own:
        before = shape(own)
    _drop_checks(collection)
    long = "y" * 300
    for statement, *values in (
        ("UPDATE st1_runs SET run = %s, family = '' WHERE run = 'red1'", "red1 \n\x1b[2J"),
        ("UPDATE st1_runs SET run = ' base' WHERE run = 'blue1'",),
        ("UPDATE st1_runs SET run = %s WHERE run = 'elsewhere'", long),
        ("UPDATE st1_runs SET team = 'red ' WHERE team = 'red'",),
        ("INSERT INTO stc.stc_members (member, team) VALUES ('anna', 'red '), ('ben', 'red')",),
        ("INSERT INTO stc_all.annotators VALUES ('x\n', 'g'), ('x', 'g')",),
        ("INSERT INTO stc_all.annotations (doc, aspect, annotator, grade) VALUES (1, 'complexity', 'x\n', 1)",),
        ("UPDATE qrels_editions SET edition = 'train ', sealed = now(), fingerprint = 'f' WHERE edition = 'train'",),
        (
            "INSERT INTO qrels_judgments (edition, query, doc, rel, annotator, similarity, hidden)"
            " SELECT edition, query, doc, rel, E'a\\tb', 'NaN', hidden FROM qrels_judgments WHERE hidden",
        ),
        ("UPDATE st1_scores SET value = 'NaN' WHERE hidden",),
    ):
        collection.execute(statement.encode(), values)
    said = _run(settings)
    runs = {row[0] for row in collection.execute("SELECT run FROM st1_runs")}
    assert {"base", r"red1 \u000A\u001B[2J"} <= runs
    assert all(is_name(run) for run in runs)
    assert len(runs) == 4
    assert all(any(run in one for one in said) for run in runs - {"base"})
    teams: dict[str, str] = dict(collection.execute("SELECT member, team FROM stc.stc_members").fetchall())
    assert teams["ben"] == "red"
    assert teams["anna"] != "red", "another team stays another"
    assert collection.execute("SELECT count(*) FROM st1_runs WHERE team = %s", [teams["anna"]]).fetchone() == (1,)
    assert collection.execute("SELECT count(*) FROM stc_all.annotators").fetchone() == (2,)
    assert collection.execute(
        "SELECT count(*) FROM stc_all.annotations a JOIN stc_all.annotators USING (annotator)"
    ).fetchone() == (1,)
    assert collection.execute(
        "SELECT count(*) FROM qrels_editions WHERE sealed IS NOT NULL AND edition LIKE 'train%'"
    ).fetchone() == (1,)
    assert collection.execute("SELECT count(*) FROM qrels_judgments WHERE similarity IS NOT NULL").fetchone() == (0,)
    annotators = {row[0] for row in collection.execute("SELECT DISTINCT annotator FROM qrels_judgments")}
    assert annotators == {"", r"a\u0009b"}
    assert collection.execute("SELECT count(*) FROM st1_scores WHERE hidden").fetchone() == (0,)
    for what in (
        "st1_scores.value",
        "qrels_judgments.similarity",
        "st1_runs.team",
    ):
        assert any(one.startswith(what) for one in said), what
    assert all(one.isprintable() for one in said)
    with psycopg.connect(dsn, autocommit=True) as own:
        assert shape(own) == before


def test_a_sound_collection_is_left_alone(collection: psycopg.Connection, settings: Settings) -> None:
    versions = collection.execute("SELECT run, version FROM st1_runs ORDER BY 1").fetchall()
    _drop_checks(collection)
    assert _run(settings) == ()
    assert collection.execute("SELECT run, version FROM st1_runs ORDER BY 1").fetchall() == versions


def test_what_is_too_large_to_be_dumped_is_cut(collection: psycopg.Connection, settings: Settings, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as own:
        before = shape(own)
    for column in ("params", "source", "sha256", "metadata"):
        collection.execute(f"ALTER TABLE st1_runs DROP CONSTRAINT st1_runs_{column}_size_check".encode())
    large = "repeat('é', 9 * 1024 * 1024)"
    collection.execute(
        f"UPDATE st1_runs SET params = jsonb_build_object('a', {large}), sha256 = {large} WHERE run = 'red1'".encode()
    )
    said = _run(settings)
    assert [one.partition(",")[0] for one in said] == [
        "st1_runs.params: 1 value that was not a JSON object of at most 32 levels and 16 MB removed",
        "st1_runs.sha256: 1 value of more than 16 MB",
    ]
    assert collection.execute("SELECT params, sha256 FROM st1_runs WHERE run = 'red1'").fetchone() == ({}, None)
    with psycopg.connect(dsn, autocommit=True) as own:
        assert shape(own) == before

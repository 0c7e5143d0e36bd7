"""JSON that members store is an object that every program can read, and odd values of older collections stop no reader."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from stcollection.analysis.run_card import run_card
from stcollection.bundle.make import make_bundle
from stcollection.db import rules
from stcollection.db.online import CHECKS
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from stcollection.errors import BadArgument, translate
from stcollection.http.answers import ServedCard
from stcollection.retrieval.fuse import fuse
from stcollection.runs.made import metadata_of
from stcollection.runs.metadata import dump
from stcollection.runs.unfinished import unfinished_runs
from tests.roles.worlds import Login, collection, store_run

pytestmark = pytest.mark.slow

_ = collection

_WRITTEN = """
SELECT DISTINCT c.relname::text, a.attname::text, a.atttypid::regtype::text
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
 CROSS JOIN unnest('{stc_participant,stc_reader}'::name[]) r (role)
 WHERE c.relnamespace IN ('public'::regnamespace, 'stc'::regnamespace) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
   AND a.atttypid IN ('json'::regtype, 'jsonb'::regtype, 'json[]'::regtype, 'jsonb[]'::regtype, 'xml'::regtype)
   AND (has_column_privilege(r.role, c.oid, a.attnum, 'INSERT') OR has_column_privilege(r.role, c.oid, a.attnum, 'UPDATE'))
"""
# Values as SQL, with whether a run may have them.
VALUES = {
    "object": ('\'{"system": "bm25", "k": [1, 2.5, null, true, {"x": "1e999"}]}\'::jsonb', True),
    "empty": ("'{}'::jsonb", True),
    "array": ("'[]'::jsonb", False),
    "pairs": ("'[[\"a\", 1]]'::jsonb", False),
    "number": ("'1'::jsonb", False),
    "text": ("'\"x\"'::jsonb", False),
    "null": ("'null'::jsonb", False),
    "true": ("'true'::jsonb", False),
    "32 levels": ("('{\"a\":' || repeat('[', 31) || repeat(']', 31) || '}')::jsonb", True),
    "a value in 32 levels": ("('{\"a\":' || repeat('[', 31) || '1' || repeat(']', 31) || '}')::jsonb", True),
    "33 levels": ("('{\"a\":' || repeat('[', 32) || '1' || repeat(']', 32) || '}')::jsonb", False),
    "33 levels of objects": ("(repeat('{\"a\":', 33) || '1' || repeat('}', 33))::jsonb", False),
    "3000 levels": ("(repeat('{\"a\":', 3000) || '{}' || repeat('}', 3000))::jsonb", False),
    "5000 levels": ("('{\"a\":' || repeat('[', 5000) || repeat(']', 5000) || '}')::jsonb", False),
    "largest number": ('\'{"a": 1.7976931348623157e308, "b": -1.7976931348623157e308}\'::jsonb', True),
    "infinity": ('\'{"a": [{"b": 1e309}]}\'::jsonb', False),
    "minus infinity": ("'{\"a\": -1e400}'::jsonb", False),
    "many digits": ("('{\"a\": 1' || repeat('0', 5000) || '}')::jsonb", False),
    "small number": ("'{\"a\": 1e-400}'::jsonb", True),
}
ODD = [name for name, (_, allowed) in VALUES.items() if not allowed]
# Objects whose entries are not what programs expect.
STRANGE = [
    '{"implementation": "x"}',
    '{"implementation": {"source": [1]}}',
    '{"method": 1, "platform": null}',
    '{"system": {"a": 1}, "depth": "x", "model": [1]}',
    '{"system": "dense_title", "model": "nonesuch", "filter": 3}',
    '{"depth": 1e300, "queries": {}}',
    '{"depth": -1, "name": ["x"]}',
]


def test_every_json_column_of_members_is_checked(conn: psycopg.Connection) -> None:
    found = conn.execute(_WRITTEN).fetchall()
    assert {(table, column) for table, column, _ in found} == {
        ("own_systems", "fusion"),
        *((table, column) for table, columns in rules.OBJECTS.items() for column in columns),
    }
    assert {kind for _, _, kind in found} == {"jsonb"}
    names = {name for (name,) in conn.execute("SELECT conname::text FROM pg_constraint WHERE contype = 'c'")}
    for table, column, _ in found:
        assert {f"{table}_{column}_object_check", f"{table}_{column}_size_check"} <= names


def test_a_member_stores_only_objects_that_programs_can_read(
    collection: psycopg.Connection, login: Login, subtests: pytest.Subtests
) -> None:
    attacker = login()
    attacker.execute("INSERT INTO st1_runs (run) VALUES ('mine')")
    attacker.execute(
        "INSERT INTO stc.unfinished_runs (run, maker, params, state, queries) VALUES ('u', current_user, '{}', '{}', 1)"
    )
    for name, (value, allowed) in VALUES.items():
        with subtests.test(name), attacker.transaction(force_rollback=True):
            store(attacker, value, allowed)
            judged = collection.execute(f"SELECT stc.is_metadata({value}), stc.plain_metadata({value}) = {value}".encode())
            assert judged.fetchone() == (allowed, allowed)


def store(attacker: psycopg.Connection, value: str, allowed: bool) -> None:
    """Store a value in every column that a member writes."""
    unfinished = "(SELECT id FROM stc.unfinished_runs WHERE run = 'u' AND maker = current_user)"
    for column, statement in {
        "params": f"INSERT INTO st1_runs (run, params) VALUES ('p', {value})",
        "metadata": f"INSERT INTO st1_runs (run, metadata) VALUES ('m', {value})",
        "st1_runs.params": f"UPDATE st1_runs SET params = {value} WHERE run = 'mine'",
        "st1_runs.metadata": f"UPDATE st1_runs SET metadata = {value} WHERE run = 'mine'",
        "unfinished_runs.params": f"INSERT INTO stc.unfinished_runs (run, maker, params, state, queries)"
        f" VALUES ('v', current_user, {value}, '{{}}', 1)",
        "unfinished_runs.state": f"INSERT INTO stc.unfinished_runs (run, maker, params, state, queries)"
        f" VALUES ('w', current_user, '{{}}', {value}, 1)",
        "unfinished_rankings.spent": f"INSERT INTO stc.unfinished_rankings (unfinished, query, docs, scores, spent)"
        f" VALUES ({unfinished}, 1, '{{}}', '{{}}', {value})",
        "own_systems.fusion": f"INSERT INTO stc.own_systems (system, maker, function, fusion)"
        f" VALUES ('f', current_user, 'f', {value})",
    }.items():
        if allowed:
            attacker.execute(statement.encode())
            continue
        with (
            pytest.raises(BadArgument, match=rf"{column}: the value is not a JSON object of at most 32 levels") as error,
            translate(),
            attacker.transaction(),
        ):
            attacker.execute(statement.encode())
        assert error.value.hint


def test_a_value_of_16_mb_is_refused_in_every_column(collection: psycopg.Connection, login: Login) -> None:
    attacker = login()
    large = "jsonb_build_object('a', repeat('x', 16 * 1024 * 1024 + 1))"
    for values in (f"{large}, '{{}}'", f"'{{}}', {large}"):
        with pytest.raises(psycopg.errors.CheckViolation, match="_size_check"):
            attacker.execute(
                "INSERT INTO stc.unfinished_runs (run, maker, params, state, queries)"
                f" VALUES ('v', current_user, {values}, 1)".encode()
            )


def _without_checks(conn: psycopg.Connection) -> None:
    """Make the tables those of an older version."""
    for one in CHECKS:
        if one.since == "0037":
            conn.execute(
                sql.SQL("ALTER TABLE {} DROP CONSTRAINT {}").format(
                    sql.Identifier("stc" if one.table.startswith("unfinished") else "public", one.table), sql.Identifier(one.name)
                )
            )


def _read(conn: psycopg.Connection, path: Path) -> None:
    """Read the values of a run as commands and the page do."""
    card = run_card(conn, "red1")
    served = ServedCard.model_validate(card.facts._asdict() | {"scores": [], "receipts": None})  # as the API does
    json.loads(served.model_dump_json())
    dump(metadata_of(conn, "red1"))
    for row in conn.execute("SELECT params FROM runs UNION ALL SELECT stc.run_metadata(run) FROM runs").fetchall():
        assert isinstance(row[0], dict)
    assert {one.run for one in unfinished_runs(conn)} >= {"u"}
    path.unlink(missing_ok=True)
    make_bundle(conn, path)


OLDER = {name: VALUES[name][0] for name in ODD} | {text: f"'{text}'::jsonb" for text in STRANGE}


def test_odd_values_of_an_older_collection_stop_no_reader(
    collection: psycopg.Connection, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    _without_checks(collection)
    for name, value in OLDER.items():
        _put_unfinished(collection, value)
        for column in ("params", "metadata"):
            with subtests.test(f"{column}: {name}"):
                collection.execute("UPDATE st1_runs SET params = '{}', metadata = NULL WHERE run = 'red1'")
                collection.execute(f"UPDATE st1_runs SET {column} = {value} WHERE run = 'red1'".encode())
                _read(collection, tmp_path / "bundle.zip")
                fuse(collection, runs=["red1", "base"], name="fused", replace=True)


def test_an_upgrade_removes_values_that_are_not_objects(
    collection: psycopg.Connection, settings: Settings, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    _without_checks(collection)
    _put_unfinished(collection, OLDER[ODD[0]])
    for name, value in OLDER.items():
        collection.execute(f"INSERT INTO st1_runs (run, params, metadata) VALUES (%s, {value}, {value})".encode(), [name])
    repairs = upgrade(settings).repairs
    assert len(repairs) == 5
    assert all("not a JSON object of at most 32 levels and 16 MB removed" in one for one in repairs)
    _read(collection, tmp_path / "bundle.zip")
    for name, value in OLDER.items():
        with subtests.test(name):
            kept = f"params = {value} AND metadata = {value}" if name in STRANGE else "params = '{}' AND metadata IS NULL"
            assert collection.execute(f"SELECT {kept} FROM st1_runs WHERE run = %s".encode(), [name]).fetchone() == (True,)
    assert upgrade(settings).repairs == ()


def _put_unfinished(conn: psycopg.Connection, value: str) -> None:
    """Store a value in the columns of an unfinished run."""
    conn.execute("DELETE FROM stc.unfinished_rankings")
    conn.execute("DELETE FROM stc.unfinished_runs")
    conn.execute(
        f"INSERT INTO stc.unfinished_runs (run, maker, params, state, queries) VALUES ('u', 'x', {value}, {value}, 1)".encode()
    )
    conn.execute(
        "INSERT INTO stc.unfinished_rankings (unfinished, query, docs, scores, spent)"
        f" SELECT id, 1, '{{}}', '{{}}', {value} FROM stc.unfinished_runs".encode()
    )


def test_runs_made_of_runs_stay_within_the_limit(collection: psycopg.Connection) -> None:
    store_run(collection, "fused0", None, 7)
    for number in range(1, 15):
        fuse(collection, runs=[f"fused{number - 1}", "base"], name=f"fused{number}")
        assert metadata_of(collection, f"fused{number}")["method"]
    deep = "(repeat('{\"a\":', 32) || '1' || repeat('}', 32))"
    collection.execute(f"UPDATE st1_runs SET params = {deep}::jsonb WHERE run = 'red1'".encode())
    fuse(collection, runs=["red1", "base"], name="of deep")
    row = collection.execute("SELECT params #> '{runs,0,params}' FROM st1_runs WHERE run = 'of deep'").fetchone()
    assert row == ({},)

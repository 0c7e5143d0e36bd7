"""Corrections of published judgments: a new version with its reasons, and what it changes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner, Result

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from stcollection.qrels.corrections import Correction, correct
from stcollection.qrels.derive import derive
from stcollection.qrels.diff import changes
from stcollection.qrels.editions import editions, seal, verify
from stcollection.qrels.rules import check
from tests.groups import Prefixed
from tests.qrels.conftest import Judge, says
from tests.qrels.pooled import put_run

pytestmark = pytest.mark.slow

Cli = Callable[..., Result]
JUDGED = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n"
ONE = [Correction(1, "q1", "d2", 2, "the abstract answers it")]


@pytest.fixture
def cli(conn: psycopg.Connection, judge: Judge, settings: Settings) -> Cli:
    judge(JUDGED, "train", split="train", year=2024, annotator="ada")
    judge("q1 0 d2 1\n", "train", annotator="bob")
    put_run(conn, "good", {"q1": ["d1", "d2"], "q2": ["d1"]})
    put_run(conn, "bad", {"q1": ["d2"], "q2": ["d2"]})

    def call(*arguments: str, code: int = 0) -> Result:
        done = CliRunner().invoke(Prefixed("publish correct"), arguments, obj=settings)
        assert done.exit_code == code or (code and done.exception is not None), done.output
        return done

    return call


def test_a_new_version_with_its_reason(conn: psycopg.Connection, judge: Judge) -> None:
    judge(JUDGED, "train", split="train", year=2024, annotator="ada")
    judge("q1 0 d2 1\n", "train", annotator="bob")
    before = seal(conn, "train")
    assert correct(conn, "train", ONE) == "train-v2"
    assert says(conn, "train-v2") == says(conn, "train") | {("q1", "d2"): 2}
    [verified] = verify(conn, "train")
    assert (verified.intact, verified.fingerprint) == (True, before.fingerprint)
    [second] = [one for one in editions(conn) if one.edition == "train-v2"]
    assert (second.split, second.year, second.sealed, second.rows) == ("train", 2024, None, 5)
    assert second.description == "correction of train: q1 d2 0 → 2 (the abstract answers it)"
    [change] = changes(conn, "train", "train-v2")
    assert change[:5] == ("q1", "d2", "changed", 0, 2)
    assert change.why == "the abstract answers it"
    assert [one.verdict for one in check(conn, "train-v2") if one.rule == "annotators"] == ["pass"]
    # A correction can be corrected, and wins in every rule.
    assert correct(conn, "train-v2", [ONE[0]._replace(rel=1, why="only in part")]) == "train-v3"
    assert says(conn, "train-v3")["q1", "d2"] == 1
    derive(conn, "derived", ["train-v3"], rule="max")
    assert says(conn, "derived")["q1", "d2"] == 1
    assert correct(conn, "train", ONE, annotator="ada") == "train-v4"
    assert says(conn, "train-v4")["q1", "d2"] == 2


def test_hidden_editions_have_hidden_versions(conn: psycopg.Connection, judge: Judge) -> None:
    judge(JUDGED, "test", split="test")
    correct(conn, "test", ONE, version="test fixed")
    assert conn.execute("SELECT bool_and(hidden) FROM stc_all.qrels_judgments WHERE note IS NOT NULL").fetchone() == (True,)
    assert conn.execute("SELECT edition FROM public.qrels_editions").fetchall() == [("decoy",)]


def test_what_is_refused(conn: psycopg.Connection, judge: Judge) -> None:
    judge(JUDGED, "train")
    for wrong, words in (
        (ONE[0]._replace(query="q11"), "no query 'q11'; did you mean 'q1'"),
        (ONE[0]._replace(doc="d9"), "no document 'd9'"),
        (ONE[0]._replace(rel=0), "has the grade 0 already"),
        (ONE[0]._replace(why=" "), "the reason is missing"),
        (ONE[0]._replace(query="q2"), "q2, document d2 is not judged in edition 'train'"),
    ):
        with pytest.raises(BadArgument, match=words):
            correct(conn, "train", [wrong])
    with pytest.raises(BadArgument, match="already on line 1"):
        correct(conn, "train", [*ONE, ONE[0]._replace(line=2, rel=1)])
    with pytest.raises(BadArgument, match="no correction"):
        correct(conn, "train", [])
    with pytest.raises(BadArgument, match="'decoy' already exists"):
        correct(conn, "train", ONE, version="decoy")
    with pytest.raises(UnknownObject, match="no edition 'trai'"):
        correct(conn, "trai", ONE)
    assert {one.edition for one in editions(conn)} == {"train", "decoy"}
    added = correct(conn, "train", [ONE[0]._replace(query="q2")], unjudged=True)
    assert says(conn, added)["q2", "d2"] == 2


def test_the_command(conn: psycopg.Connection, cli: Cli) -> None:
    one = ("--query", "q1", "--doc", "d2", "--rel", "2", "--why", "=it answers")
    told = cli("train", *one).output
    assert "train-v2: train with 1 correction; train does not change" in told
    assert "=it answers" in told
    assert "rank by train" in told
    assert "stc publish seal train-v2" in told
    data = json.loads(cli("train", *one, "--into", "other", "--format", "json", "-m", "P@1").output)
    assert (data["edition"], data["corrects"], data["judgments"][0]["rel_b"]) == ("other", "train", 2)
    assert {row["run"]: row["shift"] for row in data["runs"]} == {"bad": 0.5, "good": 0}
    assert "--sheet FILE" in cli("train", "--query", "q1", code=2).output
    assert "omit --query" in cli("train", "--query", "q1", "--sheet", __file__, code=2).output


def test_a_sheet(conn: psycopg.Connection, cli: Cli, tmp_path: Path) -> None:
    sheet = tmp_path / "errata.csv"
    sheet.write_text("\ufeffquery;doc;rel;why;note\nq1;d2;2.0;answers it;\nq2;d1;-1;unreadable;x\n")
    told = cli("train", "--sheet", str(sheet)).output
    assert "train-v2: train with 2 corrections" in told
    assert says(conn, "train-v2") == {("q1", "d1"): 2, ("q1", "d2"): 2, ("q2", "d1"): -1}
    [second] = [one for one in editions(conn) if one.edition == "train-v2"]
    assert second.description == "correction of train: 2 judgments"
    sheet.write_text("query,doc,rel,why\nq1,d2,x,w\nq1,d1,1,\nq2,d1,2,w\n")
    assert "'x' is not a grade; 1 more fault" in str(cli("train", "--sheet", str(sheet), code=3).exception)
    sheet.write_text("query,doc,rel,why\nq1,d2,2,w\nq7,d1,1,w\nq1,d7,2,w\n")
    assert "errata.csv:3: there is no query 'q7'" in str(cli("train", "--sheet", str(sheet), code=3).exception)
    sheet.write_text("query,doc,grade\nq1,d2,2\n")
    assert "are missing" in str(cli("train", "--sheet", str(sheet), code=3).exception)
    sheet.write_text('{"query": "q1", "doc": "d2", "rel": 2, "why": "w"}\n')
    assert "train-v3" in cli("train", "--sheet", str(sheet)).output
    assert {one.edition for one in editions(conn)} == {"train", "train-v2", "train-v3", "decoy"}

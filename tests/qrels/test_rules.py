"""The rules of the track's organisers, each kept and each violated; and the published figures."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, UnknownObject
from stcollection.io.qrels.judgments import SCALES
from stcollection.qrels.derive import derive
from stcollection.qrels.editions import EditionFacts, describe, drop_edition, editions
from stcollection.qrels.rules import Verdict, check
from stcollection.topics.load import load
from tests.groups import qrels
from tests.qrels.conftest import Judge

FIVE = "".join(f"q1 0 d{n} {1 + n % 2}\n" for n in range(5))


@pytest.fixture
def known(conn: psycopg.Connection) -> None:
    """Store queries q1 to q3 with text and topic, and documents d0 to d9."""
    conn.execute("INSERT INTO st1_topics (topic) VALUES ('T')")
    conn.execute(
        "INSERT INTO stc.st1_queries (query, text, topic) SELECT 'q' || n, 'x', t.id FROM generate_series(1, 3) n, st1_topics t"
    )
    conn.execute("INSERT INTO dblp (id, docno, doc) SELECT n, 'd' || n, '{}' FROM generate_series(0, 9) n")


def offenders(conn: psycopg.Connection, edition: str = "mine", **options: int) -> dict[str, list[str]]:
    """Return the offenders of violated rules, checking the verdicts."""
    found = check(conn, edition, **options)
    assert [one.rule for one in found] == ["relevant", "unseen", "documents", "queries", "grades", "annotators"]
    for one in found:
        assert (one.verdict == "fail") == bool(one.offenders)
    return {one.rule: list(one.offenders) for one in found if one.offenders}


@pytest.mark.usefixtures("known")
def test_an_edition_that_keeps_them(conn: psycopg.Connection, judge: Judge) -> None:
    judge(FIVE, split="test", year=2024)
    assert check(conn, "mine") == [
        Verdict("relevant", "pass", 1, []),
        Verdict("unseen", "pass", 1, []),
        Verdict("documents", "pass", 5, []),
        Verdict("queries", "pass", 1, []),
        Verdict("grades", "pass", 5, []),
        Verdict("annotators", "pass", 5, []),
    ]


@pytest.mark.usefixtures("known")
def test_relevant_documents(conn: psycopg.Connection, judge: Judge) -> None:
    judge(FIVE + "q2 0 d1 2\nq2 0 d2 0\nq3 0 d1 -1\n")
    assert offenders(conn)["relevant"] == ["q2 (1)", "q3 (0)"]
    assert offenders(conn, rel=2)["relevant"] == ["q1 (2)", "q2 (1)", "q3 (0)"]
    assert offenders(conn, relevant=1)["relevant"] == ["q3 (0)"]
    with pytest.raises(BadArgument, match="relevant is 0"):
        check(conn, "mine", relevant=0)


@pytest.mark.usefixtures("known")
def test_a_test_query_has_no_earlier_judgment(conn: psycopg.Connection, judge: Judge) -> None:
    judge("q1 0 d1 1\n", "raw")
    judge("q2 0 d1 0\n", "old", year=2023)
    judge("q3 0 d1 0\n", "new", year=2025)
    judge("q1 0 d2 1\nq2 0 d2 1\nq3 0 d2 1\n", "official", split="test", year=2024)
    drop_edition(conn, "decoy")
    assert offenders(conn, "official")["unseen"] == ["q1 (raw)", "q2 (old)"]
    describe(conn, "official", split="train")
    assert [one.verdict for one in check(conn, "official") if one.rule == "unseen"] == ["not asked"]
    derive(conn, "derived", ["raw"], facts=EditionFacts(split="test"))
    derive(conn, "again", ["derived", "official"], facts=EditionFacts(split="test", year=2024))
    assert offenders(conn, "derived")["unseen"] == ["q1 (official)"]  # the source of an edition is not a conflicting edition
    assert offenders(conn, "again")["unseen"] == ["q2 (old)"]


@pytest.mark.usefixtures("known")
def test_parts_of_an_edition(conn: psycopg.Connection, judge: Judge) -> None:
    judge(FIVE + FIVE.replace("q1", "q2") + FIVE.replace("q1", "q3"), "all")
    drop_edition(conn, "decoy")
    derive(conn, "max", ["all"], rule="max")
    derive(conn, "train", ["all"], queries="q1", facts=EditionFacts(split="train"))
    derive(conn, "test", ["max"], queries="q2+q3", facts=EditionFacts(split="test"))
    assert offenders(conn, "test") == {}  # neither its sources nor what was derived from them
    derive(conn, "later", ["test"], facts=EditionFacts(split="test"))
    assert offenders(conn, "later") == {}
    derive(conn, "overlap", ["all"], queries="q1+q2", facts=EditionFacts(split="train"))
    assert offenders(conn, "test")["unseen"] == ["q2 (overlap)"]  # also if it was made after the test
    describe(conn, "test", year=2024)
    describe(conn, "overlap", year=2025)  # last year's test is this year's training data
    assert offenders(conn, "test") == {}
    judge("q3 0 d1 1\n", "other", year=2023)
    drop_edition(conn, "decoy")
    assert offenders(conn, "test")["unseen"] == ["q3 (other)"]


def test_plain_queries_have_no_topics(conn: psycopg.Connection, judge: Judge, tmp_path: Path) -> None:
    conn.execute("INSERT INTO dblp (id, docno, doc) SELECT n, 'd' || n, '{}' FROM generate_series(0, 9) n")
    plain = tmp_path / "queries.tsv"
    plain.write_text("q1\twhat is retrieval\nq2\twhat is a topic\n")
    load(conn, [plain])
    judge(FIVE + FIVE.replace("q1", "q2"), split="test")
    drop_edition(conn, "decoy")
    assert offenders(conn) == {}
    judge(FIVE + FIVE.replace("q1", "q2") + "q3 0 d1 1\n", "stub")
    assert offenders(conn, "stub")["queries"] == ["q3 (no text)"]


@pytest.mark.usefixtures("known")
def test_documents_queries_and_grades(conn: psycopg.Connection, judge: Judge) -> None:
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q8', 'x'), ('q9', ' ')")
    judge("q1 0 z 1\nq8 0 d1 3\nq9 0 d1 -1\nq1 0 d2 2\n")
    found = offenders(conn)
    assert (found["documents"], found["queries"]) == (["z"], ["q8 (no topic)", "q9 (no text)"])
    assert found["grades"] == ["q8 d1 (3)", "q9 d1 (-1)"]
    assert offenders(conn, highest=3)["grades"] == ["q9 d1 (-1)"]
    judge("q1 0 d1 5\nq1 0 d2 2\n", "mapped", grades=SCALES["simpletext-2022"])
    assert "grades" not in offenders(conn, "mapped")
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT e.id, q.id, 3, 5 FROM qrels_editions e, st1_queries q"
        " WHERE e.edition = 'mapped' AND q.query = 'q1'"
    )
    assert offenders(conn, "mapped", highest=9)["grades"] == ["q1 d3 (5)"]


@pytest.mark.usefixtures("known")
def test_annotators_of_one_mind(conn: psycopg.Connection, judge: Judge) -> None:
    judge(FIVE, annotator="ada")
    judge(FIVE.replace("d2 1", "d2 0"), annotator="bob")
    judge("q1 0 d0 0\n", origin="llm", annotator="qwen")  # another origin does not count
    assert offenders(conn)["annotators"] == ["q1 d2 (ada 1, bob 0)"]
    derive(conn, "settled", ["mine"], rule="max")
    assert "annotators" not in offenders(conn, "settled")
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel, annotator, final) SELECT edition, query, doc, 2, 'chair', true"
        " FROM qrels_judgments WHERE annotator = 'bob' AND doc = 2 AND edition = stc.edition_key('mine')"
    )
    assert "annotators" not in offenders(conn)


def test_an_unknown_edition(conn: psycopg.Connection, judge: Judge) -> None:
    judge(FIVE, "test")
    with pytest.raises(UnknownObject, match="no edition 'tests'") as error:
        check(conn, "tests")
    assert "Did you mean 'test'?" in (error.value.hint or "")


@pytest.mark.slow
def test_the_published_judgments(conn: psycopg.Connection, judge: Judge, data: Path, settings: Settings) -> None:
    load(conn, [data / "simpletext/simpletext_2024_task1_queries.csv"])
    judge(data / "simpletext/train_G01-G15.qrels", "train", split="train", year=2024)
    [train] = [one for one in editions(conn) if one.edition == "train"]
    assert (train.queries, train.judgments, train.rows) == (30, 2297, 2297)
    assert train.grades == {"0": 1457, "1": 401, "2": 439}
    assert (train.split, train.year, train.scale) == ("train", 2024, None)
    found = offenders(conn, "train")
    assert set(found) == {"relevant", "documents"}  # no corpus is loaded here
    assert found["relevant"] == ["G03.2 (0)"]
    told = CliRunner().invoke(qrels, ["check", "train", "--format", "json"], obj=settings)
    assert isinstance(told.exception, BadInput)
    assert told.exception.exit_code == 3
    assert json.loads(told.stdout)[0]["offenders"] == found["relevant"]
    assert "breaks 2 of 6 rules: relevant, documents" in str(told.exception)


@pytest.mark.usefixtures("known")
def test_every_annotators_grades_are_on_the_scale(conn: psycopg.Connection, judge: Judge) -> None:
    judge("q1 0 d1 2\nq1 0 d2 1\n", annotator="ada")
    judge("q1 0 d1 10\nq1 0 d2 1\n", annotator="bob")
    assert offenders(conn, highest=3)["grades"] == ["q1 d1 (bob 10)"]
    [mine] = [one for one in editions(conn) if one.edition == "mine"]
    assert sorted(map(int, mine.grades)) == [1, 2, 10]
    assert sum(mine.grades.values()) == mine.judgments

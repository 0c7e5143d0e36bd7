"""Editions of the judgments: append-only imports, effective grades, exports."""

from __future__ import annotations

import io
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, UnknownObject
from stcollection.io.qrels.judgments import SCALES
from stcollection.names import is_name
from stcollection.qrels.editions import describe, drop_edition, editions, export_qrels
from tests.groups import qrels
from tests.qrels.conftest import Judge, says

THREE = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 -1\n"


def exported(conn: psycopg.Connection, edition: str = "mine", layout: str = "trec") -> str:
    out = io.BytesIO()
    export_qrels(conn, edition, out, layout=layout)
    return out.getvalue().decode()


def judgments(conn: psycopg.Connection) -> list[tuple[object, ...]]:
    return conn.execute(
        "SELECT e.edition, q.query, d.docno, j.rel, j.origin, j.annotator"
        " FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition"
        " JOIN st1_queries q ON q.id = j.query JOIN dblp d ON d.id = j.doc WHERE e.edition <> 'decoy' ORDER BY j.id"
    ).fetchall()


def test_the_same_file_again_changes_nothing(conn: psycopg.Connection, judge: Judge) -> None:
    done = judge(THREE)
    assert (done.queries, done.judgments, done.added, done.unchanged) == (2, 3, 3, 0)
    assert (done.new_queries, done.new_documents) == (2, 2)
    before = judgments(conn)
    assert before == [
        ("mine", "q1", "d1", 2, "human", ""),
        ("mine", "q1", "d2", 0, "human", ""),
        ("mine", "q2", "d1", -1, "human", ""),
    ]
    done = judge(THREE + "q3 0 d1 1\n")
    assert (done.judgments, done.added, done.unchanged) == (4, 1, 3)
    assert judgments(conn)[:3] == before
    assert says(conn) == {("q1", "d1"): 2, ("q1", "d2"): 0, ("q2", "d1"): -1, ("q3", "d1"): 1}


def test_another_grade_is_an_error_that_names_the_line(conn: psycopg.Connection, judge: Judge) -> None:
    judge(THREE, annotator="ada")
    before = judgments(conn)
    for policy in ("error", "first"):
        with pytest.raises(BadInput, match=r"judged\.qrels:2: query q1, document d1 is 1 here and stored as 2 by ada") as error:
            judge("q9 0 d9 1\nq1 0 d1 1\n", annotator="ada", on_duplicate=policy)
        assert error.value.sqlstate == "IR302"
        assert "append-only" in (error.value.hint or "")
    assert judgments(conn) == before
    assert conn.execute("SELECT 1 FROM dblp WHERE docno = 'd9'").fetchone() is None
    judge("q1 0 d1 1\n", annotator="bob")
    assert says(conn)["q1", "d1"] == 2  # the earliest judgment of an origin stays effective
    assert len(judgments(conn)) == 4


def test_duplicates_in_a_file(conn: psycopg.Connection, judge: Judge) -> None:
    assert judge(THREE + THREE).duplicates == 3
    with pytest.raises(BadInput, match=r"judged\.qrels:3: query q4, document d1 is 1 here and 2 on line 1") as error:
        judge("q4 0 d1 2\nq4 0 d2 2\nq4 0 d1 1\n")
    assert "--on-duplicate" in (error.value.hint or "")
    assert judge("q4 0 d1 2\nq4 0 d2 2\nq4 0 d1 1\n", on_duplicate="first").duplicates == 1
    assert says(conn)["q4", "d1"] == 2
    with pytest.raises(BadArgument, match="on_duplicate is 'best'"):
        judge(THREE, on_duplicate="best")


def test_human_before_llm_before_knn(conn: psycopg.Connection, judge: Judge) -> None:
    judge("q 0 a 0\nq 0 b 0\nq 0 c 0\n", origin="knn")
    judge("q 0 a 1\nq 0 b 1\n", origin="llm", annotator="qwen")
    judge("q 0 a 2\n", annotator="ada")
    assert says(conn) == {("q", "a"): 2, ("q", "b"): 1, ("q", "c"): 0}
    assert exported(conn, layout="csv") == "topic,query,doc,rel,origin\n,q,a,2,human\n,q,b,1,llm\n,q,c,0,knn\n"
    [overview] = [one for one in editions(conn) if one.edition == "mine"]
    assert overview[2:7] == (1, 3, {"0": 1, "1": 1, "2": 1}, {"human": 1, "llm": 1, "knn": 1}, 6)


def test_columns_of_the_file_say_origin_and_annotator(conn: psycopg.Connection, judge: Judge) -> None:
    judge("query,doc,rel,origin,annotator\nq,a,1,llm,qwen\nq,b,1,human,ada\n")
    assert [row[4:] for row in judgments(conn)] == [("llm", "qwen"), ("human", "ada")]
    with pytest.raises(BadInput, match=r"judged\.qrels:2: 'robot' is not an origin"):
        judge("query,doc,rel,origin\nq,c,1,robot\n")


def test_what_is_not_in_the_collection(conn: psycopg.Connection, judge: Judge) -> None:
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (7, 'd1', '{}')")
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q1', 'x')")
    with pytest.raises(BadInput, match=r"judged\.qrels:2: document d2 is not stored"):
        judge(THREE, unknown_documents="error")
    with pytest.raises(BadInput, match=r"judged\.qrels:3: query q2 is not stored"):
        judge(THREE, unknown_queries="error")
    assert editions(conn) == []
    done = judge(THREE, unknown_documents="skip", unknown_queries="skip")
    assert (done.judgments, done.skipped_documents, done.skipped_queries) == (1, 1, 1)
    assert says(conn) == {("q1", "d1"): 2}
    assert judge(THREE).added == 2
    assert conn.execute("SELECT docno, stub FROM dblp ORDER BY docno").fetchall() == [("d1", False), ("d2", True)]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE qrels_judgments SET rel = 1",
        "DELETE FROM qrels_judgments",
        "TRUNCATE qrels_judgments",
        "WITH d AS (SELECT set_config('stcollection.drop_edition', '999', true)) DELETE FROM qrels_judgments USING d",
    ],
)
def test_a_judgment_is_not_changed(conn: psycopg.Connection, judge: Judge, statement: str) -> None:
    judge(THREE)
    with pytest.raises(psycopg.Error, match="append-only") as error:
        conn.execute(statement.encode())
    assert error.value.sqlstate == "IR202"
    assert len(judgments(conn)) == 3


def test_an_edition_is_dropped_as_a_whole(conn: psycopg.Connection, judge: Judge) -> None:
    judge(THREE)
    judge(THREE, "other")
    assert drop_edition(conn, "mine") == 3
    assert [one.edition for one in editions(conn)] == ["decoy", "other"]
    assert len(says(conn, "other")) == 3
    with pytest.raises(UnknownObject, match="no edition 'mine'"):
        drop_edition(conn, "mine")
    with pytest.raises(psycopg.Error, match="append-only"):
        conn.execute("DELETE FROM qrels_judgments")


def test_an_unknown_edition_is_named_with_a_way_on(conn: psycopg.Connection, judge: Judge) -> None:
    judge(THREE, "train")
    with pytest.raises(UnknownObject, match="no edition 'trian'") as error:
        exported(conn, "trian")
    assert "Did you mean 'train'?" in (error.value.hint or "")


def test_the_published_view(conn: psycopg.Connection, judge: Judge) -> None:
    conn.execute("INSERT INTO st1_topics (topic) VALUES ('G01')")
    conn.execute("INSERT INTO stc.st1_queries (query, topic) VALUES ('G01.1', 1)")
    judge("G01.1 0 1564531496 0\n", "train", origin="knn")
    judge("G01.1 0 1564531496 2\nx 0 5 1\n", "train")
    judge("G01.1 0 5 2\n", "test")
    cursor = conn.execute("SELECT * FROM st1_qrels_train ORDER BY doc")
    assert [column.name for column in cursor.description or []] == ["topic", "query", "doc", "rel", "origin"]
    assert cursor.fetchall() == [(None, "x", 5, 1, "human"), ("G01", "G01.1", 1564531496, 2, "human")]


def test_the_published_view_has_the_judgments_that_count(conn: psycopg.Connection, judge: Judge) -> None:
    for origin in ("knn", "llm", "human", "llm"):
        for number in range(3):
            judge(f"q{number} 0 d1 {number}\nq1 0 {origin} 1\nq2 0 d{number} 2\n", "train", origin=origin, annotator=f"a{number}")
    judge("q1 0 d9 1\n", "other")
    published = conn.execute("SELECT query, doc, rel, origin FROM st1_qrels_train").fetchall()
    counting = conn.execute(
        "SELECT q.query, j.doc, j.rel, j.origin FROM qrels j JOIN st1_queries q ON q.id = j.query"
        " JOIN qrels_editions e ON e.id = j.edition WHERE e.edition = 'train'"
    ).fetchall()
    assert sorted(published) == sorted(counting)
    assert {origin for *_, origin in published} == {"knn", "llm", "human"}


@pytest.mark.parametrize(
    ("condition", "key"),
    [
        ("query = 'q1'", "(query = "),
        ("query = ANY (ARRAY(SELECT 'q1'))", "(query = "),
        ("doc = 7", "(doc = "),
        ("doc IN (SELECT d.id FROM dblp d WHERE d.docno = 'd1')", "(doc = "),
    ],
)
def test_a_condition_on_the_published_view_reaches_the_judgments(conn: psycopg.Connection, condition: str, key: str) -> None:
    conn.execute("SET LOCAL enable_seqscan = off")
    plan = conn.execute(f"EXPLAIN SELECT * FROM st1_qrels_train WHERE {condition}").fetchall()
    assert any("Index Cond" in line and key in line for (line,) in plan), "\n".join(line for (line,) in plan)


def test_names_in_the_order_of_their_bytes(conn: psycopg.Connection, judge: Judge) -> None:
    judge("b 0 1 1\na-b 0 10 1\nab 0 9 1\nB 0 x 1\nab 0 10 1\n")
    assert exported(conn) == "B 0 x 1\na-b 0 10 1\nab 0 10 1\nab 0 9 1\nb 0 1 1\n"
    conn.execute("UPDATE dblp SET docno = 'a b' WHERE docno = 'x'")
    with pytest.raises(BadArgument, match="'a b' contains white space"):
        exported(conn)
    assert ",B,a b,1,human" in exported(conn, layout="csv")


NAMES = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=6).filter(
    lambda name: name[0] != "#" and is_name(name)
)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=st.dictionaries(st.tuples(NAMES, NAMES), st.integers(-2, 5), min_size=1), layout=st.sampled_from(["trec", "csv"]))
def test_an_export_taken_in_again_says_the_same(
    conn: psycopg.Connection, judge: Judge, said: dict[tuple[str, str], int], layout: str
) -> None:
    for edition in ("mine", "again"):
        if any(one.edition == edition for one in editions(conn)):
            drop_edition(conn, edition)
    judge("".join(f"{query} 0 {doc} {rel}\n" for (query, doc), rel in said.items()), columns="query,_,doc,rel")
    assert says(conn) == said
    judge(exported(conn, layout=layout), "again", columns="query,_,doc,rel" if layout == "trec" else None)
    assert says(conn, "again") == said


def test_what_an_edition_is(conn: psycopg.Connection, judge: Judge) -> None:
    judge(THREE, description="of 2024", split="train", year=2024)
    [mine] = [one for one in editions(conn) if one.edition == "mine"]
    assert (mine.description, mine.split, mine.year, mine.scale, mine.sealed, mine.fingerprint) == (
        "of 2024",
        "train",
        2024,
        None,
        None,
        None,
    )
    judge(THREE, description="of 2024, all of it", split="train", year=2024)
    before = judgments(conn)
    with pytest.raises(BadArgument, match="the split of edition 'mine' is train, not test") as error:
        judge("q7 0 d7 1\n", split="test")
    assert "stc publish describe" in (error.value.hint or "")
    assert judgments(conn) == before
    describe(conn, "mine", split="test", year=2025)
    [mine] = [one for one in editions(conn) if one.edition == "mine"]
    assert (mine.description, mine.split, mine.year) == ("of 2024, all of it", "test", 2025)
    with pytest.raises(BadArgument, match="split is 'dev'"):
        describe(conn, "mine", split="dev")
    with pytest.raises(UnknownObject, match="no edition 'mines'"):
        describe(conn, "mines", year=2025)


def test_an_edition_has_one_mapping_of_grades(conn: psycopg.Connection, judge: Judge) -> None:
    judge("q 0 a 5\nq 0 b 2\n", grades=SCALES["simpletext-2022"])
    judge("q 0 c 4\n", grades=SCALES["simpletext-2022"])
    for grades in (None, {5: 1, 4: 1}):
        with pytest.raises(BadArgument, match="the grades of edition 'mine' are mapped by") as error:
            judge("q 0 d 4\n", grades=grades)
        assert "--map" in (error.value.hint or "")
    assert says(conn) == {("q", "a"): 2, ("q", "b"): 1, ("q", "c"): 2}
    judge("q 0 a 5\n", "held")
    with pytest.raises(BadArgument, match="the grades of edition 'held' are not mapped"):
        judge("q 0 b 5\n", "held", grades=SCALES["simpletext-2022"])
    describe(conn, "held", scale={5: 5})
    with pytest.raises(BadArgument, match="has another grade mapping"):
        describe(conn, "held", scale={5: 2})


def test_each_statement_that_adds_counts(conn: psycopg.Connection, judge: Judge) -> None:
    def version() -> int:
        row = conn.execute("SELECT version FROM qrels_editions WHERE edition = 'mine'").fetchone()
        assert row is not None
        return int(row[0])

    judge(THREE)
    first = version()
    judge(THREE)
    assert version() == first  # nothing was added
    judge("q5 0 d1 1\n")
    assert version() == first + 1


@pytest.mark.slow
def test_real_editions(conn: psycopg.Connection, judge: Judge, data: Path) -> None:
    assert judge(data / "trec-dl/dl23/nist.qrels", "dl23").added == 22327
    assert judge(data / "trec-dl/dl23/gpt4.qrels", "dl23", origin="llm", annotator="gpt-4").added == 22327
    nist = dict(
        line.split()[2:] for line in (data / "trec-dl/dl23/nist.qrels").read_text().splitlines() if line.startswith("2001010 ")
    )
    assert {docno: str(rel) for (query, docno), rel in says(conn, "dl23").items() if query == "2001010"} == nist
    grades = {1: 4, 2: 3, 3: 2, 4: 1, -1: 0}
    judge(data / "cranfield/cranqrel", "cranfield", grades=grades)
    judge(data / "trec_eval/qrels.rel_level", "rel_level")
    with pytest.raises(BadInput, match=r"qrels\.123:3686: query 301, document CR93E-1860 is 3 here and 0 on line 5"):
        judge(data / "trec_eval/qrels.123", "123")
    found = {one.edition: one for one in editions(conn)}
    assert found["dl23"].grades == {"0": 13866, "1": 4372, "2": 2259, "3": 1830}
    assert (found["dl23"].origins, found["dl23"].rows) == ({"human": 22327}, 44654)
    assert found["cranfield"].grades == {"0": 225, "1": 363, "2": 734, "3": 387, "4": 128}
    assert found["rel_level"].grades["-1"] == 304
    assert "123" not in found


@pytest.mark.slow
def test_the_commands(settings_: Settings, data: Path, tmp_path: Path) -> None:
    def stc(*arguments: str) -> str:
        return CliRunner().invoke(qrels, list(arguments), obj=settings_, catch_exceptions=False).stdout

    path = str(data / "simpletext/train_G01-G15.qrels")
    assert "2,297 judgments on 30 queries, 2,297 added; 30 queries not in" in stc("import", path, "--edition", "train")
    assert "0 added; 2,297 stored already" in stc("import", path, "--edition", "train")
    assert "0: 1,457  1: 401  2: 439" in stc("editions")
    assert '"judgments": 2297' in stc("editions", "--json")
    out = tmp_path / "out.qrels"
    assert "2,297" in stc("export", "--edition", "train", "--out", str(out))
    lines = [line.replace("Q0", "0").split() for line in Path(path).read_text().splitlines()[1:]]
    assert sorted(map(str.split, out.read_text().splitlines())) == sorted(lines)
    assert stc("export", "--edition", "train") == out.read_text()
    cranfield = str(data / "cranfield/cranqrel")
    assert "1,837 added" in stc("import", cranfield, "--edition", "c", "--map", "1=4,2=3,3=2,4=1,-1=0", "--annotator", "cleverdon")
    assert stc("drop", "train", "--yes").endswith("removed the edition 'train': 2,297 judgments\n")


@pytest.fixture
def settings_(settings: Settings) -> Settings:
    """Return the fixture settings under another name, which hypothesis uses too."""
    return settings


def test_a_scale_whose_best_grade_is_1(conn: psycopg.Connection, judge: Judge) -> None:
    text, told = "1 184 1\n1 29 -1\n1 31 4\n1 33 2\n", list[str]()
    judge(text, "as it is", warn=told.append)
    assert len(told) == 1
    assert "--best-grade 1" in told[0]
    judge(text, "turned", best_grade=1, warn=told.append)
    assert len(told) == 1
    assert says(conn, "turned") == {("1", "184"): 4, ("1", "29"): 0, ("1", "31"): 1, ("1", "33"): 3}

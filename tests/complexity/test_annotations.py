"""Import and export of people's grades."""

from __future__ import annotations

import csv
import gzip
import io
import threading
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner, Result

from stcollection import demo
from stcollection.complexity.annotations import (
    AnnotationGrade,
    _rows,
    export_annotations,
    load_annotations,
    overview,
    read_annotations,
)
from stcollection.corpus.load import load
from stcollection.db.settings import Settings
from stcollection.errors import BadInput, StateError, StcError
from tests.complexity.grading import BSC, HUM, MSC, grade, put_documents, sheet
from tests.groups import annotations_

pytestmark = pytest.mark.slow

ROWS = [("d1", "ann", HUM, 2, 1), ("d1", "bob", BSC, 1, None), ("d2", "ann", HUM, 0, 2)]


@pytest.fixture
def documents(conn: psycopg.Connection) -> psycopg.Connection:
    put_documents(conn, ["d1", "d2", "d3"])
    return conn


def stored(conn: psycopg.Connection) -> list[tuple[object, ...]]:
    return conn.execute(
        "SELECT d.docno, a.annotator, a.aspect, a.grade, a.source FROM stc_all.annotations a JOIN dblp d ON d.id = a.doc"
        " ORDER BY 1, 2, 3"
    ).fetchall()


def test_a_file_is_stored_once(documents: psycopg.Connection) -> None:
    done = grade(documents, ROWS)
    assert (done.grades, done.documents, done.annotators, done.added, done.unchanged, done.duplicates) == (5, 2, 2, 5, 0, 0)
    assert stored(documents) == [
        ("d1", "ann", "complexity", 2, "mine.csv"),
        ("d1", "ann", "credibility", 1, "mine.csv"),
        ("d1", "bob", "complexity", 1, "mine.csv"),
        ("d2", "ann", "complexity", 0, "mine.csv"),
        ("d2", "ann", "credibility", 2, "mine.csv"),
    ]
    again = grade(documents, ROWS)
    assert (again.grades, again.added, again.changed, again.unchanged) == (5, 0, 0, 5)
    assert len(stored(documents)) == 5


def test_a_different_grade_requires_replace(documents: psycopg.Connection) -> None:
    grade(documents, ROWS)
    other = [("d2", "ann", HUM, 0, 2), ("d1", "ann", HUM, 0, 1), ("d3", "ann", HUM, 1, None)]
    with pytest.raises(BadInput, match=r"mine.csv:3: complexity of document d1 by ann is 0 here and stored as 2") as error:
        grade(documents, other)
    assert (error.value.sqlstate, len(stored(documents))) == ("IR302", 5)
    done = grade(documents, other, replace_grades=True)
    assert (done.added, done.changed, done.unchanged) == (1, 1, 3)
    assert ("d1", "ann", "complexity", 0, "mine.csv") in stored(documents)


def test_the_same_grade_twice_is_a_duplicate_another_one_is_not(documents: psycopg.Connection) -> None:
    assert grade(documents, [*ROWS, ROWS[0]]).duplicates == 2
    with pytest.raises(BadInput, match=r"mine.csv:5: credibility of document d2 by ann is 1 here and 2 on line 4") as error:
        grade(documents, [*ROWS, ("d2", "ann", HUM, 0, 1)], replace_grades=True)
    assert error.value.sqlstate == "IR302"


def test_an_annotator_belongs_to_one_group(documents: psycopg.Connection) -> None:
    with pytest.raises(
        BadInput, match=r"mine.csv:5: annotator bob is in the group 'CS master' here and in 'CS bachelor' on line 3"
    ):
        grade(documents, [*ROWS, ("d2", "bob", MSC, 0, 0)])
    assert stored(documents) == []
    grade(documents, ROWS)
    with pytest.raises(BadInput, match=r"mine.csv:2: annotator bob is in the group 'CS master' here and stored in 'CS bachelor'"):
        grade(documents, [("d2", "bob", MSC, 0, 0)], replace_grades=True)


def test_some_unknown_documents_are_named(documents: psycopg.Connection) -> None:
    with pytest.raises(BadInput, match=r"mine.csv:3: document x is not stored$") as error:
        grade(documents, [ROWS[0], ("x", "ann", HUM, 1, 1)])
    assert error.value.sqlstate == "IR301"
    with pytest.raises(BadInput, match=r"mine.csv:2: document x1 is not stored; 1 more: x2 \(line 4\)$"):
        grade(documents, [("x1", "ann", HUM, 1, 1), ROWS[0], ("x2", "ann", HUM, 1, 1)])
    with pytest.raises(BadInput, match=r"x0 is not stored; 29 more: x1 \(line 3\), .*, x10 \(line 12\), …$"):
        grade(documents, [(f"x{at}", "ann", HUM, 1, 1) for at in range(30)])
    assert stored(documents) == []
    assert documents.execute("SELECT count(*) FROM stc_all.annotators").fetchone() == (0,)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("doc_id;annotator;group;complexity\nd1;ann;A;2\n", [("d1", "complexity", 2)]),
        ("DOCNO\tAnnotator\tGROUP\tCredibility\nd1\tann\tA\t0.0\n", [("d1", "credibility", 0)]),
        ('"doc_id","group","annotator","complexity"\r\n" d1 ","A, B","ann","1"\r\n', [("d1", "complexity", 1)]),
        (
            "\n\ndoc_id,annotator,group,complexity,credibility\n\nd1,ann,A,1,\n,,,,\nd2,ann,A,,2\n",
            [("d1", "complexity", 1), ("d2", "credibility", 2)],
        ),
    ],
)  # fmt: skip
def test_spreadsheet_files_are_read(text: str, told: list[tuple[str, str, int]]) -> None:
    assert [(one.docno, one.aspect, one.grade) for one in read_annotations(text, source="f").grades] == told


def test_other_columns_are_named_and_blank_lines_counted() -> None:
    told = read_annotations("doc_id,note,annotator,group,complexity\nd1,hm,ann,A,1\nd2,,ann,A,\n", source="f")
    assert told == ([AnnotationGrade(2, "d1", "ann", "A", "complexity", 1)], ["note"], 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f: the file is empty"),
        (" \n\n", "f: the file is empty"),
        ("d1,ann,A,2\n", "f:1: no column doc_id, annotator, group"),
        ("doc_id,annotator,group\nd1,ann,A\n", "f:1: neither a column complexity nor credibility"),
        ("doc_id,docno,annotator,group,complexity\n", "f:1: the column doc_id appears twice"),
        ("doc_id,annotator,group,complexity\nd1,ann,A,3\n", "f:2: complexity '3'"),
        ("doc_id,annotator,group,complexity\nd1,ann,A,-1\n", "f:2: complexity '-1'"),
        ("doc_id,annotator,group,complexity\nd1,ann,A,1.5\n", "f:2: complexity '1.5'"),
        ("doc_id,annotator,group,credibility\n\nd1,ann,A,high\n", "f:3: credibility 'high'"),
        ("doc_id,annotator,group,complexity\nd1,ann,A\n", "f:2: 3 columns instead of 4 as in the first line"),
        ("doc_id,annotator,group,complexity\n,ann,A,1\n", "f:2: a grade without doc_id"),
        ("doc_id,annotator,group,complexity\nd1,,A,1\n", "f:2: a grade without annotator"),
        ("doc_id,annotator,group,complexity\nd1,ann, ,1\n", "f:2: a grade without group"),
        ('doc_id,annotator,group,complexity\nd1,ann,"A,1\nd2,ann,A,1\n', "f:2: not valid CSV"),
        ("doc_id,annotator,group,complexity\nd1,a\x1b[31mnn,A,1\n", r"f:2: annotator 'a\x1b[31mnn' has characters"),
    ],
)
def test_a_line_that_cannot_be_read_is_reported(text: str, message: str) -> None:
    with pytest.raises(BadInput) as error:
        read_annotations(text, source="f")
    assert error.value.message.startswith(message)
    assert error.value.hint
    assert error.value.sqlstate == "IR301"


def test_a_file_without_a_grade(documents: psycopg.Connection) -> None:
    with pytest.raises(StateError, match=r"mine.csv has no grade to store") as error:
        grade(documents, [("d1", "ann", HUM, None, None)])
    assert error.value.sqlstate == "IR405"


def test_psql_cannot_store_invalid_grades(documents: psycopg.Connection) -> None:
    for aspect, value in (("complexity", 3), ("beauty", 1)):
        documents.execute("SELECT stc.stage_annotations()")
        documents.execute("INSERT INTO incoming_annotations VALUES (7, 'd1', 'ann', 'A', %s, %s)", [aspect, value])
        with pytest.raises(psycopg.Error, match=f"there:7: invalid grade: {aspect} {value}") as error:
            documents.execute("SELECT * FROM stc.import_annotations('there')")
        assert error.value.sqlstate == "IR301"


def test_export_and_import_round_trip(documents: psycopg.Connection) -> None:
    odd = [*ROWS, ("d3", 'O"Neil', "A; B", 1, 0)]
    load_annotations(documents, sheet(ROWS) + 'd3,"O""Neil",A; B,1,0\n', source="f")
    out = io.BytesIO()
    assert export_annotations(documents, out) == len(odd)
    before = stored(documents)
    documents.execute("TRUNCATE stc_all.annotations, stc_all.annotators")
    load_annotations(documents, out.getvalue().decode(), source="f")
    assert [row[:4] for row in stored(documents)] == [row[:4] for row in before]


def test_status_counts_grades(documents: psycopg.Connection) -> None:
    grade(documents, ROWS)
    assert [tuple(one) for one in overview(documents)] == [
        (BSC, "complexity", 1, 1, 1, 0, 1, 0, 1.0, ["bob"]),
        (HUM, "complexity", 1, 2, 2, 1, 0, 1, 1.0, ["ann"]),
        (HUM, "credibility", 1, 2, 2, 0, 1, 1, 1.5, ["ann"]),
    ]


def test_two_loads_at_once_agree_on_an_annotators_group(documents: psycopg.Connection, dsn: str) -> None:
    """The second load waits for the first, and then sees its annotators."""
    failed: list[StcError] = []

    def second() -> None:
        with psycopg.connect(dsn, autocommit=True) as other:
            try:
                grade(other, [("d2", "ann", MSC, 1, 1)])
            except StcError as error:
                failed.append(error)

    with psycopg.connect(dsn) as first:
        first.execute("SELECT 1")  # leaves a transaction open
        grade(first, ROWS)
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(0.5)
        assert thread.is_alive()
        first.commit()
    thread.join(30)
    assert [error.message for error in failed] == [f"mine.csv:2: annotator ann is in the group '{MSC}' here and stored in '{HUM}'"]


def run(settings: Settings, *arguments: str | Path) -> Result:
    return CliRunner().invoke(annotations_, [str(one) for one in arguments], obj=settings)


def test_the_command_reads_files(documents: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "grades.csv.gz"
    file.write_bytes(
        gzip.compress(b"\xef\xbb\xbfdoc_id;annotator;group;complexity;remark\r\nd1;ann;A;2;x\r\nd1;ann;A;2;\r\nd2;ann;A;;\r\n")
    )
    done = run(settings, "load", file)
    assert done.exit_code == 0, done.output
    assert done.output == (
        f"{file}: 1 grade of 1 document by 1 annotator, 1 added; 1 duplicates; 1 line without a grade; columns ignored: 'remark'\n"
    )
    out = tmp_path / "out.csv"
    assert run(settings, "export", "--out", out).output == f"{out}: 1 line\n"
    assert out.read_text() == "doc_id,annotator,group,complexity,credibility\nd1,ann,A,2,\n"


def test_a_file_that_is_not_utf8(documents: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "latin.csv"
    file.write_bytes("doc_id,annotator,group,complexity\nd1,Zoë,A,1\n".encode("latin-1"))
    done = run(settings, "load", file)
    assert isinstance(done.exception, BadInput)
    assert done.exception.message.startswith(f"{file}:2: not UTF-8")


def test_the_demo_has_three_groups_of_two(conn: psycopg.Connection, dsn: str, settings: Settings) -> None:
    load(dsn, [str(demo.CORPUS)])
    done = run(settings, "load", demo.ANNOTATIONS)
    assert done.output.startswith(f"{demo.ANNOTATIONS}: 428 grades of 72 documents by 6 annotators, 428 added")
    assert {(one.group, one.annotators) for one in overview(conn)} == {(HUM, 2), (BSC, 2), (MSC, 2)}
    assert run(settings, "export").output == demo.ANNOTATIONS.read_text()


def test_closing_a_reader_early_keeps_the_field_size_limit_of_others() -> None:
    long, short = "a,b\n" + "x" * 200_000 + ",y\n", "a,b\n1,2\n"
    first: Any = _rows("short.csv", short)
    next(first)
    second: Any = _rows("long.csv", long)
    next(second)
    first.close()
    assert len(next(second)[1][0]) == 200_000
    second.close()
    assert csv.field_size_limit() >= 131_072

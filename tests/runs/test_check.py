"""The check of run files reports each kind of fault by its line and continues reading."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput
from stcollection.runs.check import check_run
from stcollection.runs.load import import_runs
from tests.groups import runs

pytestmark = pytest.mark.slow

RECORD: dict[str, Any] = {
    "run_id": "ST_task1_x", "manual": 0, "topic_id": "G01", "query_id": "G01.1", "doc_id": 1, "rel_score": 0.9, "comb_score": 0.5,
    "passage": "A CDA is a mobile device.",
}  # fmt: skip


def record(place: int = 1, **change: Any) -> str:
    return json.dumps(RECORD | {"doc_id": place, "rel_score": 1 / place} | change)


def faults(path: Path, **options: Any) -> list[tuple[int, str]]:
    return [(fault.line, fault.what) for fault in check_run(path, **options).faults if not fault.note]


def notes(path: Path, **options: Any) -> list[str]:
    return [fault.what for fault in check_run(path, **options).faults if fault.note]


A, B, C = record(1), record(2), record(3)
JSON: list[tuple[str, list[tuple[int, str]], bool]] = [  # text, faults, whether it can be imported nevertheless
    (f"[{A},\n{B}]", [], True),
    (f"[\n{A},\n{B},\n]", [(4, "a comma after the last record")], True),
    (f"[\n{A}\n{B}\n]", [(3, "no comma before the record")], True),
    (f"[\n{A},,\n{B}\n]", [(3, "2 commas before the record")], True),
    (f"[,\n{A}\n]", [(2, "1 comma before the record")], True),
    (f"{A}\n{B}\n", [(1, "JSON lines; the track requires one array, in [ and ]")], True),
    (f"[\n{A}\n]\n[\n{B}\n]", [(4, "a second array: use one array per file")], False),
    (f"[\n{A}\n]\nthe end", [(3, "text after the array: 'the end'")], False),
    (f"[\n{A},\n{B}", [(3, "the JSON array is not closed: the file is truncated")], False),
    (f"[\n{A},\n{B[:-9]}", [(3, "the JSON ends in the middle of a record: the file is truncated")], False),
    (f"[\n{A},\n5,\n{B}\n]", [(3, "not an object: '5'")], False),
    (f"[\n{A},\n{B[:-1]},\n{C}\n]", [(4, "not JSON (Expecting property name enclosed in double quotes, column 1)")], False),
    (
        f"[\n{A},\n{B.replace('0.5', '0.5.5')},\n{C},\n{B.replace(':', '=', 1)}\n]",
        [(3, "not JSON (Expecting ',' delimiter, column "), (5, "not JSON (Expecting ':' delimiter, column ")],
        False,
    ),
    (f"[\n{A},\n{B[:-1]}, \"DOC_ID\": 7}},\n{C}\n]", [(3, "doc_id repeated in the record")], False),
    (f"[\n{A},\n{record(2, rel_score=float('nan'))}\n]", [(3, "rel_score 'nan' is not a finite number")], False),
    (f"[\n{A},\n{record(2, comb_score=float('inf'))}\n]", [(3, "comb_score 'inf' is not a finite number")], False),
    (f"[\n{A},\n{B.replace('0.5', '9' * 5000)}\n]", [(3, "not JSON (Exceeds the limit (4300 digits)")], False),
    (f"[\n{A},\n{B.replace('0.5', '[' * 100_000)}\n]", [(3, "not JSON (")], False),
    (f"[\n{A},\n{record(2, manual=1)}\n]", [(3, "manual is '1', but '0' in the first record: a file contains one run")], True),
    ("", [(0, "the file contains no ranked document")], False),
    ("[]", [(0, "the file contains no ranked document")], False),
    ("{}", [(1, "JSON lines"), (1, "missing: run_id, manual")], False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected", "readable"), JSON)
def test_json(conn: psycopg.Connection, tmp_path: Path, text: str, expected: list[tuple[int, str]], readable: bool) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    found = faults(path)
    assert [line for line, _ in found] == [line for line, _ in expected], found
    assert all(what.startswith(start) for (_, what), (_, start) in zip(found, expected, strict=True)), found
    if readable:
        assert next(import_runs(conn, [path])).counts.ranked == text.count("doc_id")
    else:
        with pytest.raises(Exception, match=r"a\.json"):
            list(import_runs(conn, [path]))
        assert conn.execute("SELECT count(*) FROM st1_runs").fetchone() == (0,)


def test_reading_a_file_of_broken_records_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("[\n" + '{"a" 1},\n' * 5000 + "]")
    found = faults(path)
    assert len(found) == 1001
    assert found[-2][1] == "1,000 records are broken; the rest was not read"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match="is a folder"):
        check_run(tmp_path)


def test_a_tab_separated_file_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    head = "run_id\tmanual\ttopic_id\tquery_id\tdoc_id\tpassage"
    path.write_text(
        "\n".join(
            [head, "A_task1_r\t0\tG01\tG01.1\t1", "A_task1_r\t5\tG01\tG01.1\t1\tp", "broken", "A_task1_r\t0\tG01\tG01.1\t\tp"]
        )
    )
    assert [line for line, _ in faults(path)] == [2, 3, 4, 5]
    path.write_text(f"{head}\tPassage\n" + "A_task1_r\t0\tG01\tG01.1\t1\tp\tq\n")
    assert faults(path)[0] == (1, "the header has passage more than once")


def test_encodings(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(f"[{A}]".encode("utf-16"))
    assert faults(path) == [(1, "UTF-16, not UTF-8; convert it, for example: iconv -f utf-16 -t utf-8")]
    path.write_bytes(b"\xef\xbb\xbf" + f"[{A}]".encode())
    assert faults(path) == []
    assert any("byte order mark" in note for note in notes(path))
    path.write_bytes(f"[{A},\n".encode() + b'"caf\xe9"]')
    assert faults(path) == [(2, "not UTF-8: byte 0xe9")]
    path.write_bytes(b"PK\x03\x04junk")
    assert [what for _, what in faults(path)] == [
        "the compressed data is truncated or damaged (it is not a readable .zip: File is not a zip file)"
    ]


def test_notes(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(
        f"[{record(1)}, {record(2, rel_score=1.0)}, {record(3, rel_score='0.5')}, {record(4, doc_id='4', rel_score=0.9)}]"
    )
    assert faults(path) == []
    assert notes(path) == [
        "1 score ties with another of their query in single precision; trec_eval orders ties by document",
        "doc_id is a number in 3 records and text in 1",
        "in 1 query the records are not in the order of the scores; trec_eval sorts by score",
        "rel_score is text, not a number, here and in 0 more records",
    ]
    path = tmp_path / "a.run"
    path.write_text("# made by hand\nq Q0 a x 3 t\nq Q0 b 1 2 t\n")
    assert any("1 rank is not an integer" in note for note in notes(path))
    assert any("1 line is a comment" in note for note in notes(path))
    path.write_text("q Q0 a 1 3 t\nq Q0 b 1 2 t\n")
    assert notes(path) == ["1 query repeats a rank: q; trec_eval sorts by score"]


def test_task_and_depth(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(f"[\n{A},\n{B},\n{C}\n]")
    assert faults(path, task=1, depth=3) == []
    assert faults(path, task=2) == [(line, "run_id 'ST_task1_x' is for task 1, not 2") for line in (2, 3, 4)]
    assert faults(path, depth=2) == [(4, "query G01.1 has 3 documents, more than 2")]
    assert "1 query has fewer than 4 documents: G01.1" in notes(path, depth=4)


def test_against_the_collection(conn: psycopg.Connection, tmp_path: Path) -> None:
    conn.execute("INSERT INTO st1_topics (topic) VALUES ('G01'), ('G02')")
    conn.execute("INSERT INTO stc.st1_queries (query, topic, text) VALUES ('G01.1', 1, 'x'), ('G01.2', 2, 'x'), ('G01.3', 1, 'x')")
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}'), (2, '2', '{}'), (3, '3', '{}')")
    conn.execute(
        "INSERT INTO dblp_text (id, title, abstract) VALUES (1, 'A title', 'A CDA is a mobile   device. And more.'),"
        " (2, 'A CDA, is: a Mobile device', NULL), (3, 'Nothing', 'of the sort: a mobile devices')"
    )
    path = tmp_path / "a.json"
    path.write_text(f"[\n{A},\n{B},\n{C},\n{record(1, query_id='G01.2', passage='A title')}\n]")
    assert faults(path, conn=conn) == [(5, "query G01.2 belongs to topic G02, not G01")]
    assert notes(path, conn=conn) == ["no results for 1 of the collection's 3 queries: G01.3", "the passage is not from document 3"]


@pytest.mark.parametrize(
    ("passage", "content", "within"),
    [
        ("two words", "one Two  words three", True), ("two word", "one two words", False), ("", "", True), ("...", "x", True),
        ("x", None, False), ("größe", "Die Größe.", True), ("C++", "the C++ language", True),
    ],
)  # fmt: skip
def test_passage_within(conn: psycopg.Connection, passage: str, content: str | None, within: bool) -> None:
    assert conn.execute("SELECT stc.passage_within(%s, %s)", [passage, content]).fetchone() == (within,)


def test_a_bad_file_does_not_hide_the_next(settings: Settings, tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.run", tmp_path / "good.run"
    bad.write_bytes(b"q Q0 caf\xe9 1 1 t\n")
    good.write_text("q Q0 \x1b[2J 1 1 t\nq Q0 \x1b[2J 1 1 t\n")
    done = CliRunner().invoke(runs, ["check", str(bad), str(good)], obj=settings)
    assert isinstance(done.exception, BadInput)
    assert f"{bad}:1: not UTF-8: byte 0xe9\n" in done.stdout
    assert f"{good}:2: query q has document \\x1b[2J already, on line 1\n" in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("run", ["baseline", "rr_baseline-old", "selective", "selective-old"])
def test_the_real_runs(data: Path, run: str) -> None:
    """Their only faults are duplicates, counted independently."""
    path = data / f"simpletext/runs/{run}.run"
    seen: dict[tuple[str, str], int] = {}
    expected = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        query, _, docno, *_ = line.split()
        if seen.setdefault((query, docno), number) != number:
            expected.append((number, f"query {query} has document {docno} already, on line {seen[query, docno]}"))
    assert faults(path) == expected

"""Submission files: out, in again, and those that are refused."""

from __future__ import annotations

import io
from pathlib import Path

import psycopg
import pytest

from stcollection.errors import BadArgument, BadInput, StcError
from stcollection.studies.answers.endorse import ClusterOptions, cluster
from stcollection.studies.answers.runs import export_run, import_run
from tests.studies.answers.answer_worlds import WORKED, Doc, Question, one, put

pytestmark = pytest.mark.slow

SILENT = Question("no answer", [Doc("x", "", "")])


def exported(conn: psycopg.Connection, run: str) -> bytes:
    out = io.BytesIO()
    export_run(conn, run, out)
    return out.getvalue()


def test_it_comes_back_as_it_went(conn: psycopg.Connection, tmp_path: Path) -> None:
    put(conn, [SILENT, WORKED])
    cluster(conn, set="world", split="dev", run="r", options=ClusterOptions(method="average", model=None))
    text = exported(conn, "r")
    assert text.decode() == f"no answer\t\n{WORKED.query}\td1,d2\n"
    path = tmp_path / "subtask2_test_pred.txt"
    path.write_bytes(text)
    done = import_run(conn, path, set="world", split="dev", run="again")
    assert done == ("again", 2, 1, 2, 0)
    assert exported(conn, "again") == text


def test_windows_lines_a_mark_and_missing_queries_are_read(conn: psycopg.Connection, tmp_path: Path) -> None:
    put(conn, [SILENT, WORKED])
    path = tmp_path / "p.txt"
    path.write_bytes(f"\ufeff{WORKED.query}\td3,d1\r\n\r\n".encode())
    assert import_run(conn, path, set="world", split="dev", run="r").unnamed == 1
    assert exported(conn, "r").decode() == f"no answer\t\n{WORKED.query}\td1,d3\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"", "holds no line"),
        (b"no answer\n", ":1: 1 fields, not 2"),
        (b"no answer\tx\ty\n", ":1: 3 fields, not 2"),
        (b"\tx\n", ":1: no query"),
        (b"no answer\tx,\n", ":1: an empty document id"),
        (b"no answer\tx,x\n", ":1: document 'x' twice"),
        (b"no answer\tx\n\nno answer\tx\n", ":3: 'no answer' again, after line 1"),
        (b"no answer\tx\nelse\tx\nmore\t\n", "2 queries that world dev does not have: 'else' in line 2, 'more' in line 3"),
        (b"no answer\td1\n", "1 document that its query does not have: 'd1' in line 1"),
        (b"no answer\tx\n\xff\n", ":2: not UTF-8"),
        (b"no answer\tx\0\n", ":1: a NUL sign"),
    ],
)
def test_a_file_that_is_wrong_stores_nothing(conn: psycopg.Connection, tmp_path: Path, text: bytes, told: str) -> None:
    put(conn, [SILENT, WORKED])
    path = tmp_path / "p.txt"
    path.write_bytes(text)
    with pytest.raises(BadInput) as error:
        import_run(conn, path, set="world", split="dev", run="r")
    assert told in error.value.message
    assert one(conn, "SELECT count(*) FROM stc.answer_runs", []) == (0,)


@pytest.mark.parametrize(
    "question", [Question("a\tb", [Doc("x", "", "", {"y": "1"})]), Question("q", [Doc("x,y", "", "", {"y": "1"})])]
)
def test_names_the_format_cannot_carry_are_told(conn: psycopg.Connection, question: Question) -> None:
    put(conn, [question])
    cluster(conn, set="world", split="dev", run="r", options=ClusterOptions(method="components", model=None))
    with pytest.raises(BadArgument, match="cannot carry"):
        exported(conn, "r")


def test_a_taken_name_is_told(conn: psycopg.Connection, tmp_path: Path) -> None:
    put(conn, [SILENT])
    path = tmp_path / "p.txt"
    path.write_text("no answer\tx\n")
    import_run(conn, path, set="world", split="dev", run="r")
    with pytest.raises(StcError, match="a run 'r' already"):
        import_run(conn, path, set="world", split="dev", run="r")
    import_run(conn, path, set="world", split="dev", run="r", replace=True)
    assert exported(conn, "r") == b"no answer\tx\n"

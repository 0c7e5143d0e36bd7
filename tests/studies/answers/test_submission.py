"""Submission files: export, import, and rejected files."""

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


def test_export_and_import_round_trip(conn: psycopg.Connection, tmp_path: Path) -> None:
    put(conn, [SILENT, WORKED])
    cluster(conn, set="world", split="dev", run="r", options=ClusterOptions(method="average", model=None))
    text = exported(conn, "r")
    assert text.decode() == f"no answer\t\n{WORKED.query}\td1,d2\n"
    path = tmp_path / "subtask2_test_pred.txt"
    path.write_bytes(text)
    done = import_run(conn, path, set="world", split="dev", run="again")
    assert done == ("again", 2, 1, 2, 0)
    assert exported(conn, "again") == text


def test_crlf_a_byte_order_mark_and_missing_queries_are_read(conn: psycopg.Connection, tmp_path: Path) -> None:
    put(conn, [SILENT, WORKED])
    path = tmp_path / "p.txt"
    path.write_bytes(f"\ufeff{WORKED.query}\td3,d1\r\n\r\n".encode())
    assert import_run(conn, path, set="world", split="dev", run="r").unnamed == 1
    assert exported(conn, "r").decode() == f"no answer\t\n{WORKED.query}\td1,d3\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"", "is empty"),
        (b"no answer\n", ":1: 1 field instead of 2"),
        (b"no answer\tx\ty\n", ":1: 3 fields instead of 2"),
        (b"\tx\n", ":1: no query"),
        (b"no answer\tx,\n", ":1: an empty document id"),
        (b"no answer\tx,x\n", ":1: document 'x' is listed twice"),
        (b"no answer\tx\n\nno answer\tx\n", ":3: 'no answer' is repeated from line 1"),
        (b"no answer\tx\nelse\tx\nmore\t\n", "2 queries not found in world dev: 'else' in line 2, 'more' in line 3"),
        (b"no answer\td1\n", "1 document not found in its query: 'd1' in line 1"),
        (b"no answer\tx\n\xff\n", ":2: not UTF-8"),
        (b"no answer\tx\0\n", ":1: contains U+0000"),
    ],
)
def test_a_faulty_file_stores_nothing(conn: psycopg.Connection, tmp_path: Path, text: bytes, told: str) -> None:
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
def test_names_that_the_format_does_not_allow_raise(conn: psycopg.Connection, question: Question) -> None:
    put(conn, [question])
    cluster(conn, set="world", split="dev", run="r", options=ClusterOptions(method="components", model=None))
    with pytest.raises(BadArgument, match="does not allow"):
        exported(conn, "r")


def test_a_taken_name_raises(conn: psycopg.Connection, tmp_path: Path) -> None:
    put(conn, [SILENT])
    path = tmp_path / "p.txt"
    path.write_text("no answer\tx\n")
    import_run(conn, path, set="world", split="dev", run="r")
    with pytest.raises(StcError, match="run 'r' already exists"):
        import_run(conn, path, set="world", split="dev", run="r")
    import_run(conn, path, set="world", split="dev", run="r", replace=True)
    assert exported(conn, "r") == b"no answer\tx\n"

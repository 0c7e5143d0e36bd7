"""Plain or compressed, complete or truncated, file or standard input: the same documents, or one error with the next step."""

from __future__ import annotations

import gzip
import io
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
import zstandard

from stcollection.errors import BadArgument, BadInput
from tests.corpus.conftest import Load, Write, array, one, record, texts
from tests.pipes import piped, zipped

pytestmark = pytest.mark.slow

RECORDS = [record(number, f"Title {number}", noise=f"{random.Random(number).getrandbits(120):030x}") for number in range(300)]
PLAIN = array(RECORDS).encode()
WHOLE = {str(number): (f"Title {number}", None) for number in range(300)}


COMPRESSED: dict[str, Callable[[], bytes]] = {
    "plain": lambda: PLAIN,
    "gz": lambda: gzip.compress(PLAIN),
    "gz of two members, padded": lambda: gzip.compress(PLAIN[:5000]) + gzip.compress(PLAIN[5000:]) + bytes(512),
    "zst": lambda: zstandard.compress(PLAIN),
    "zst of two frames": lambda: zstandard.compress(PLAIN[:5000]) + zstandard.compress(PLAIN[5000:]),
    "zip": lambda: zipped(("a.json", PLAIN)),
    "zip of several": lambda: zipped(
        ("dblp/", b""), ("dblp/1.json", array(RECORDS[:100]).encode()), ("__MACOSX/._1.json", b"\0\1"),
        ("dblp/2.json.gz", gzip.compress(array(RECORDS[100:200]).encode())), ("dblp/empty.json", b""),
        ("dblp/3.jsonl", "\n".join(map(json.dumps, RECORDS[200:])).encode()),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", COMPRESSED)
def test_a_stream_is_told_by_its_bytes(kind: str, conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    done = load_file(write("no.suffix", COMPRESSED[kind]()))
    assert (done.documents, done.rejects) == (300, 0)
    assert texts(conn) == WHOLE


class Stdin:
    """A stand-in for sys.stdin of a program at the end of a pipe."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


@pytest.mark.parametrize("kind", ["plain", "gz", "zst"])
def test_standard_input(
    kind: str, conn: psycopg.Connection, write: Write, load_file: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = COMPRESSED[kind]()
    monkeypatch.setattr(sys, "stdin", Stdin(content))
    done = load_file("-")
    assert (done.documents, done.path) == (300, "-")
    assert texts(conn) == WHOLE
    # Its SHA-256 is known at the end: the same file changes nothing; the same pipe again is skipped document by document.
    assert load_file(write("file", content)).state == "already loaded"
    monkeypatch.setattr(sys, "stdin", Stdin(content))
    again = load_file("-")
    assert (again.documents, again.duplicates, again.rejects) == (0, 300, 0)


def test_a_pipe(conn: psycopg.Connection, load_file: Load) -> None:
    with piped(array(RECORDS[:200]).encode()) as path:
        assert load_file(path).documents == 200
    with piped(gzip.compress(array(RECORDS[100:]).encode())) as path:
        done = load_file(path)
    # Two pipes are not two versions of one file.
    assert (done.documents, done.duplicates, done.changes) == (100, 100, None)
    assert texts(conn) == WHOLE
    assert conn.execute("SELECT DISTINCT path FROM stc.corpus_files").fetchall() == [("-",)]


def test_a_zip_from_standard_input_is_refused(load_file: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(COMPRESSED["zip"]()))
    with pytest.raises(BadInput, match=r"standard input: a \.zip"):
        load_file("-")


def test_rejects_of_a_zip_name_the_member(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    load_file(
        write("x.zip", zipped(("a.json", array(RECORDS[:2]).encode()), ("b.json", array([RECORDS[2], record(9, "")]).encode())))
    )
    assert conn.execute("SELECT line, reason FROM stc.corpus_rejects").fetchall() == [(3, "in b.json: it has no title")]


@pytest.mark.parametrize("kind", ["gz", "zst"])
@pytest.mark.parametrize("part", [0.5, 0.9, 0.99])
def test_a_compressed_stream_cut_off(kind: str, part: float, conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    whole = COMPRESSED[kind]()
    file = write("cut.json.gz", whole[: int(part * len(whole))])
    with pytest.raises(BadInput, match="truncated") as error:
        load_file(file)
    assert str(file) in error.value.message
    assert "again" in (error.value.hint or "")
    # zlib and zstd return data in blocks; all complete records in them are stored.
    stored = texts(conn)
    assert stored.items() <= WHOLE.items()
    assert stored or kind == "zst"
    assert one(conn, "SELECT count(*) FROM stc.corpus_rejects") == 0
    assert one(conn, "SELECT coalesce(max(state), 'loading') FROM stc.corpus_files") == "loading"
    # The complete file: nothing is lost or duplicated.
    file.write_bytes(whole)
    done = load_file(file)
    assert done.documents == 300 - len(stored)
    assert texts(conn) == WHOLE


def test_a_compressed_stream_that_is_damaged(write: Write, load_file: Load) -> None:
    damaged = bytearray(COMPRESSED["gz"]())
    damaged[len(damaged) // 2] ^= 0xFF
    with pytest.raises(BadInput, match="damaged"):
        load_file(write("x.gz", bytes(damaged)))
    for cut in (COMPRESSED["zip"]()[:-30], COMPRESSED["zip"]()[:2000]):
        with pytest.raises(BadInput, match=r"zip cannot be read"):
            load_file(write("x.zip", cut))


@pytest.mark.parametrize(
    ("content", "documents"),
    [
        ("[\n" + ",\n".join(json.dumps(RECORDS[n]) for n in range(3))[:-30], 2),  # in the middle of a record
        ("[\n" + ",\n".join(json.dumps(RECORDS[n]) for n in range(3)), 3),  # between a record and the bracket
        ("[\n" + ",\n".join(json.dumps(RECORDS[n]) for n in range(3)) + ",\n", 3),
        (json.dumps(RECORDS[:3], indent=1)[:-30], 2),
        (json.dumps(RECORDS[:3])[:-30], 2),
        ("<DOC>\n<DOCNO>1</DOCNO>\n</DOC>\n<DOC>\n<DOCNO>2</DOCNO>\nhalf", 1),
    ],
)
def test_a_file_cut_off(content: str, documents: int, conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    file = write("half", content)
    line = content.rstrip().count("\n") + 1
    for _ in range(2):  # the second time resumes, and finds the same
        with pytest.raises(BadInput, match="truncated") as error:
            load_file(file)
        assert error.value.message.startswith(f"{file}:{line}: ")
        assert one(conn, "SELECT count(*) FROM dblp") == documents
        assert one(conn, "SELECT count(*) FROM stc.corpus_rejects") == 0
        assert conn.execute("SELECT state FROM stc.corpus_files").fetchall() == [("loading",)]


def test_paths_that_are_none(tmp_path: Path, load_file: Load) -> None:
    with pytest.raises(BadArgument, match=r"there is no file .*nothing\.json"):
        load_file(tmp_path / "nothing.json")
    with pytest.raises(BadArgument, match="is a folder"):
        load_file(tmp_path)


def test_a_record_beyond_all_measure_is_an_error(write: Write, load_file: Load) -> None:
    file = write("x.json", '[\n{"id": 1, "title": "a", "year": 1},\n{"id": 2, "title": "' + "x" * 2**25)
    with pytest.raises(BadInput, match="a record of more than 16 MB"):
        load_file(file)

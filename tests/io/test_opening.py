"""All readers open files in the same way: a .zip of one file, standard input, paths that are not files."""

from __future__ import annotations

import hashlib
import io
import sys
from pathlib import Path

import pytest

from stcollection.errors import BadArgument, BadInput
from stcollection.io.files import lines, read_text, sha256
from stcollection.io.irdatasets import source
from stcollection.io.qrels.judgments import stream_qrels
from stcollection.io.streams import Source
from tests.io.conftest import Write
from tests.pipes import piped, zipped

JUDGED = b"q 0 a 1\nq 0 b 0\n"


class Stdin:
    """Standard input that can be read once."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


def test_a_zip_of_one_file_is_that_file(write: Write) -> None:
    path = write("a.zip", zipped(("__MACOSX/x", b"?"), ("folder/", b""), ("folder/a.qrels", JUDGED)))
    assert [(one.line, one.doc) for one in stream_qrels(path)] == [(1, "a"), (2, "b")]


def test_a_zip_of_several_files_is_refused(write: Write) -> None:
    for count, members in ((0, [("folder/", b"")]), (2, [("a", JUDGED), ("b", JUDGED)])):
        path = write("a.zip", zipped(*members))
        with pytest.raises(BadInput, match=rf"a\.zip: a zip archive of {count} files") as error:
            read_text(path)
        assert "Unpack" in (error.value.hint or "")


def test_a_damaged_zip_is_refused(write: Write) -> None:
    whole = bytearray(zipped(("a", JUDGED * 1000)))
    for damaged in (whole[:-20], whole[:40] + b"\0\0\0\0" + whole[44:]):
        with pytest.raises(BadInput, match="truncated or damaged"):
            read_text(write("a.zip", bytes(damaged)))


def test_a_zip_stops_at_the_limit(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("a.zip", zipped(("a", b"\n" * 2**20)))
    monkeypatch.setenv("STC_MAX_UNPACKED", "64kB")
    with pytest.raises(BadInput, match="unpacks to more than 65,536 bytes"):
        read_text(path)
    monkeypatch.setenv("STC_MAX_UNPACKED", "1MB")
    assert len(read_text(path)) == 2**20


def test_standard_input_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers read a file several times: for its checksum, its format and its lines."""
    monkeypatch.setattr(sys, "stdin", Stdin(zipped(("a", JUDGED))))
    path = Path("-")
    first = sha256(path)
    assert [one.doc for one in stream_qrels(path)] == ["a", "b"]
    assert sha256(path) == first
    monkeypatch.setattr(sys, "stdin", Stdin(b"other\n"))
    assert list(lines(path)) == [(1, "other")]


@pytest.mark.parametrize("content", [JUDGED, zipped(("a", JUDGED)), b"# a\n" * 2**18 + JUDGED], ids=["small", "zip", "large"])
def test_a_pipe_is_read_again(content: bytes) -> None:
    with piped(content) as path:
        assert sha256(path) == hashlib.sha256(content).hexdigest()
        assert [one.doc for one in stream_qrels(path)] == ["a", "b"]
        assert sha256(path) == hashlib.sha256(content).hexdigest()


def test_a_pipe_is_read_again_after_its_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    """``stc load`` inspects the beginning of a file before it loads all of it."""
    content = b'{"docno": "d1"}\n' * 10
    monkeypatch.setattr(sys, "stdin", Stdin(content))
    with piped(content) as path:
        for name in (str(path), "-"):
            for _ in range(2):
                source = Source(name)
                source.keep()
                assert [b"".join(stream) for _, stream in source.members()] == [content]
            assert (source.where, source.size) == ("-", None)


@pytest.mark.parametrize("path", ["nothing", "."])
def test_a_path_that_is_no_file(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for opened in (Source, source, lambda name: read_text(Path(name))):
        with pytest.raises(BadArgument) as error:
            opened(path)
        assert path in error.value.message
        assert error.value.hint


def test_a_file_that_may_not_be_read(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("a", b"x")

    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(BadInput, match=r"a: cannot read the file: Permission denied"):
        read_text(path)

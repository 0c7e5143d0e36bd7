"""A file appears only when it is complete."""

from __future__ import annotations

import gzip
import os
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from stcollection.errors import BadArgument
from stcollection.io.files import read_text
from stcollection.io.writing import output, replace_files


def test_a_file_is_there_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for synced in (False, True):
        path.write_bytes(b"old")
        with output(path, synced=synced) as file:
            file.write(b"new")
            assert path.read_bytes() == b"old"
        assert path.read_bytes() == b"new"
        assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_compressed_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "a.run.gz"
    for _ in range(2):
        with output(path) as file:
            file.write(b"new")
        assert gzip.decompress(path.read_bytes()) == b"new"
        assert path.read_bytes()[4:8] == bytes(4), "no time: the same content is the same file"
    with output(path, synced=True) as file:
        file.write(b"backup")
    assert path.read_bytes() == b"backup"
    with suppress(ZeroDivisionError), output(path) as file:
        raise ZeroDivisionError
    assert path.read_bytes() == b"backup"


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz", "zst"])
def test_a_compressed_file_is_read_again(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.run.{ending}"
    with output(path) as file:
        file.write(b"new\n" * 1000)
    assert len(path.read_bytes()) < 200
    assert read_text(path) == "new\n" * 1000


def test_a_name_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match=r"a\.zip would not be a zip archive"), output(tmp_path / "a.zip"):
        pass
    with pytest.raises(BadArgument, match=r"there is no folder .*/none"), output(tmp_path / "none" / "a.run"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_what_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with suppress(ZeroDivisionError), output(path) as file:
        file.write(b"half")
        raise ZeroDivisionError
    with suppress(ZeroDivisionError), replace_files(path, tmp_path / "b") as parts:
        for part in parts:
            part.write_bytes(b"half")
        raise ZeroDivisionError
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with output(path) as one, output(path) as other:
        one.write(b"one")
        other.write(b"other")
    assert path.read_bytes() == b"one"  # the block that ended last


def test_a_new_file_has_the_rights_of_any_other(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    with output(tmp_path / "a"):
        pass
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_pipe_is_written_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    with output(pipe) as file:
        file.write(b"x")
    reader.join()
    assert read == [b"x"]
    assert pipe.is_fifo()


def test_no_file_is_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with output(None) as file:
        file.write(b"x")
        file.flush()
    assert capfdbinary.readouterr().out == b"x"

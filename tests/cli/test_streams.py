"""Output of the command in any locale, to closed streams, and to readers that end early: no traceback, and the text itself."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from stcollection.db.settings import Settings
from tests.acceptance.conftest import environment
from tests.in_process import run_in_process

pytestmark = pytest.mark.slow

TITLE = "naïve Zürich łódź 日本"
STC = [sys.executable, "-m", "stcollection"]
UNSET = ("PYTHONIOENCODING", "PYTHONUTF8", "PYTHONCOERCECLOCALE", "PYTHONUNBUFFERED", "LC_ALL", "LANG", "LC_CTYPE")

Shell = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def shell(settings: Settings, conn: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """Runs a command line of a shell, in which $stc is the command, on a collection of one document."""
    (tmp_path / "é.jsonl").write_text(f'{{"id": "d1", "title": "{TITLE}"}}\n', encoding="utf-8")
    base = {name: value for name, value in environment(settings).items() if name not in UNSET}

    def run(line: str, **env: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["/bin/bash", "-o", "pipefail", "-c", line.replace("$stc", " ".join(STC))],
            env={**base, **env},
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )

    monkeypatch.chdir(tmp_path)
    for words in (("load", "--as", "corpus", "é.jsonl"), ("index", "--engine", "portable")):
        loaded = run_in_process(*words, environment=base)
        assert loaded.returncode == 0, loaded.stderr
    return run


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "ascii:strict"},
        {"PYTHONIOENCODING": "utf-16"},
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1", "PYTHONUNBUFFERED": "1"},
    ],
    ids=str,
)
def test_files_and_pipes_receive_utf_8(shell: Shell, tmp_path: Path, env: dict[str, str]) -> None:
    found = shell("$stc search Zürich --system boolean; $stc load --as corpus é.jsonl; $stc load --as corpus nö.jsonl", **env)
    assert TITLE in found.stdout.decode()
    assert "é.jsonl: loaded already" in found.stdout.decode()
    assert "nö.jsonl" in found.stderr.decode()
    assert b"Traceback" not in found.stderr
    assert shell("$stc search Zürich --system boolean > out.txt", **env).returncode == 0
    assert TITLE in (tmp_path / "out.txt").read_text(encoding="utf-8")


def test_a_terminal_receives_its_encoding(settings: Settings, shell: Shell) -> None:
    ours, theirs = pty.openpty()
    env = {**environment(settings), "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(
        [*STC, "search", "Zürich", "--system", "boolean"], env=env, stdout=theirs, stderr=subprocess.PIPE, check=False
    )
    os.close(theirs)
    text = b""
    while chunk := _read(ours):
        text += chunk
    os.close(ours)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "naïve Zürich \\u0142ód\\u017a \\u65e5\\u672c".encode("latin-1") in text


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux: the other end is closed
        return b""


def test_closed_streams_and_readers_that_ended(shell: Shell, subtests: pytest.Subtests) -> None:
    ends = (">&-", "2>&-", "<&- >&- 2>&-", "| head -0", "2>&1 | head -0", "| head -1")
    for line in (*(f"$stc search Zürich --system boolean {end}" for end in ends), "$stc >&-", "$stc --help | head -0"):
        with subtests.test(line):
            done = shell(line)
            assert (done.returncode, done.stderr) == (0, b"")


def test_an_error_to_closed_streams_keeps_its_exit_code(shell: Shell) -> None:
    for end in ("2>&-", ">&- 2>&-", "2>&1 | head -0"):
        assert shell(f"$stc load --as corpus missing.jsonl {end}").returncode == 2, end


def test_work_is_finished_when_the_reader_ends(shell: Shell, tmp_path: Path, conn: psycopg.Connection) -> None:
    (tmp_path / "q.tsv").write_text("1\tvoice\n2\tZürich\n", encoding="utf-8")
    (tmp_path / "r.run").write_text("1 Q0 d1 1 2.0 r\n2 Q0 d1 1 2.0 r\n")
    done = shell("{ $stc load --as topics q.tsv; $stc load --as runs r.run --name r; } | head -0")
    assert (done.returncode, done.stderr) == (0, b"")
    assert conn.execute("SELECT count(*) FROM stc.st1_rankings").fetchone() == (2,)


def test_no_file_takes_the_place_of_a_closed_stream(shell: Shell, tmp_path: Path) -> None:
    before = (tmp_path / "é.jsonl").read_bytes()
    assert shell("$stc run boolean --name b >&- 2>&-").returncode == 4  # there is no query
    assert shell("$stc export corpus --out out.jsonl <&- >&- 2>&-").returncode == 0
    assert TITLE in (tmp_path / "out.jsonl").read_text(encoding="utf-8")
    assert (tmp_path / "é.jsonl").read_bytes() == before


def test_bytes_that_are_not_utf_8_are_named(shell: Shell) -> None:
    done = shell("$stc search $'Z\\xfcrich' --system boolean")
    assert done.returncode == 2
    assert b"the text 'Z\\udcfcrich' contains bytes that are not UTF-8" in done.stderr
    assert b"Traceback" not in done.stderr

"""``stc studies new``: the package that it writes is built, installed, tested, used and removed, as the documentation says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psycopg
import pytest
from cookiecutter import generate

from stcollection.cli.tree import TREE
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.template import new_study
from tests.acceptance.conftest import environment
from tests.docs.pages import REPOSITORY, blocks
from tests.in_process import run_in_process

pytestmark = pytest.mark.slow
NEXT = """
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.execute("ALTER TABLE stc.notes_notes ADD COLUMN mark text NOT NULL DEFAULT 'open'")
"""
Shell = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Notes", "its name 'Notes' is not a lower-case word"),
        ("notes_", "is not a lower-case word"),
        ("../notes", "is not a lower-case word"),
        ("n" * 41, "is not a lower-case word"),
        ("", "is not a lower-case word"),
        ("class", "is a word of Python"),
        ("answers", "another study has the name 'answers'"),
        ("corpus", "a part of stcollection has the name 'corpus'"),
        ("map", "a part of stcollection has the name 'map'"),
        ("score", "stcollection has a command or a method 'score'"),
        ("queries", "stcollection has a command or a method 'queries'"),
    ],
)
def test_a_name_that_is_bad_or_taken_is_refused(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(BadArgument, match=re.escape(why)):
        new_study(name, folder=tmp_path, commands=TREE)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_exists_or_cannot_be_written_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "stc-notes").symlink_to("nowhere")
    with pytest.raises(BadArgument, match="stc-notes exists already"):
        new_study("notes", folder=tmp_path)
    with pytest.raises(BadArgument, match=r"cannot write .*stc-notes/stc-other: Not a directory"):
        new_study("other", folder=Path(__file__) / "stc-notes")
    write = generate.generate_file

    def fill(*args: object, **kwargs: object) -> None:
        """Write a file, as on a disk that is full at the migrations."""
        if "migrations" in str(args[1]):
            raise OSError(28, "No space left on device")
        write(*args, **kwargs)

    monkeypatch.setattr(generate, "generate_file", fill)
    with pytest.raises(BadArgument, match=r"cannot write .*stc-other: No space left on device"):
        new_study("other", folder=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["stc-notes"]


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "cookiecutter.generate", None)
    refused = run_in_process("studies", "new", "notes", environment={**os.environ})
    assert (refused.returncode, list(tmp_path.iterdir())) == (4, [])
    assert "pip install 'stcollection[studies]'" in refused.stderr


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel of stcollection, and the packages of the environment that runs the tests."""
    folder = tmp_path_factory.mktemp("user")
    python = folder / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([python, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder / "dist", REPOSITORY], check=True)
    [wheel] = (folder / "dist").iterdir()
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", wheel], check=True)
    [packages] = folder.glob("lib/python*/site-packages")
    others = [path for path in sys.path if path.endswith("-packages")]
    (packages / "others.pth").write_text("".join(f"{path}\n" for path in others))
    (folder / "bin" / "pytest").write_text(f'#!/bin/sh\nexec {python} -m pytest -q -p no:cacheprovider "$@"\n')
    (folder / "bin" / "pytest").chmod(0o755)
    return folder


@pytest.fixture
def shell(settings: Settings, user: Path, tmp_path: Path) -> Shell:
    """Run a line in a shell of the user, in one folder."""
    variables = {name: value for name, value in environment(settings).items() if not name.startswith(("PYTEST_", "PYTHON"))}
    variables |= {"PATH": f"{user / 'bin'}:{os.environ['PATH']}"}

    def run(line: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(["sh", "-c", line], cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == code, f"{line}\n{done.stdout}{done.stderr}"
        return done

    return run


@pytest.fixture
def lines() -> Iterator[str]:
    """The lines of the documentation, without comments."""
    page = (REPOSITORY / "docs/howto/programs.md").read_text(encoding="utf-8")
    [block] = [block for block in blocks(page.partition("\n## Write a study\n")[2]) if block.kind == "sh"]
    return (line.partition("  #")[0].strip() for line in block.body.splitlines())


def test_the_walk_of_the_documentation(
    shell: Shell, user: Path, lines: Iterator[str], conn: psycopg.Connection, tmp_path: Path
) -> None:
    conn.execute("INSERT INTO stc.st1_queries (query, text) VALUES ('q1', 'privacy at home')")
    assert next(lines) == "pip install 'stcollection[studies]'"  # it is there
    assert shell("python -c 'import stcollection; print(stcollection.__file__)'").stdout.startswith(str(user))
    assert "wrote stc-notes" in shell(next(lines)).stdout
    shell("pip wheel -q --no-deps -w dist ./stc-notes")
    [wheel] = (tmp_path / "dist").iterdir()
    files = {name.removeprefix("stc_notes/") for name in zipfile.ZipFile(wheel).namelist()}
    assert {"migrations/0001_notes.py", "sql/notes_list.sql", "page/notes.html", "store.py"} <= files
    assert "Successfully installed stc-notes-0.1.0" in shell(next(lines)).stdout
    assert "2 passed" in shell(next(lines)).stdout
    assert "'stc db upgrade' installs" in shell("stc notes add q1 early", 5).stderr
    shell(next(lines))
    assert shell(next(lines)).stdout == "q1: 1 note added\n"
    assert "there is no query 'q2'" in shell("stc notes add q2 'a note'", 2).stderr
    assert "too broad" in shell(next(lines)).stdout
    assert "<td>too broad</td>" in _page(shell, next(lines), "/notes")
    assert list(lines) == []
    assert "Take notes on queries." in shell("stc help --all").stdout

    study = tmp_path / "stc-notes" / "stc_notes"
    (study / "migrations" / "0002_mark.py").write_text(NEXT.replace('"0001"', '"0003"'))
    assert "the study 'notes' has migrations that follow no other: 0002_mark.py" in shell("stc db upgrade", 4).stderr
    (study / "migrations" / "0002_mark.py").write_text(NEXT)
    assert "notes,0.1.0,1,outdated: run 'stc db upgrade'" in shell("stc show studies --format csv").stdout
    shell("stc db upgrade")
    assert conn.execute("SELECT note, mark FROM stc.notes_notes").fetchall() == [("too broad", "open")]
    shell("rm -r dist; pip wheel -q --no-deps -w dist ./stc-notes")

    shell("pip uninstall -q -y stc-notes")
    assert "notes,,1,not installed: its rows are kept" in shell("stc show studies --format csv").stdout
    assert "no such command 'notes'" in shell("stc notes add q1 'a note'", 2).stderr
    shell("stc db upgrade")
    assert "up to date" in shell("stc db status").stdout
    shell("stc db check")
    assert conn.execute("SELECT note FROM stc.notes_notes").fetchall() == [("too broad",)]

    shell(f"pip install -q --no-deps {wheel}")
    shell("stc db upgrade && stc notes add q1 'and too long'")
    assert conn.execute("SELECT note FROM notes_list()").fetchall() == [("and too long",), ("too broad",)]


def _page(shell: Shell, line: str, path: str) -> str:
    """Start the page in the background, and return one of its tabs."""
    wait = "for i in $(seq 300); do grep -q http: page.log && break; sleep .1; done"
    started = shell(f"{line} --port 0 > page.log 2>&1 & echo $!; {wait}; cat page.log")
    process, _, said = started.stdout.partition("\n")
    try:
        [address] = re.findall(r"http://[\d.]+:\d+", said)
        return httpx.get(f"{address}{path}").text
    finally:
        shell(f"kill {process}")

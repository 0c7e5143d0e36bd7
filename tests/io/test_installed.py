"""Formats of other packages: installed in a folder on sys.path, as pip installs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from stcollection.db.settings import Settings
from stcollection.io import registry
from stcollection.io.installed import installed
from tests.acceptance.conftest import environment
from tests.docs.pages import REPOSITORY

pytestmark = pytest.mark.slow
Install = Callable[..., None]
CONTRIBUTING = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
LOAD = (REPOSITORY / "docs/howto/load.md").read_text(encoding="utf-8")
#: The module of the recipe of CONTRIBUTING.md: queries as a numbered list.
[NUMBERED] = re.findall(r"^```python\n(\"\"\"Queries as a numbered list.*?)^```$", CONTRIBUTING, re.DOTALL | re.MULTILINE)
#: The entry point in pyproject.toml, in docs/howto/load.md.
[POINT] = re.findall(r'^\[project\.entry-points\."(stcollection\.formats)"\]\n(.*)$', LOAD, re.MULTILINE)
RUN = """
from stcollection.io.formats import Exported, RunFile, RunFormat

def _rows(path):
    for line, row in enumerate(path.read_text().splitlines(), 1):
        query, docno = row.split(" > ")
        yield f"{line}\\t{query}\\t{docno}\\t{line}\\t{1 / line}\\t\\\\N\\t\\\\N\\n".encode()

def _write(queries, out, header):
    ranked = [one for query in queries for one in query]
    out.writelines(f"{one.query} > {one.docno}\\n".encode() for one in ranked)
    return Exported(run=header.name, queries=len({one.query for one in ranked}), ranked=len(ranked))

FORMATS = [RunFormat(name="arrows", title="arrows", extensions=(), recognised="an arrow", fields={}, example="", write=_write,
                     sniff=lambda text: " > " in text,
                     read=lambda path, score, progress: RunFile(run_id=None, tag=None, manual=None, rows=_rows(path)))]
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a package with one module, which its entry point names."""
    monkeypatch.syspath_prepend(tmp_path)

    def install(package: str, module: str, text: str | None, point: str = "") -> None:
        info = tmp_path / f"{package.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[stcollection.formats]\n{point or f'{package} = {module}'}\n")
        if text is not None:
            (tmp_path / f"{module}.py").write_text(text)

    return install


def stc(tmp_path: Path, settings: Settings, *words: str) -> subprocess.CompletedProcess[str]:
    """Run ``stc`` in a new process, which reads the entry points."""
    return subprocess.run(
        [sys.executable, "-m", "stcollection", *words],
        env={**environment(settings), "PYTHONPATH": os.pathsep.join([str(tmp_path), str(REPOSITORY)])},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_recipe_of_the_guide(install: Install, tmp_path: Path, settings: Settings) -> None:
    group, point = POINT
    assert group == "stcollection.formats"
    install("stc-numbered", "numbered", NUMBERED, point.replace('"', ""))
    (tmp_path / "questions.txt").write_text("1. voice assistant privacy\n2. smart speakers at home\n")
    assert "a number, a point and a blank" in stc(tmp_path, settings, "show", "formats", "topics").stdout
    done = stc(tmp_path, settings, "load", "--as", "topics", "questions.txt")
    assert (done.returncode, "2 queries" in done.stdout) == (0, True), done.stdout + done.stderr
    (tmp_path / "wrong.txt").write_text("1. voice\nno number\n")
    wrong = stc(tmp_path, settings, "load", "--as", "topics", "--format", "numbered", "wrong.txt")
    assert (wrong.returncode, "not a number, a point and a text" in wrong.stderr) == (3, True), wrong.stderr


def test_runs_are_read_and_written(install: Install, tmp_path: Path, settings: Settings) -> None:
    install("stc-arrows", "arrows", RUN)
    (tmp_path / "mine.txt").write_text("q1 > d2\nq1 > d1\n")
    (tmp_path / "papers.jsonl").write_text('{"_id": "d1", "title": "a"}\n{"_id": "d2", "title": "b"}\n')
    (tmp_path / "questions.jsonl").write_text('{"_id": "q1", "text": "a"}\n')
    for words in (
        ("load", "--as", "corpus", "papers.jsonl"),
        ("load", "--as", "topics", "questions.jsonl"),
        ("load", "--as", "runs", "mine.txt"),
        ("export", "run", "mine", "--format", "arrows", "--out", "out.txt"),
    ):
        done = stc(tmp_path, settings, *words)
        assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "out.txt").read_text() == "q1 > d2\nq1 > d1\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "ModuleNotFoundError: No module named"),
        ("import nowhere", "ModuleNotFoundError: No module named 'nowhere'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("FORMAT = 'numbered'", "TypeError: broken has str instead of a format"),
        ("nothing = 1", "AttributeError"),
        (NUMBERED.replace("sniff=_sniff,", "sniff=_sniff, later=1,"), "TypeError"),  # for another version
        (NUMBERED.replace('name="numbered"', 'name="\\x1b[31m"'), "ValueError: a format cannot have the name"),
    ],
)
def test_a_format_that_cannot_be_used_is_named(install: Install, text: str | None, problem: str) -> None:
    install("stc-broken", "broken", text)
    install("stc-arrows", "arrows", RUN)
    sys.modules.pop("broken", None)
    found = installed(registry.formats())
    assert [one.name for one in found.formats] == ["arrows"]
    [line] = found.problems
    assert line.startswith("the format stc-broken of the package stc-broken cannot be used: ")
    assert problem in line
    assert "\n" not in line


def test_the_rest_works_and_one_line_names_it(install: Install, tmp_path: Path, settings: Settings) -> None:
    install("stc-broken", "broken", "import nowhere")
    done = stc(tmp_path, settings, "show", "formats", "runs")
    assert (done.returncode, done.stderr.count("\n"), "stc-broken" in done.stderr) == (0, 1, True)
    assert "trec" in done.stdout
    unknown = stc(tmp_path, settings, "load", "--as", "runs", "--format", "numbered", "x")
    assert "the format stc-broken of the package stc-broken cannot be used" in unknown.stderr


def test_two_formats_of_one_name_are_refused(install: Install) -> None:
    for number in (1, 2):
        install(f"stc-twin{number}", f"twin{number}", NUMBERED)
    install("stc-trec", "second_trec", RUN.replace('"arrows", title', '"trec", title'))
    found = installed(registry.formats())
    assert found.formats == ()
    assert sorted(found.problems) == [
        "the runs format trec of stc-trec is not used: stcollection has a format with this name",
        "the topics format numbered is not used: several packages have one (stc-twin1, stc-twin2); uninstall all but one",
    ]

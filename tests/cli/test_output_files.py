"""Files that commands write: ``-`` is standard output, a terminal is not filled, and a figure has a default name."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import click
import psycopg
import pytest
from click.testing import CliRunner, Result

from stcollection.cli import stc
from stcollection.cli.options.files import OutputPath
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.qrels.load import import_qrels
from tests.acceptance.conftest import environment
from tests.acceptance.test_commands import commands

pytestmark = pytest.mark.slow
EXPORTS = [
    words
    for words, command in commands(stc)
    if words[:1] == ("export",) and any(option.name == "out" and not option.required for option in command.params)
]
PLOTS = [words for words, _ in commands(stc) if words[-2:-1] == ("plot",)]


@pytest.fixture
def edition(conn: psycopg.Connection, tmp_path: Path) -> str:
    (tmp_path / "q").write_text("q 0 d1 1\nq 0 d2 0\n")
    import_qrels(conn, tmp_path / "q", edition="first")
    return "first"


def invoke(settings: Settings, *words: str) -> Result:
    return CliRunner().invoke(stc, words, env=environment(settings))


def test_one_type_decides_what_a_hyphen_means() -> None:
    others = [
        f"{' '.join(words)} {parameter.opts[0]}"
        for words, command in commands(stc)
        for parameter in command.params
        if parameter.opts[0] in ("--out", "--audit", "--receipts") and not isinstance(parameter.type, OutputPath)
    ]
    assert others == []


def test_a_hyphen_is_standard_output(settings: Settings, edition: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["qrels", "export", "--edition", edition]
    assert invoke(settings, *words, "--out", "-").stdout == invoke(settings, *words).stdout == "q 0 d1 1\nq 0 d2 0\n"
    board = ["complexity", "annotations", "export", "--out", "-"]
    assert invoke(settings, *board).exit_code == 0
    assert not Path("-").exists()
    assert invoke(settings, *words, "--out", "./-").stdout == "-: 2 judgments\n"
    assert Path("-").read_text() == "q 0 d1 1\nq 0 d2 0\n"


@pytest.mark.parametrize(
    "words",
    [
        ["db", "schema", "--out", "-"],
        ["db", "schema", "--csv", "-"],
        ["db", "dump", "-"],
        ["bundle", "make", "--out", "-"],
        ["qrels", "pool", "export", "p", "--out", "-"],
        ["analysis", "plot", "systems", "--out", "-"],
        ["analysis", "map", "--out", "-"],
        ["vectors", "export", "-", "--field", "title"],
        ["answers", "unload", "mine", "-"],
    ],
    ids=" ".join,
)
def test_a_command_that_writes_a_file_refuses_it(settings: Settings, words: list[str]) -> None:
    done = invoke(settings, *words)
    assert isinstance(done.exception, BadArgument)
    assert done.exception.message == "'-' is standard output, and this command writes a file"


@pytest.mark.parametrize("words", EXPORTS, ids=" ".join)
def test_an_export_does_not_fill_a_terminal(words: tuple[str, ...]) -> None:
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "stcollection", *words, *(["name"] if words[1] in ("run", "answers") else [])],
        stdout=theirs, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=False,
    )  # fmt: skip
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 2
    assert "standard output is a terminal" in done.stderr
    assert "--out FILE" in done.stderr


def test_figures_need_no_name(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(PLOTS) > 10
    required = [
        words for words, command in commands(stc) if words in PLOTS for p in command.params if p.name == "out" and p.required
    ]
    assert required == []
    monkeypatch.chdir(tmp_path)
    assert invoke(settings, "db", "schema").stdout.startswith("schema.svg: ")
    drawn = Path("schema.svg").read_bytes()
    Path("schema.svg").write_text("mine")
    again = invoke(settings, "db", "schema")
    assert isinstance(again.exception, BadArgument)
    assert again.exception.hint == "Name a file with --out; '--out schema.svg' replaces the old one."
    assert Path("schema.svg").read_text() == "mine"
    assert invoke(settings, "db", "schema", "--out", "schema.svg").exit_code == 0
    assert Path("schema.svg").read_bytes() == drawn


def test_a_default_name_is_no_reason_to_fail_in_completion() -> None:
    [plot] = [command for words, command in commands(stc) if words[-2:] == ("plot", "systems")]
    assert isinstance(plot, click.Command)
    plot.make_context("systems", [], resilient_parsing=True)

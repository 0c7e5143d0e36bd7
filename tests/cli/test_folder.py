"""Commands are modules: found by their folder, listed without being imported, run under their old names."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import CompletionItem
from click.testing import CliRunner

from stcollection.cli import stc
from stcollection.cli.folder import Folder
from stcollection.cli.moved import MOVED, OPTIONS, current, current_options
from tests.acceptance.test_commands import commands

pytestmark = pytest.mark.slow

GROUPS = [command for _, command in commands(stc) if isinstance(command, Folder) and command is not stc]
HEAVY = ("alembic", "sqlalchemy", "numpy", "scipy", "sklearn", "torch", "pandas", "matplotlib")

_HELP = """
import json, sys
from stcollection.cli import stc
stc.main(sys.argv[1:], standalone_mode=False)
json.dump(sorted(sys.modules), sys.stderr)
"""


def imported(*words: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", _HELP, *words], capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr))


def test_the_help_of_all_imports_no_group() -> None:
    modules = imported("--help")
    assert not modules & {*HEAVY, "stcollection.cli.corpus", "stcollection.cli.analysis"}


@pytest.mark.parametrize("group", ["analysis", "qrels", "vectors"])
def test_the_help_of_a_group_imports_no_command(group: str) -> None:
    modules = imported(group, "--help")
    assert f"stcollection.cli.{group}" in modules
    assert not [name for name in modules if name.startswith(f"stcollection.cli.{group}.")]
    assert not modules & set(HEAVY)


def test_a_command_imports_no_other_group() -> None:
    modules = imported("corpus", "status", "--help")
    assert "stcollection.cli.corpus.status" in modules
    assert not modules & {"stcollection.cli.corpus.load", "stcollection.cli.runs", "stcollection.cli.analysis", "torch"}


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: str(group.package))
def test_a_summary_is_that_of_the_command(group: Folder) -> None:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        assert command.name == name
        assert group.summary(name, 60) == command.get_short_help_str(60)


def test_an_unknown_command_is_an_error_of_usage() -> None:
    done = CliRunner().invoke(stc, ["qrels", "polo"], prog_name="stc")
    assert done.exit_code == 2
    assert "no such command 'polo': did you mean 'stc qrels pool'?" in done.stderr
    assert CliRunner().invoke(stc, ["qrels", "_screen"]).exit_code == 2


def test_completion_lists_commands_with_their_summaries() -> None:
    group = stc.get_command(click.Context(stc), "corpus")
    assert isinstance(group, Folder)
    found = group.shell_complete(click.Context(group), "rej")
    assert [(one.value, one.help) for one in found if isinstance(one, CompletionItem)] == [("rejects", group.summary("rejects"))]


@pytest.mark.parametrize("old", MOVED)
def test_an_old_name_still_runs_and_warns(old: str) -> None:
    new = MOVED[old]
    by_old = CliRunner().invoke(stc, [*old.split(), "--help"])
    by_new = CliRunner().invoke(stc, [*new.split(), "--help"])
    assert by_old.exit_code == by_new.exit_code == 0
    assert by_old.stdout == by_new.stdout
    assert by_old.stderr == f"stc: warning: 'stc {old}' is now 'stc {new}'; version 0.3 removes the old name\n"
    assert by_new.stderr == ""


def test_old_names_are_not_listed() -> None:
    listed = CliRunner().invoke(stc, ["analysis", "--help"]).stdout
    assert not [old for old in MOVED if f"  {old.split()[1]} " in listed]


@pytest.mark.parametrize("command", OPTIONS)
def test_an_old_option_is_replaced_and_warned_about(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    taken = {option for parameter in find(command).params for option in parameter.opts}
    for old, new in OPTIONS[command].items():
        assert (old in taken, new in taken) == (False, True)
        assert current_options(command, [old, "1", f"{old}=2", "--", old]) == [new, "1", f"{new}=2", "--", old]
        warning = f"stc: warning: '{old}' is now '{new}'; version 0.3 removes the old name\n"
        assert capsys.readouterr().err == 2 * warning


def test_a_command_accepts_an_old_option() -> None:
    by_old = CliRunner().invoke(stc, ["qrels", "pool", "make", "--teams", "none"])
    assert "'--teams' is now '--min-teams'" in by_old.stderr
    assert "Invalid value for '--min-teams': 'none'" in by_old.stderr


def test_hints_use_the_present_names() -> None:
    """No source names a command with an old option."""
    sources = [*Path("stcollection").rglob("*.py"), *Path("sql").rglob("*.sql")]
    texts = {path: path.read_text(encoding="utf-8") for path in sources}
    for command, names in OPTIONS.items():
        old = re.compile(rf"stc {command} [^\n]*({'|'.join(names)})(?![\w-])")
        assert [(path, found[0]) for path, text in texts.items() if (found := old.search(text))] == []


def find(words: str) -> click.Command:
    command: click.Command = stc
    for word in words.split():
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word) or command
    return command


def test_the_most_words_decide(capsys: pytest.CaptureFixture[str]) -> None:
    assert current(["analysis", "coverages", "show", "T1"]) == ["coverage", "show", "T1"]
    assert current(["analysis", "coverages", "--format", "csv"]) == ["coverage", "list", "--format", "csv"]
    assert current(["analysis", "compare", "answers"]) == ["analysis", "compare", "answers"]
    assert len(capsys.readouterr().err.splitlines()) == 2

"""Commands are modules: found by their folder, listed without being imported."""

from __future__ import annotations

import json
import subprocess
import sys

import click
import pytest
from click.shell_completion import CompletionItem
from click.testing import CliRunner

from stcollection.cli import stc
from stcollection.cli.folder import Folder
from tests.acceptance.test_commands import commands

pytestmark = pytest.mark.slow

GROUPS = [command for words, command in commands(stc) if isinstance(command, Folder) and words not in ((), ("plot",))]
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
    assert not modules & {*HEAVY, "stcollection.cli.retrieval", "stcollection.cli.score", "stcollection.cli.merged"}


@pytest.mark.parametrize("group", ["analysis", "qrels", "vectors"])
def test_the_help_of_a_group_imports_no_command(group: str) -> None:
    modules = imported(group, "--help")
    assert not [name for name in modules if name.startswith(f"stcollection.cli.{group}.")]
    assert not modules & set(HEAVY)


def test_a_command_imports_no_other_group() -> None:
    modules = imported("show", "corpus", "--help")
    assert "stcollection.cli.corpus.tables" in modules
    assert not modules & {"stcollection.cli.corpus.load", "stcollection.cli.runs", "stcollection.cli.analysis", "torch"}


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: str(group.name))
def test_a_summary_is_that_of_the_command(group: Folder) -> None:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        assert group.summary(name, 60) == command.get_short_help_str(60)


def test_an_unknown_command_is_an_error_of_usage() -> None:
    done = CliRunner().invoke(stc, ["qrels", "polo"], prog_name="stc")
    assert done.exit_code == 2
    assert "no such command 'polo': did you mean 'stc pool'" in done.stderr
    assert CliRunner().invoke(stc, ["qrels", "_screen"]).exit_code == 2


def test_completion_lists_commands_with_their_summaries() -> None:
    group = stc.get_command(click.Context(stc), "show")
    assert isinstance(group, Folder)
    found = group.shell_complete(click.Context(group), "rej")
    assert [(one.value, one.help) for one in found if isinstance(one, CompletionItem)] == [("rejects", group.summary("rejects"))]


@pytest.mark.parametrize("words", [["analysis", "synth"], ["analysis", "coverages"], ["analysis", "origins", "--level", "2"]])
def test_names_of_version_0_1_are_unknown(words: list[str]) -> None:
    done = CliRunner().invoke(stc, words, prog_name="stc")
    assert done.exit_code == 2
    assert "no such" in done.stderr.lower()

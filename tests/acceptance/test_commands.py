"""Every command explains itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from stcollection.cli import stc

REPOSITORY = Path(__file__).resolve().parents[2]


def commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from commands(child, (*path, name))


def test_each_command_says_what_it_does_and_each_option_too() -> None:
    without_help = [path for path, command in commands(stc) if not command.help]
    silent = [
        (path, parameter.name)
        for path, command in commands(stc)
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.help
    ]
    assert (without_help, silent) == ([], [])


# Imports all commands of a group, where what only extras bring is not installed.
_BARE = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {extras!r}:
            raise ModuleNotFoundError(name, name=name.partition(".")[0])

def load(command):
    print(command.name)
    for name in command.list_commands(None) if hasattr(command, "list_commands") else ():
        load(command.get_command(None, name))

sys.meta_path.insert(0, Missing())
from stcollection.cli import stc
load(stc.get_command(None, sys.argv[1]))
"""
_EXTRAS = (
    "fastapi", "ir_datasets", "matplotlib", "openai", "openvino", "pandas", "polars", "prometheus_client", "pyarrow",
    "pyterrier", "ray", "uvicorn",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("group", list(stc.list_commands(click.Context(stc))))
def test_a_group_is_there_without_the_extras(group: str) -> None:
    done = subprocess.run([sys.executable, "-c", _BARE.format(extras=_EXTRAS), group], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(group)

"""Every command explains itself, and the reference says what they say."""

from __future__ import annotations

import runpy
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


@pytest.mark.parametrize(
    ("path", "command"), list(commands(stc)), ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_a_command_says_what_it_does_and_each_option_too(path: tuple[str, ...], command: click.Command) -> None:
    assert command.help
    silent = [p.name for p in command.params if isinstance(p, click.Option) and not p.help]
    assert silent == []


def test_the_reference_is_current() -> None:
    written = runpy.run_path(str(REPOSITORY / "scripts" / "commands.py"))
    assert (REPOSITORY / "docs" / "commands.md").read_text(encoding="utf-8") == written["text"]()

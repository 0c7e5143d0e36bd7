"""The reference of the command line: the help of every command."""

from __future__ import annotations

from collections.abc import Iterator

import click

from stcollection.cli import stc


def pages(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is None:
                raise LookupError(name)
            yield from pages(child, click.Context(child, info_name=name, parent=context, terminal_width=100))


def text() -> str:
    """Return the page."""
    return "# Commands\n\nGenerated from the code.\n\n" + "\n".join(
        pages(stc, click.Context(stc, info_name="stc", terminal_width=100))
    )

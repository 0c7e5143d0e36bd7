"""Write docs/commands.md, the reference of the command line, from the commands themselves.

python scripts/commands.py            write it
python scripts/commands.py --check    fail if it is not as they are
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from stcollection.cli import stc

PAGE = Path(__file__).resolve().parents[1] / "docs" / "commands.md"


def pages(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is None:
                raise LookupError(name)
            yield from pages(child, click.Context(child, info_name=name, parent=context, terminal_width=100))


def text() -> str:
    head = "# Commands\n\nWritten by `scripts/commands.py` from the commands themselves.\n\n"
    return head + "\n".join(pages(stc, click.Context(stc, info_name="stc", terminal_width=100)))


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(
            0 if PAGE.read_text(encoding="utf-8") == text() else f"{PAGE.name} is not current: python scripts/commands.py writes it"
        )
    PAGE.write_text(text(), encoding="utf-8")

"""Groups of commands: each group is a package, whose modules have one command or those of one subject."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import keyword
import pkgutil
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from stcollection.cli.options.everywhere import add_everywhere

_OTHER_RUNS = "stcollection.cli.answers"  # its runs are not those of the collection, so their names are not completed


class Folder(click.Group):
    """A group whose commands are the modules of its package: ``pool.py``, or the package ``pool``, has the command ``pool``.

    The name ``command`` in a module refers to its command. A module is imported when its command runs: help and completion read
    the summaries from the source. Modules whose names start with an underscore are helpers.

    :param shared: the module of each command that shares one: ``{"leaderboard": "scores"}`` is ``leaderboard`` in ``scores.py``.
    """

    def __init__(self, *args: Any, shared: Mapping[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.shared = dict(shared or {})

    @property
    def package(self) -> str:
        return str(self.callback.__module__)

    def list_commands(self, ctx: click.Context) -> list[str]:
        found = importlib.util.find_spec(self.package)
        assert found is not None
        modules = {one.name for one in pkgutil.iter_modules(found.submodule_search_locations)} - {*self.shared.values()}
        return sorted([name.rstrip("_").replace("_", "-") for name in modules if not name.startswith("_")] + [*self.shared])

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(ctx):
            return None
        command = getattr(importlib.import_module(self.module(name)), self._function(name))
        assert isinstance(command, click.Command)
        return add_everywhere(command, completed=not self.package.startswith(_OTHER_RUNS))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of the first word. For an unknown word, suggest the nearest commands."""
        name = args[0]
        if self.get_command(ctx, name) is None and not (name.startswith("-") or ctx.resilient_parsing):
            raise click.UsageError(self.unknown(ctx, name), ctx)
        return super().resolve_command(ctx, args)

    def unknown(self, ctx: click.Context, name: str) -> str:
        """Return the message for an unknown command."""
        if any(f"--{name}" in option.opts for option in self.get_params(ctx)):  # 'stc version'
            return f"no such command {name!r}: did you mean '{ctx.command_path} --{name}'?"
        commands = self.reachable(ctx)
        near = [path for one in get_close_matches(name, commands, n=2) for path in commands[one]]
        way_on = f"did you mean {' or '.join(map(repr, near))}?" if near else f"'{ctx.command_path} --help' lists the commands"
        return f"no such command {name!r}: {way_on}"

    def reachable(self, ctx: click.Context) -> dict[str, list[str]]:
        """Return the commands to suggest for an unknown word: name, and the words that run it."""
        return {name: [f"{ctx.command_path} {name}"] for name in self.list_commands(ctx)}

    def module(self, name: str) -> str:
        """Return the full name of the module of a command."""
        if name in self.shared:
            return f"{self.package}.{self.shared[name]}"
        return f"{self.package}.{name.replace('-', '_')}{'_' if keyword.iskeyword(name) else ''}"

    def _function(self, name: str) -> str:
        """Return the name of a command in its module."""
        return f"{name.replace('-', '_')}_command" if name in self.shared else "command"

    def summary(self, name: str, limit: int = 45) -> str:
        """Return the first sentence of a command's help without importing the command."""
        docstring = _docstring(self.module(name), self._function(name))
        return click.Command(name, help=docstring).get_short_help_str(limit)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        names = self.list_commands(ctx)
        limit = formatter.width - 6 - max(map(len, names))
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.summary(name, limit)) for name in names])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        return [CompletionItem(name, help=self.summary(name)) for name in names] + click.Command.shell_complete(
            self, ctx, incomplete
        )


def _docstring(module: str, function: str) -> str:
    """Return the docstring of a function, or of the function that its decorator ``@command(…)`` declares, from the source."""
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            if found := ast.get_docstring(node):
                return found
            [declared] = [
                one.args[0].id for one in node.decorator_list if isinstance(one, ast.Call) and isinstance(one.args[0], ast.Name)
            ]
            for source in (one for one in tree.body if isinstance(one, ast.ImportFrom)):
                for alias in source.names:
                    if declared == (alias.asname or alias.name):
                        return _docstring(source.module or "", alias.name)
    raise LookupError(f"{spec.origin} has no function {function!r} with a docstring")

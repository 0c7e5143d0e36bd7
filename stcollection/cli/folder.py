"""Groups of commands, from the tables in :mod:`stcollection.cli.tree`."""

from __future__ import annotations

import ast
import importlib
import importlib.util
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from stcollection.cli.options.everywhere import add_everywhere
from stcollection.cli.subjects import Entry
from stcollection.cli.suggestions import SYNONYMS
from stcollection.plugins import problems, studies


class Place(NamedTuple):
    """Where a command is defined.

    :param is_figure: the function draws a figure, and is no command yet.
    """

    module: str
    function: str
    is_figure: bool


class Folder(click.Group):
    """A group whose commands are the entries of a table.

    A module is imported when its command runs: help and completion read the summaries from the source.

    :param entries: the table; the key "" has the help of the group.
    """

    def __init__(self, name: str, entries: Mapping[str, Entry], **kwargs: Any) -> None:
        super().__init__(name, **{"help": str(entries.get("", "")), **kwargs})
        self.entries = {word: entry for word, entry in entries.items() if word}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.entries)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        entry = self.entries.get(name)
        if entry is None:
            return None
        if isinstance(entry, Mapping):
            return add_everywhere(Folder(name, entry))
        place = place_of(entry)
        command = getattr(importlib.import_module(place.module), place.function)
        if place.is_figure:
            from stcollection.cli.options.figures import figure_command  # not at module level: help needs no figure

            command = figure_command(name, command)
        assert isinstance(command, click.Command)
        return add_everywhere(command, completed=not place.module.startswith(_other_runs()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of the first word. For an unknown word, suggest the nearest commands."""
        name = args[0]
        if name not in self.entries and not (name.startswith("-") or ctx.resilient_parsing):
            raise click.UsageError(self.unknown(ctx, name), ctx)
        return super().resolve_command(ctx, args)

    def unknown(self, ctx: click.Context, name: str) -> str:
        """Return the message for an unknown command."""
        if any(f"--{name}" in option.opts for option in self.get_params(ctx)):  # 'stc version'
            return f"no such command {name!r}: did you mean '{ctx.command_path} --{name}'?"
        root = ctx.find_root()
        if root is ctx and name in SYNONYMS:
            words = " or ".join(f"'stc {path}'" for path in SYNONYMS[name])
            return f"no such command {name!r}: did you mean {words}?"
        tables = [self.reachable(ctx), root.command.reachable(root) if isinstance(root.command, Folder) else {}]
        close = ([path for word in get_close_matches(name, table, n=2) for path in table[word]] for table in tables)
        subject = (self.name or "").removesuffix("s")  # 'stc runs exprot' means 'stc export run'
        near = sorted(next(filter(None, close), []), key=lambda path: subject not in path.split())
        way_on = f"did you mean {' or '.join(map(repr, near[:3]))}?" if near else f"'{ctx.command_path} --help' lists the commands"
        return f"no such command {name!r}: {way_on}" + "".join(f"; {problem}" for problem in problems())

    def reachable(self, ctx: click.Context) -> dict[str, list[str]]:
        """Return the commands to suggest for an unknown word: name, and the words that run it."""
        return {name: [f"{ctx.command_path} {name}"] for name in self.list_commands(ctx)}

    def summary(self, name: str, limit: int = 45) -> str:
        """Return the first sentence of a command's help without importing the command."""
        return click.Command(name, help=help_of(self.entries[name])).get_short_help_str(limit)

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


def _other_runs() -> tuple[str, ...]:
    """Return the packages of studies whose runs are not those of the collection, so that their names are not completed."""
    return tuple(f"{study.package}." for study in studies() if study.own_runs)


def place_of(entry: str) -> Place:
    """Return where the command of a table's entry is defined."""
    is_figure = entry.startswith("=")
    module, _, name = entry.removeprefix("=").partition(":")
    of_study = module.startswith("@")
    package = "" if of_study else "stcollection." if is_figure else "stcollection.cli."
    function = name if is_figure else f"{name}_command" if name else "command"
    return Place(f"{package}{module.removeprefix('@')}", function, is_figure)


def help_of(entry: Entry) -> str:
    """Return the help of a table's entry, without importing a command."""
    if isinstance(entry, Mapping):
        return str(entry[""])
    place = place_of(entry)
    try:
        return _docstring(place.module, place.function)
    except (LookupError, OSError, SyntaxError) as error:
        if "@" not in entry:
            raise
        return f"A command of a study that cannot be read: {error}"  # the others work


def leaves(entries: Mapping[str, Entry], *before: str) -> Iterator[tuple[str, str]]:
    """Yield the words of each command below a table, and its entry."""
    for word, entry in entries.items():
        if isinstance(entry, Mapping):
            yield from leaves(entry, *before, word)
        elif word:
            yield " ".join((*before, word)), entry


def _docstring(module: str, function: str) -> str:
    """Return the docstring of a function, or of the function that its decorator ``@command(…)`` declares, from the source."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise LookupError(f"there is no module {module}")
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            if docstring := ast.get_docstring(node):
                return docstring
            [declared] = [
                call.args[0].id
                for call in node.decorator_list
                if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Name)
            ]
            for source in (statement for statement in tree.body if isinstance(statement, ast.ImportFrom)):
                for alias in source.names:
                    if declared == (alias.asname or alias.name):
                        module = importlib.util.resolve_name("." * source.level + (source.module or ""), spec.parent)
                        return _docstring(module, alias.name)
    raise LookupError(f"{spec.origin} has no function {function!r} with a docstring")

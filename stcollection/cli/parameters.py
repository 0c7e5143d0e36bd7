"""The parameters of commands of click."""

from __future__ import annotations

from collections.abc import Sequence

import click


def long_name(option: click.Parameter) -> str:
    """Return the name of an option in messages, such as ``--measure`` of ``-m, --measure``."""
    return next((name for name in option.opts if name.startswith("--")), option.opts[-1])


def options_of(command: click.Command) -> list[click.Option]:
    """Return the options of a command."""
    return [parameter for parameter in command.params if isinstance(parameter, click.Option)]


def option_names(command: click.Command) -> set[str]:
    """Return the long names of the options of a command."""
    return {*map(long_name, options_of(command))}


def takes(command: click.Command, words: int) -> bool:
    """Return True if a command takes this number of arguments."""
    arguments = [parameter for parameter in command.params if isinstance(parameter, click.Argument)]
    least = sum(1 for argument in arguments if argument.required)
    return least <= words and (words <= len(arguments) or any(argument.nargs == -1 for argument in arguments))


def without_options(args: Sequence[str], gone: Sequence[click.Option]) -> list[str]:
    """Return arguments without some options and their values."""
    valued = {name: not option.is_flag for option in gone for name in option.opts}
    kept: list[str] = []
    words = iter(args)
    for word in words:
        name, equals, _ = word.partition("=")
        if word == "--":
            return [*kept, word, *words]
        if name not in valued:
            kept.append(word)
        elif valued[name] and not equals:
            next(words, None)
    return kept

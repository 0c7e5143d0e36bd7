"""The parameters of commands of click."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from difflib import get_close_matches
from itertools import count
from typing import Any

import click


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a command from its function: ``drop_run_command`` is drop-run. ``command`` has the name of its module."""
    own_module = function.__name__ == "command"
    name = function.__module__.rpartition(".")[2] if own_module else function.__name__.removesuffix("_command")
    return name.rstrip("_").replace("_", "-")


def long_name(option: click.Parameter) -> str:
    """Return the name of an option in messages, such as ``--measure`` of ``-m, --measure``."""
    return next((name for name in option.opts if name.startswith("--")), option.opts[-1])


def options_of(command: click.Command) -> list[click.Option]:
    """Return the options of a command."""
    return [parameter for parameter in command.params if isinstance(parameter, click.Option)]


def arguments_of(variants: Iterable[click.Command]) -> list[click.Argument]:
    """Return the arguments of the first of several commands; they are optional if the last has none."""
    first, *_, last = [[one for one in command.params if isinstance(one, click.Argument)] for command in variants]
    arguments = [copy(argument) for argument in first]
    for argument in arguments if not last else ():
        argument.required = False
        argument.metavar = argument.metavar and f"[{argument.metavar}]"
    return arguments


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


def check_choices(options: Sequence[click.Option], values: Mapping[str, Any], ctx: click.Context) -> None:
    """Refuse a value that is not a choice of its option, and suggest the nearest. :param values: by the long names of options."""
    for option in (option for option in options if isinstance(option.type, click.Choice)):
        value, choices = values[long_name(option)], [*map(str, getattr(option.type, "choices", ()))]
        if value not in choices:
            near = "".join(f": did you mean {close!r}?" for close in get_close_matches(value, choices, n=1))
            raise click.BadParameter(f"{value!r} is not one of {', '.join(choices)}{near}", ctx, option)


def spelled(option: click.Option, values: Mapping[str, Any]) -> str:
    """Return an option as typed, with its value."""
    name = long_name(option)
    return name if option.is_flag else f"{name} {values[name]}"


def union_of(commands: Iterable[click.Command], first: Sequence[click.Option], names: set[str | None]) -> list[click.Option]:
    """Return the options of several commands, each spelling once, without those of some other options.

    :param first: these options. :param names: the names of parameters that are taken.
    """
    spellings, taken = {spelling for option in first for spelling in option.opts}, set(names)
    union: list[click.Option] = []
    for option in (option for command in commands for option in options_of(command)):
        if long_name(option) in spellings:
            continue
        listed = copy(option)
        listed.opts = [spelling for spelling in option.opts if spelling not in spellings]
        listed.name = option.name if option.name not in taken else f"{option.name}_of_option"
        union.append(listed)
        spellings |= {*listed.opts, *listed.secondary_opts}
        taken.add(listed.name)
    return union


def read_known(ctx: click.Context, args: Sequence[str], options: Sequence[click.Option]) -> tuple[list[str], dict[str, Any]]:
    """Read some options of a command line. Return its other words, and the values by the long names of the options."""
    names: dict[str, tuple[str, str]] = {}
    read, numbers = [], count()
    for option in options:
        for spelling in {*option.opts, *option.secondary_opts} - names.keys():
            names[spelling] = f"part{next(numbers)}", long_name(option)
            flag = {"is_flag": True} if option.is_flag or option.count else {"nargs": option.nargs}
            read.append(click.Option([spelling, names[spelling][0]], **flag))
    by_part = dict(names.values())
    parser = click.Command(None, params=[*read], add_help_option=False).make_parser(ctx)
    parser.ignore_unknown_options = True
    values, rest, _ = parser.parse_args([*args])
    return rest, {by_part[part]: value for part, value in values.items()}


def divided(described: Mapping[str, Sequence[click.Option]]) -> tuple[list[click.Option], dict[str, list[click.Option]]]:
    """Return the options that all of several commands have, and those that each has in addition to those before it."""
    shown = set.intersection(*({*map(long_name, options)} for options in described.values()))
    common = [option for option in next(iter(described.values())) if long_name(option) in shown]
    own: dict[str, list[click.Option]] = {}
    for name, options in described.items():
        own[name] = [option for option in options if long_name(option) not in shown]
        shown |= {*map(long_name, options)}
    return common, own

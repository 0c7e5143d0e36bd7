"""Suggestions for words and options that a command does not have."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

import click

from stcollection.cli.aliases import new_options

#: Commands for words that people type and that no command has.
SYNONYMS = {
    "annotator": ("judge", "pool invite"),
    "delete": ("drop",),
    "eval": ("score",),
    "evaluate": ("score",),
    "function": ("psql",),
    "import": ("load",),
    "kappa": ("qrels agreement",),
    "latex": ("score", "compare"),
    "leaderboard": ("score",),
    "list": ("show",),
    "ls": ("show",),
    "metric": ("show measures",),
    "metrics": ("show measures",),
    "notebook": ("serve page",),
    "participant": ("runs receive", "db user"),
    "remove": ("drop",),
    "rm": ("drop",),
    "significance": ("compare",),
    "submission": ("runs check", "runs receive"),
    "t-test": ("compare",),
    "ttest": ("compare",),
    "upload": ("load", "runs receive", "serve page"),
    "website": ("serve page",),
}


def for_option(error: click.NoSuchOption, commands: Iterable[tuple[str, click.Command | None]]) -> str:
    """Return what the message on an unknown option adds; without the options of similar spelling, if this one is known.

    :param commands: other commands that may have it, by their words.
    """
    option, ctx = error.option_name, error.ctx
    path = ctx.command_path if ctx else ""
    params = ctx.command.params if ctx else []
    similar, error.possibilities = error.possibilities, []
    old = new_options().get(path.removeprefix("stc "), {})
    if near := get_close_matches(option, old, n=1):
        return f"Did you mean '{old[near[0]]}'?"
    if any(isinstance(one, click.Argument) and f"--{one.name}" == option for one in params):
        return f"Write it without {option}: {ctx.command.get_usage(ctx).partition(': ')[2] if ctx else ''}"
    if any(option[1:] in one.opts for one in params):
        return f"Did you mean '{option[1:]}'?"
    if option == "--format":
        return f"'{path}' prints no rows."
    error.possibilities = similar
    having = [words for words, command in commands if words != path and command and _has(command, option)][:2]
    return f"{' and '.join(map(repr, having))} {'has' if len(having) == 1 else 'have'} it." if having else ""


def _has(command: click.Command, option: str) -> bool:
    return any(option in parameter.opts for parameter in command.params)

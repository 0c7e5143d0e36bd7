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
    "own": ("psql", "load"),
    "significance": ("compare",),
    "submission": ("runs check", "runs receive"),
    "t-test": ("compare",),
    "ttest": ("compare",),
    "upload": ("load", "runs receive", "serve page"),
    "website": ("serve page",),
}


def unknown_option(error: click.NoSuchOption, commands: Iterable[tuple[str, click.Command | None]]) -> str:
    """Return the message on an unknown option.

    :param commands: other commands that may have it, by their words.
    """
    option, ctx = error.option_name, error.ctx
    if ctx is None:
        return error.format_message()
    old = new_options().get(ctx.command_path.removeprefix("stc "), {})
    if near := get_close_matches(option, old, n=1):
        return f"No such option {option!r}. Did you mean '{old[near[0]]}'?"
    if any(isinstance(one, click.Argument) and f"--{one.name}" == option for one in ctx.command.params):
        return f"No such option {option!r}. Write the value without it: {ctx.command.get_usage(ctx).partition(': ')[2]}"
    if _has(ctx.command, option[1:]):
        return f"No such option {option!r}. Did you mean '{option[1:]}'?"
    if option == "--format":
        return f"No such option {option!r}. '{ctx.command_path}' prints no rows."
    having = [words for words, command in commands if words != ctx.command_path and command and _has(command, option)][:2]
    way_on = f" {' and '.join(map(repr, having))} {'has' if len(having) == 1 else 'have'} it." if having else ""
    return f"{error.format_message()}{way_on}"


def _has(command: click.Command, option: str) -> bool:
    return any(option in parameter.opts for parameter in command.params)

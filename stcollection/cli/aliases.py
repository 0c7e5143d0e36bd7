"""The commands of version 0.2 under their old words, which work until version 0.4.

The table ``aliases.tsv`` has the old words, and the new ones with fixed options.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import click

from stcollection.cli.quiet import is_quiet
from stcollection.cli.tree import TREE

_VALUED = ("--db",)  # options that may stand between the words, and take a value
_WORDS = 3  # the longest old command


class Renamed(NamedTuple):
    """A command line in new words, and the words that were replaced.

    :param unknown: the word after a group of version 0.2 that was none of its commands.
    """

    args: list[str]
    old: str
    new: str
    unknown: str | None = None


@cache
def new_words() -> dict[str, str]:
    """Return the new words by the old ones."""
    lines = Path(__file__).with_name("aliases.tsv").read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines)


def renamed(args: Sequence[str]) -> Renamed | None:
    """Return a command line of version 0.2 in new words; None if it has none of its commands."""
    words, places = _first_words(args)
    entry = TREE.get(words[0]) if words else None
    if words[0:1] == ["serve"] and not isinstance(entry, str) and len(words) == 1:
        return None if {"--help", "-h"} & set(args) else _replace(args, places[:1], "serve")
    for count in range(min(_WORDS, len(words)), 0, -1):
        old = " ".join(words[:count])
        if old in new_words() and old != "serve":
            new = _replace(args, places[:count], old)
            return new._replace(unknown=words[count]) if new.new.startswith("help") and len(words) > count else new
    return None


def _first_words(args: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return the words before the first option of a command, and their places."""
    places: list[int] = []
    skipped = False
    for place, arg in enumerate(args):
        if skipped:
            skipped = False
        elif arg in _VALUED:
            skipped = True
        elif arg.startswith("-") and arg != "--quiet" and not arg.startswith(tuple(f"{name}=" for name in _VALUED)):
            break
        elif not arg.startswith("-"):
            places.append(place)
    return [args[place] for place in places], places


def _replace(args: Sequence[str], places: Sequence[int], old: str) -> Renamed:
    new = new_words()[old]
    return Renamed([*new.split(), *(arg for place, arg in enumerate(args) if place not in places)], old, new)


def announce(renaming: Renamed) -> None:
    """Print the new words of a command on stderr, unless the command is quiet."""
    if not is_quiet() and "--quiet" not in renaming.args:
        click.echo(f"'stc {renaming.old}' is now 'stc {renaming.new}'", err=True)

"""The commands and options of version 0.2 under their old words, which work until version 0.4.

The tables ``aliases.tsv``, here and in studies, have the old words, and the new ones with fixed options. An old option has its
commands before it, separated by commas; a group is all its commands. If the new words end in ``=``, the value follows there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import click

from stcollection.cli.quiet import is_quiet
from stcollection.cli.tree import TREE
from stcollection.plugins import studies

_VALUED = ("--db", "--edition", "--format")  # options that may be between the words, and take a value
_WORDS = 3  # the longest old command
_RAW = {"--raw": "--format csv-raw"}


class Renamed(NamedTuple):
    """A command line in new words, and the words that were replaced.

    :param unknown: the word after a group of version 0.2 that was none of its commands.
    """

    args: list[str]
    old: str
    new: str
    unknown: str | None = None


@cache
def _table() -> dict[str, str]:
    files = (folder / "aliases.tsv" for folder in (Path(__file__).parent, *(study.folder for study in studies())))
    lines = [line for file in files if file.exists() for line in file.read_text(encoding="utf-8").splitlines()]
    return dict(line.split("\t") for line in lines)


@cache
def new_words() -> dict[str, str]:
    """Return the new words of commands by the old ones."""
    return {old: new for old, new in _table().items() if " --" not in old}


@cache
def new_options() -> dict[str, dict[str, str]]:
    """Return the new words of options by the old ones, for each command."""
    options: dict[str, dict[str, str]] = {}
    for old, new in _table().items():
        paths, dashes, option = old.partition(" --")
        for path in paths.split(", ") if dashes else ():
            options.setdefault(path, {})[f"--{option}"] = new
    return options


def renamed_options(args: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return a command line with the new words of its options, and the new words by the old ones."""
    words, _ = _first_words(args)
    table = next((found for count in range(len(words), 0, -1) if (found := new_options().get(" ".join(words[:count])))), {})
    kept: list[str] = []
    args, replaced = _without_raw(args)
    rest = iter(args)
    for arg in rest:
        old, equals, value = arg.partition("=")
        if arg == "--":
            return [*kept, arg, *rest], replaced
        if old not in table:
            kept.append(arg)
            continue
        replaced[old] = table[old]
        takes_value = table[old].endswith("=") and not equals
        option, space, new = table[old].partition(" ")
        new += next(rest, "") if takes_value else value
        kept += [option, new] if space else [option + new]
    return kept, replaced


def _without_raw(args: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Replace ``--raw``, which changed CSV only."""
    end = args.index("--") if "--" in args else len(args)
    if "--raw" not in args[:end]:
        return [*args], {}
    words = [word for word in args[:end] if word != "--raw"]
    for place, word in enumerate(words):
        if word == "--format=csv" or words[place - 1 : place + 1] == ["--format", "csv"]:
            words[place] += "-raw"
    return [*words, *args[end:]], _RAW


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


def announce(args: Sequence[str], replaced: Mapping[str, str]) -> None:
    """Print the new words of commands and options on stderr, unless the command is quiet. :param args: the command line."""
    if not is_quiet() and "--quiet" not in args:
        for old, new in replaced.items():
            click.echo(f"{old!r} is now {new!r}", err=True)

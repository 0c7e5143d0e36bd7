"""The changelog lists all commands and options of version 0.2 that have new words."""

from __future__ import annotations

import re

from stcollection.cli.aliases import new_options, new_words
from tests.docs.pages import REPOSITORY


def test_the_table_of_the_changelog_is_complete() -> None:
    _, _, rest = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8").partition("### Renamed commands and options\n")
    table, _, _ = rest.partition("\nAlso renamed")
    commands: dict[str, str] = {}
    options: dict[str, dict[str, str]] = {}
    for old, new in re.findall(r"(?m)^\| (`.*?) \| (`.*?) \|$", table):
        paths, colon, names = old.partition(": ")
        pairs = dict(zip(words(names if colon else old), words(new), strict=True))
        for path in words(paths) if colon else ():
            options.setdefault(path, {}).update(pairs)
        commands.update({} if colon else pairs)
    assert commands == new_words()
    assert options == new_options()


def words(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)

"""Commands that version 0.1 had under other names. They run until version 0.3, and print a warning that names the new one."""

from __future__ import annotations

from collections.abc import Sequence

import click

#: Old words: new words. The most words that fit decide.
MOVED = {
    "analysis answers": "answers",
    "analysis coverage": "coverage compute",
    "analysis coverages": "coverage list",
    "analysis coverages drop": "coverage drop",
    "analysis coverages show": "coverage show",
    "analysis study": "synth report",
    "analysis synth": "synth",
}
_LONGEST = max(len(old.split()) for old in MOVED)


def renamed(old: str, new: str, value: str) -> str:
    """Warn on stderr that a spelling is old, and return the value it has now."""
    click.echo(f"stc: warning: '{old}' is now '{new}'; the old name goes in version 0.3", err=True)
    return value


def current(words: Sequence[str]) -> list[str]:
    """Return the words of a command in their current spelling. Warn on stderr if the spelling is old."""
    for length in range(_LONGEST, 0, -1):
        old = " ".join(words[:length])
        if (new := MOVED.get(old)) is not None:
            return [*renamed(f"stc {old}", f"stc {new}", new).split(), *words[length:]]
    return list(words)

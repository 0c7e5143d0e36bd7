"""Write a number with its noun in the singular or plural, and the first of many names."""

from __future__ import annotations

import re
from collections.abc import Sequence

_HEAD = re.compile(r"(ie|)s(?=$| of | made | \()")
_Y = re.compile(r"(?<![aeiou])y$")


def counted(number: float, singular: str, several: str | None = None) -> str:
    """Return a number with its noun: ``1 query``, ``2,000 queries``, ``0.5 seconds``.

    :param several: the plural, if it is not the singular with an s, or with ies for a y after a consonant.
    """
    if number == 1:
        return f"1 {singular}"
    return f"{f'{number:,g}' if isinstance(number, float) else f'{number:,}'} {several or _Y.sub('ie', singular) + 's'}"


def agreeing(number: int, several: str) -> str:
    """Return a number with a plural, or with its singular for 1: ``1 pool entry``, ``1 answer of language models``."""
    return f"{number:,} {_HEAD.sub(lambda match: 'y' if match[1] else '', several, count=1) if number == 1 else several}"


def first_of(names: Sequence[str], most: int = 5, *, between: str = ", ") -> str:
    """Join the first names, and say how many more there are: ``a, b and 3 more``."""
    return between.join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")

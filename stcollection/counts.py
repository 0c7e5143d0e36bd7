"""Write a number with its noun in the singular or plural."""

from __future__ import annotations

import re

_Y = re.compile(r"(?<![aeiou])y$")


def counted(number: int, one: str, several: str | None = None) -> str:
    """Return a number with its noun: ``1 query``, ``2,000 queries``.

    :param several: the plural, if it is not ``one`` with an s, or with ies for a y after a consonant.
    """
    if number == 1:
        return f"1 {one}"
    return f"{number:,} {several or _Y.sub('ie', one) + 's'}"

"""The width of text on a terminal."""

from __future__ import annotations

import unicodedata


def columns(text: str) -> int:
    """Return the number of terminal columns of a text: wide characters such as Chinese take two, combining accents none."""
    return sum(
        0
        if unicodedata.combining(sign) or unicodedata.category(sign) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(sign) in "WF"
        else 1
        for sign in text
    )

"""How wide a text is on a terminal."""

from __future__ import annotations

import unicodedata


def columns(text: str) -> int:
    """How many columns of a terminal a text takes: Chinese signs take two, accents that stand by themselves none."""
    return sum(
        0
        if unicodedata.combining(sign) or unicodedata.category(sign) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(sign) in "WF"
        else 1
        for sign in text
    )

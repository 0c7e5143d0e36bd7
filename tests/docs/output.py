"""Compare the output of a command with the output that a page shows."""

from __future__ import annotations

import re

# Processors compute vectors with different instructions, so the last digits shown may differ.
TOLERANCE = 0.01
_NUMBER = re.compile(r"-?\d+\.\d+")
_RULE = re.compile(r"[-+| ]+")  # between the head of a table and its rows


def differs(shown: str, printed: str) -> str:
    """Compare two outputs line by line and word by word.

    ``…`` matches any words of a line; alone on a line it matches any lines. Numbers with a fraction may differ by TOLERANCE,
    relative to the value if it is above 1. Blank lines and rules of tables are ignored, as are lines printed before the first and
    after the last line shown.

    :returns: '' if they agree, else both texts.
    """
    wanted, got = (
        [words for line in text.splitlines() if (words := line.split()) and not _RULE.fullmatch(line)] for text in (shown, printed)
    )
    return "" if any(_lines(wanted, got[start:]) for start in range(len(got))) else f"shown:\n{shown}\nprinted:\n{printed}"


def _lines(wanted: list[list[str]], got: list[list[str]]) -> bool:
    if not wanted:
        return True
    if wanted[0] == ["…"]:
        return any(_lines(wanted[1:], got[start:]) for start in range(len(got) + 1))
    return bool(got) and _words(wanted[0], got[0]) and _lines(wanted[1:], got[1:])


def _words(wanted: list[str], got: list[str]) -> bool:
    if not wanted:
        return not got
    if wanted[0] == "…":
        return any(_words(wanted[1:], got[start:]) for start in range(len(got) + 1))
    return bool(got) and _word(wanted[0], got[0]) and _words(wanted[1:], got[1:])


def _word(wanted: str, got: str) -> bool:
    if "…" in wanted:
        return re.fullmatch(".*".join(map(re.escape, wanted.split("…"))), got) is not None
    if _NUMBER.sub("#", wanted) != _NUMBER.sub("#", got):
        return False
    pairs = zip(map(float, _NUMBER.findall(wanted)), map(float, _NUMBER.findall(got)), strict=True)
    return all(abs(a - b) <= TOLERANCE * max(1.0, abs(a)) for a, b in pairs)

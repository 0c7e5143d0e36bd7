"""Compare the output of a command with the output that a page shows."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"-?\d+\.\d+")
_FIGURE = re.compile(r"(?<![\w.])(?P<sign>[-\N{MINUS SIGN}+]?)(?P<number>\d*\.\d+)(?![\w]|\.\d)")
#: A version: "PostgreSQL before 17.1", "version 0.2", "[repro_eval](…) 0.5".
_VERSION = re.compile(
    r"\b(?:[Vv]ersion|Python|PostgreSQL|License|arXiv|pg[a-z_]+(?:-http)?|vectorscale|syntok|mteb|repro_eval)"
    r"`?(?:\]\([^)\n]*\))?\s(?:before |below |up to )?\d+(?:\.\d+)+"
)
_CODE = re.compile(r"`[^`\n]*`|\]\([^)\n]*\)")
_PROCESSORS = 0.002  # the scores of vectors differ by this much
_PRINTED_LINES = 2  # that one row of a table may combine
_RULE = re.compile(r"[-+| ]+")  # between the head of a table and its rows


def differs(shown: str, printed: str) -> str:
    """Compare two outputs line by line and word by word.

    ``…`` matches any words of a line; alone on a line it matches any lines. Numbers with a fraction may differ by one unit of the
    last digit, and by .002, because processors compute vectors with different instructions. Blank lines and rules of tables are
    ignored, as are lines printed before the first and after the last line shown.

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
    pairs = zip(_NUMBER.findall(wanted), _NUMBER.findall(got), strict=True)
    return all(abs(float(a) - float(b)) <= max(_PROCESSORS, 1.01 * max(_unit(a), _unit(b))) for a, b in pairs)


def _unit(number: str) -> float:
    """Return one unit of the last digit."""
    return float(10.0 ** -len(number.partition(".")[2]))


def figures(text: str) -> list[tuple[str, str]]:
    """Return the numbers with a fraction in a paragraph or table, outside of code and links, as sign and digits. Not versions."""
    return [(found["sign"], found["number"]) for found in _FIGURE.finditer(_CODE.sub(" ", _VERSION.sub(" ", text)))]


def unprinted(shown: str, printed: str) -> str:
    """Compare the figures of a paragraph or table with the output of the commands that compute them.

    Each figure must be printed, or be the rounded value of a printed one; a minus must be printed too. All figures of a row of a
    table must be on the same two lines.

    :returns: '' if they agree, else the figures that are not printed, and the output.
    """
    lines = [
        [float(sign.replace("+", "").replace("\N{MINUS SIGN}", "-") + number) for sign, number in figures(line)]
        for line in printed.splitlines()
    ]
    faults = []
    for row in shown.splitlines() if shown.startswith("|") else [shown]:
        wanted = set(figures(row))
        found = [{one for one in wanted if any(_printed(one, value) for value in line)} for line in lines]
        if shown.startswith("|"):
            best: set[tuple[str, str]] = set()
            for _ in range(_PRINTED_LINES):
                best |= max(found, key=lambda one: len(one - best), default=set())
        else:
            best = set().union(*found)
        faults += [f"{sign}{number} in: {row.strip()[:100]}" for sign, number in sorted(wanted - best)]
    return "\n".join([*faults, "is not in what is printed:", printed]) if faults else ""


def _printed(figure: tuple[str, str], value: float) -> bool:
    sign, number = figure
    return abs(float(number) - abs(value)) <= 0.51 * _unit(number) and (sign not in ("-", "\N{MINUS SIGN}") or value <= 0)

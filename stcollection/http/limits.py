"""Limits on the requests of programs."""

from __future__ import annotations

from stcollection.counts import counted
from stcollection.errors import BadArgument

SIZE = 1000  # documents per response
WINDOW = 10_000  # depth of a ranking: from + size, as in ElasticSearch
COUNTED = 10_000  # hits counted by default, as in ElasticSearch
CHARACTERS = 10_000  # of a query
CLAUSES = 1024  # of a query, as in ElasticSearch
NESTING = 20  # parentheses, or objects of a body
PREFIX = 2  # characters before a *
BODY = 100_000  # bytes


class Unreadable(BadArgument):
    """A malformed query or body."""


def unreadable(message: str, hint: str | None = None) -> Unreadable:
    """Return the error for a query or body that cannot be parsed."""
    return Unreadable(message, hint=hint)


def refused(message: str, hint: str | None = None) -> BadArgument:
    """Return the error for a request that is too large or not supported."""
    return BadArgument(message, hint=hint)


def checked_text(text: str, name: str = "query") -> str:
    """Return the text if PostgreSQL can store it.

    :raises BadArgument: it is too long, or contains U+0000 or half a surrogate pair.
    """
    if len(text) > CHARACTERS:
        raise refused(f"the {name} has {counted(len(text), 'character')}", f"Shorten it to {CHARACTERS:,} or fewer.")
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise refused(f"the {name} contains U+0000 or half a surrogate pair", "Remove it: no document contains it.")
    return text


def checked_number(text: object, name: str, low: int, high: int) -> int:
    """Return an integer of a request, sent as text or as a number.

    :raises BadArgument: it is not an integer, or outside [low, high].
    """
    try:
        if isinstance(text, bool) or not isinstance(text, str | int) or len(str(text)) > 20:
            raise ValueError
        number = int(text)
    except ValueError as error:
        raise refused(f"{name} is {str(text)[:40]!r}", f"Use an integer from {low:,} to {high:,}.") from error
    if not low <= number <= high:
        raise refused(f"{name} is {number:,}", f"Use an integer from {low:,} to {high:,}.")
    return number

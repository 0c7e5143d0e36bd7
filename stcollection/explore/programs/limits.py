"""What a program may ask for at most."""

from __future__ import annotations

from stcollection.errors import BadArgument

SIZE = 1000  # documents an answer
WINDOW = 10_000  # documents into a ranking: from + size, as ElasticSearch has it
COUNTED = 10_000  # what ElasticSearch counts to, unless asked
CHARACTERS = 10_000  # of a query
CLAUSES = 1024  # of a query, as ElasticSearch has it
NESTING = 20  # parentheses, or objects of a body
PREFIX = 2  # characters before a *
BODY = 100_000  # bytes


class Unreadable(BadArgument):
    """A query or a body that is none."""


def unreadable(message: str, hint: str | None = None) -> Unreadable:
    """The error for what cannot be parsed."""
    return Unreadable(message, hint=hint, sqlstate="IR202")


def refused(message: str, hint: str | None = None) -> BadArgument:
    """The error for a request that is out of bounds, or for what there is not."""
    return BadArgument(message, hint=hint, sqlstate="IR202")


def checked_text(text: str, name: str = "query") -> str:
    """A text as PostgreSQL can hold it.

    :raises BadArgument: it is too long, or holds U+0000 or half a surrogate pair.
    """
    if len(text) > CHARACTERS:
        raise refused(f"the {name} has {len(text):,} characters", f"{CHARACTERS:,} are read at most.")
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise refused(f"the {name} holds U+0000 or half a surrogate pair", "No document holds it: leave it out.")
    return text


def checked_number(text: object, name: str, low: int, high: int) -> int:
    """A whole number of a request, which comes as text or as a number.

    :raises BadArgument: it is none, or outside [low, high].
    """
    try:
        if isinstance(text, bool) or not isinstance(text, str | int) or len(str(text)) > 20:
            raise ValueError
        number = int(text)
    except ValueError as error:
        raise refused(f"{name} is {str(text)[:40]!r}", f"It is a whole number from {low:,} to {high:,}.") from error
    if not low <= number <= high:
        raise refused(f"{name} is {number:,}", f"It is a whole number from {low:,} to {high:,}.")
    return number

"""Errors in the reader's words."""

from __future__ import annotations

from typing import NamedTuple

from stcollection.errors import StcError
from stcollection.texts import later
from stcollection.web.words import english, is_known, t

_DENIED = later("this login has no right to read what this view shows")
_ASK = later("Ask the administrator of the collection for the right.")


class ErrorText(NamedTuple):
    """A message as a sentence, and its hint. :param lang: attribute of texts that are not in the page's language, else None."""

    message: str
    hint: str | None
    lang: str | None


def error_text(error: StcError) -> ErrorText:
    """Return an error in the reader's language if both of its texts are marked by ``later``, else in English."""
    message, hint = (_DENIED, _ASK) if error.sqlstate == "42501" else (error.message, error.hint)
    if is_known(message) and (hint is None or is_known(hint)):
        return ErrorText(sentence(t(message)), hint and t(hint), None)
    return ErrorText(sentence(message), hint, english())


def sentence(text: str) -> str:
    """Return a text that begins with a capital letter and ends with a stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")

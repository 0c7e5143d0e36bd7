"""Texts in English that the page shows in the reader's language."""

from __future__ import annotations


class MarkedText(str):
    """A text that :func:`later` marked, in English, with what is needed to translate it."""

    __slots__ = ("text", "values")
    text: str
    values: dict[str, object]


def later(text: str, **values: object) -> str:
    """Mark a text of a constant, or of an error, for translation; the page translates it (:func:`stcollection.web.words.t`).

    :param values: for the placeholders of the text; the page puts them in again.
    """
    if not values:
        return text
    marked = MarkedText(text.format(**values))
    marked.text, marked.values = text, values
    return marked

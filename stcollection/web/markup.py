"""HTML of small pages without a template.

Every value that is not :class:`Html` is text and is escaped, also in attributes, so concatenation never turns text into HTML.
"""

from __future__ import annotations

from html import escape


class Html(str):
    """HTML made by this module, which is not escaped again inside other HTML."""

    __slots__ = ()


def el(name: str, /, *children: str | int | None, **attributes: str | int | None) -> Html:
    """Return an element. ``class_`` is class, ``aria_label`` is aria-label. None children and attributes are omitted."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"' for key, value in attributes.items() if value is not None
    )
    return Html(f"<{name}{given}>{join(*children)}</{name}>")


def join(*children: str | int | None, between: str = "") -> Html:
    """Concatenate HTML and texts; texts are escaped."""
    return Html(
        escape(between).join(child if isinstance(child, Html) else escape(str(child)) for child in children if child is not None)
    )

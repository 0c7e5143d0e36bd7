"""Texts of others as cells and labels: safe on a terminal, no formula in a spreadsheet, no HTML in a figure or a notebook.

Names follow a rule (stcollection/names.py); titles, notes, document ids and file names do not. A spreadsheet takes a cell that
begins with ``= + - @``, a tab or a line break for a formula, and so runs what a stranger wrote. Such a cell gets an apostrophe
before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields
from html import escape
from typing import Any

# Control characters, line breaks, marks of invisible width or direction, lone surrogates. Blanks and joiners of a script are text.
_OBEYED = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")

_BAR = re.compile(r"(?<!\\)\|")
_SIGNS = ("=", "+", "-", "@")  # alone they are no formula


def shown(text: str) -> str:
    """A text on one line that a terminal does not obey: such characters are shown by their escapes, as ``\\x1b``."""
    return _OBEYED.sub(lambda found: repr(found[0])[1:-1], text)


def terminal_cell(value: Any) -> Any:
    """A cell of a printed table; numbers stay numbers."""
    return shown(value) if isinstance(value, str) else value


def markdown_cell(value: Any) -> Any:
    """A cell of a Markdown table: a bar in it does not end it."""
    return _BAR.sub(r"\|", shown(value)) if isinstance(value, str) else value


def spreadsheet_cell(value: Any) -> Any:
    """A cell of a CSV table; numbers stay numbers, written as text too. A carriage return becomes a line feed: csv quotes that."""
    if not isinstance(value, str):
        return value
    text = value.replace("\r\n", "\n").replace("\r", "\n")
    if not text.startswith(FORMULA) or text in _SIGNS:
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text if text == text.strip() else f"'{text}"


def figure_text(text: str) -> str:
    """A text in a figure of plotly, which reads HTML there, but not ``&quot;``."""
    return escape(text, quote=False)


def html_table(headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table in a notebook; texts are escaped, numbers aligned to the right."""
    head = "".join(f"<th>{escape(shown(one))}</th>" for one in headers)
    body = "".join(f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_cell(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        shape = ",.4g" if isinstance(value, float) else ","
        return f'<td style="text-align: right">{value:{shape}}</td>'
    text = "" if value is None else ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return f'<td style="text-align: left">{escape(shown(text))}</td>'


class HtmlFields:
    """A dataclass that a notebook shows as a table of its fields."""

    def _repr_html_(self) -> str:
        given = {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type]
        return html_table(list(given), [list(given.values())])

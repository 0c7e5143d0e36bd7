"""Escape foreign text for table cells and labels on terminals, in spreadsheets, figures and notebooks.

Names follow a rule (stcollection/names.py); titles, notes, document ids and file names do not. A spreadsheet interprets a cell
that begins with ``= + - @``, a tab or a line break as a formula, and so would run a stranger's code. We put an apostrophe before
the content of such cells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields
from html import escape
from typing import Any

# Control characters, line breaks, zero-width and direction marks, lone surrogates. Spaces and joiners that scripts use are kept.
_OBEYED = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")

_BAR = re.compile(r"(?<!\\)\|")
_SIGNS = ("=", "+", "-", "@")  # not a formula if they are the whole cell


def shown(text: str) -> str:
    """Return the text on one line, with control characters replaced by their escapes (``\\x1b``)."""
    return _OBEYED.sub(lambda match: repr(match[0])[1:-1], text)


def on_one_line(text: str) -> str:
    """Return a text on one line: single blanks, and U+FFFD for control characters and changes of direction."""
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in " ".join(text.split()))


def terminal_cell(value: Any) -> Any:
    """Return a value for a cell of a printed table; numbers stay numbers."""
    return shown(value) if isinstance(value, str) else value


def markdown_cell(value: Any) -> Any:
    """Return a value for a cell of a Markdown table, with ``|`` escaped."""
    return _BAR.sub(r"\|", shown(value)) if isinstance(value, str) else value


def spreadsheet_cell(value: Any) -> Any:
    """Return a value for a cell of a CSV table. Numbers stay numbers, also those given as text.

    A carriage return becomes a line feed, which the csv module quotes.
    """
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


def html_table(headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return an HTML table for a notebook. Text is escaped; numbers are aligned to the right."""
    head = "".join(f"<th>{escape(shown(header))}</th>" for header in headers)
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
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return html_table(list(values), [list(values.values())])

"""Rows as text: tables for people, JSON, CSV, Markdown and LaTeX for what comes next."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

import orjson
from tabulate import LATEX_ESCAPE_RULES, tabulate

from stcollection.cells import markdown_cell, spreadsheet_cell, terminal_cell

FORMATS = ("table", "json", "csv", "markdown", "latex")


_NARROW = 16  # columns of a terminal that a column of text keeps
_BETWEEN = 2  # columns between two of a table


def render(
    rows: Sequence[Sequence[Any]],
    headers: Sequence[str],
    *,
    style: str,
    raw: bool = False,
    simulated: str | None = None,
    width: int | None = None,
) -> str:
    """Rows as text of one of FORMATS, or of ``latex_raw``, where cells are LaTeX already; without a final line break.

    Numbers are to four places except in JSON and CSV. What a terminal obeys is shown by its escape, except in JSON and CSV.

    :param width: of the terminal, in columns: in a wider ``table`` the longest texts go on in further lines, and columns without
        room follow in a second table, after the first column. None is unlimited.

    :param raw: CSV cells unchanged, also those that a spreadsheet reads as formulas.
    :param simulated: the note on simulated data: JSON and CSV get a field ``simulated``, and LaTeX ends with the note.
    """
    if simulated is not None and "simulated" not in headers and style in ("json", "csv"):
        rows, headers = [(*row, True) for row in rows], [*headers, "simulated"]
    if style == "json":
        return orjson.dumps(
            [dict(zip(headers, row, strict=True)) for row in rows], option=orjson.OPT_INDENT_2, default=str
        ).decode()
    if style == "csv":
        lines = io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(headers if raw else [spreadsheet_cell(header) for header in headers])
        writer.writerows(rows if raw else [[spreadsheet_cell(cell) for cell in row] for row in rows])
        return lines.getvalue().rstrip("\n")
    layout = {"table": "simple", "markdown": "github", "latex": "latex_booktabs", "latex_raw": "latex_raw"}[style]
    cell_of = markdown_cell if style == "markdown" else terminal_cell
    safe, heads = [[cell_of(cell) for cell in row] for row in rows], [cell_of(header) for header in headers]
    text = _tabulate(safe, heads, layout)
    if style == "table" and width is not None and (over := _widest(text) - width) > 0:
        filled = [["–" if cell is None else cell for cell in row] for row in safe]
        text = _fitted(filled, heads, layout, width, _widths(filled, heads, over))
    if style == "latex_raw":  # tabulate has booktabs' rules only for cells that it escapes
        for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
            text = text.replace(r"\hline", rule, 1)
    if simulated is not None and layout.startswith("latex"):
        words = "".join(LATEX_ESCAPE_RULES.get(sign, sign) for sign in simulated)
        row = rf"\multicolumn{{{len(headers)}}}{{l}}{{\footnotesize {words}}} \\"
        text = text.replace(r"\end{tabular}", row + "\n" + r"\end{tabular}")
    return text


def _tabulate(rows: list[list[Any]], headers: list[Any], layout: str, widths: list[int | None] | None = None) -> str:
    return tabulate(rows, headers=headers, tablefmt=layout, floatfmt=".4f", intfmt=",", missingval="–", maxcolwidths=widths)


def _fitted(rows: list[list[Any]], headers: list[Any], layout: str, width: int, widths: list[int | None]) -> str:
    """Tables one below the other: each has the first column and the next ones that fit."""
    wide = [_widest(_tabulate([[row[at]] for row in rows], [headers[at]], layout, [widths[at]])) for at in range(len(headers))]
    parts: list[list[int]] = [[0]]
    room = width - wide[0]
    for at in range(1, len(headers)):
        if room < wide[at] + _BETWEEN and len(parts[-1]) > 1:
            parts.append([0])
            room = width - wide[0]
        parts[-1].append(at)
        room -= wide[at] + _BETWEEN
    return "\n\n".join(
        _tabulate([[row[at] for at in part] for row in rows], [headers[at] for at in part], layout, [widths[at] for at in part])
        for part in parts
    )


def _widest(text: str) -> int:
    return max(map(len, text.splitlines()), default=0)


def _widths(rows: list[list[Any]], headers: list[Any], over: int) -> list[int | None]:
    """The width of each column of text, so that the table becomes narrower by so much if it can; None leaves a column unchanged.

    The widest columns are cut down to one width.
    """
    columns = list(zip(*rows, strict=True))
    longest = [max(map(len, column)) if all(isinstance(cell, str) for cell in column) else 0 for column in columns]
    floors = [max(_NARROW, len(str(header))) for header in headers]
    limit = max(longest, default=0)
    while limit > _NARROW and sum(max(0, wide - max(limit, floor)) for wide, floor in zip(longest, floors, strict=True)) < over:
        limit -= 1
    return [max(limit, floor) if wide > max(limit, floor) else None for wide, floor in zip(longest, floors, strict=True)]

"""Render rows as text: tables, JSON, CSV, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stcollection.cells import markdown_cell, spreadsheet_cell, terminal_cell

FORMATS = ("table", "json", "csv", "markdown", "latex")


_NARROW = 16  # minimum width of a text column, in terminal columns
_BETWEEN = 2  # spaces between two columns of a table


def render(
    rows: Sequence[Sequence[Any]],
    headers: Sequence[str],
    *,
    style: str,
    raw: bool = False,
    simulated: str | None = None,
    width: int | None = None,
) -> str:
    """Render rows as text in one of FORMATS, or as ``latex_raw``, whose cells are already LaTeX; without a final line break.

    Numbers have four decimal places except in JSON and CSV. Control characters are escaped except in JSON and CSV.

    :param width: width of the terminal, in columns. In a wider ``table`` the longest texts are wrapped, and columns that do not
        fit move to a second table below, after the first column. None: unlimited.
    :param raw: write CSV cells unchanged, even those that a spreadsheet would read as formulas.
    :param simulated: the note on simulated data: JSON and CSV get a field ``simulated``, and LaTeX ends with the note.
    """
    if simulated is not None and "simulated" not in headers and style in ("json", "csv"):
        rows, headers = [(*row, True) for row in rows], [*headers, "simulated"]
    if style == "json":
        import orjson  # each format imports its own packages

        return orjson.dumps(
            [dict(zip(headers, row, strict=True)) for row in rows], option=orjson.OPT_INDENT_2, default=str
        ).decode()
    if style == "csv":
        import csv
        import io

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
    if style == "latex_raw":  # tabulate writes booktabs rules only if it escapes the cells
        for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
            text = text.replace(r"\hline", rule, 1)
    if simulated is not None and layout.startswith("latex"):
        from tabulate import LATEX_ESCAPE_RULES

        words = "".join(LATEX_ESCAPE_RULES.get(sign, sign) for sign in simulated)
        row = rf"\multicolumn{{{len(headers)}}}{{l}}{{\footnotesize {words}}} \\"
        text = text.replace(r"\end{tabular}", row + "\n" + r"\end{tabular}")
    return text


def _tabulate(rows: list[list[Any]], headers: list[Any], layout: str, widths: list[int | None] | None = None) -> str:
    from tabulate import tabulate

    return tabulate(rows, headers=headers, tablefmt=layout, floatfmt=".4f", intfmt=",", missingval="–", maxcolwidths=widths)


def _fitted(rows: list[list[Any]], headers: list[Any], layout: str, width: int, widths: list[int | None]) -> str:
    """Render tables one below the other, each with the first column and as many further columns as fit."""
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
    """Return a width per text column so that the table shrinks by ``over`` columns if it can; None leaves a column unchanged.

    The widest columns are cut down to the same width.
    """
    columns = list(zip(*rows, strict=True))
    longest = [max(map(len, column)) if all(isinstance(cell, str) for cell in column) else 0 for column in columns]
    floors = [max(_NARROW, len(str(header))) for header in headers]
    limit = max(longest, default=0)
    while limit > _NARROW and sum(max(0, wide - max(limit, floor)) for wide, floor in zip(longest, floors, strict=True)) < over:
        limit -= 1
    return [max(limit, floor) if wide > max(limit, floor) else None for wide, floor in zip(longest, floors, strict=True)]

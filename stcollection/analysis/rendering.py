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


def render(
    rows: Sequence[Sequence[Any]], headers: Sequence[str], *, style: str, raw: bool = False, simulated: str | None = None
) -> str:
    """Rows as text of one of FORMATS, or of ``latex_raw``, where cells are LaTeX already; without a final line break.

    Numbers are to four places except in JSON and CSV. What a terminal obeys is shown by its escape, except in JSON and CSV.

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
    text = tabulate(safe, headers=heads, tablefmt=layout, floatfmt=".4f", intfmt=",", disable_numparse=False, missingval="–")
    if style == "latex_raw":  # tabulate has booktabs' rules only for cells that it escapes
        for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
            text = text.replace(r"\hline", rule, 1)
    if simulated is not None and layout.startswith("latex"):
        words = "".join(LATEX_ESCAPE_RULES.get(sign, sign) for sign in simulated)
        row = rf"\multicolumn{{{len(headers)}}}{{l}}{{\footnotesize {words}}} \\"
        text = text.replace(r"\end{tabular}", row + "\n" + r"\end{tabular}")
    return text

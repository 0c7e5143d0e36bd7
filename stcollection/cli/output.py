"""What commands print: tables for people, JSON, CSV, Markdown and LaTeX for what comes next; progress on stderr."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import Any

import click
import orjson
from tabulate import tabulate
from tqdm import tqdm

FORMATS = ("table", "json", "csv", "markdown", "latex")

format_option = click.option(
    "--format", "style", type=click.Choice(FORMATS), default="table", show_default=True, help="How to print it."
)


def render(rows: Sequence[Sequence[Any]], headers: Sequence[str], *, style: str) -> str:
    """Rows as text of one of FORMATS, or of ``latex_raw``, where cells are LaTeX already; without a final line break.

    Numbers are to four places except in JSON and CSV.
    """
    if style == "json":
        return orjson.dumps(
            [dict(zip(headers, row, strict=True)) for row in rows], option=orjson.OPT_INDENT_2, default=str
        ).decode()
    if style == "csv":
        lines = io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(headers)
        writer.writerows(rows)
        return lines.getvalue().rstrip("\n")
    layout = {"table": "simple", "markdown": "github", "latex": "latex_booktabs", "latex_raw": "latex_raw"}[style]
    text = tabulate(rows, headers=headers, tablefmt=layout, floatfmt=".4f", intfmt=",", disable_numparse=False, missingval="–")
    if style == "latex_raw":  # tabulate has booktabs' rules only for cells that it escapes
        for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
            text = text.replace(r"\hline", rule, 1)
    return text


class Progress:
    """A bar on stderr for a callback that tells ``(done, total)``, total None while unknown; silent where stderr is no terminal."""

    def __init__(self, title: str, *, unit: str, scale: bool = False) -> None:
        self._bar = tqdm(desc=title, unit=unit, unit_scale=scale, disable=None, dynamic_ncols=True, leave=False)

    def __call__(self, done: int, total: int | None, note: str = "") -> None:
        if total is not None:
            self._bar.total = total
        if note:
            self._bar.set_postfix_str(note, refresh=False)
        self._bar.update(done - self._bar.n)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()


Callback = Callable[[int, int | None], None]

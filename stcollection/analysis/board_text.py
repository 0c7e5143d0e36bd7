"""Leaderboards with significance marks as text: tables, Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from stcollection.analysis.marks import BETTER, WORSE, Marked, MarkedMean, MarkedRun
from stcollection.analysis.rendering import render
from stcollection.analysis.significance import PairedTest
from stcollection.counts import counted
from stcollection.evaluation.measures import Measure
from stcollection.topics.sets import ALL, titled

_ESCAPES = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {c: f"\\{c}" for c in "&%$#_{}"}
_LATEX = {BETTER: r"$^{\dagger}$", WORSE: r"$^{\ddagger}$"}


def describe_marks(marked: Marked, *, test: PairedTest, baseline: str | None, queries: str = ALL) -> str:
    """Return the note below a leaderboard: the meaning of the marks and the test behind them."""
    how = f"{test.kind} test" if test.kind in ("t", "randomisation") else test.kind
    corrected = "not corrected" if test.correction == "none" else f"corrected by {test.correction}"
    what = f"{BETTER} better, {WORSE} worse than {baseline}" if baseline else "letters: runs it beats"
    over = titled(f"{counted(marked.queries, 'query')}", queries)
    return f"{what}; paired {how}, {over}, {corrected}, p < {test.alpha:g}"


def render_board(
    marked: Marked,
    measures: Sequence[Measure],
    *,
    digits: int,
    style: str,
    note: str,
    raw: bool = False,
    simulated: str | None = None,
) -> str:
    """Render a leaderboard in one of FORMATS, without a final line break.

    :param note: the note below it; CSV and JSON omit it.
    :param raw: write CSV cells unchanged, even those that a spreadsheet would read as formulas.
    :param simulated: the note on simulated data, as for :func:`~stcollection.analysis.rendering.render`.
    """
    names = [str(measure) for measure in measures]
    lettered = any(line.letter for line in marked.lines)
    if style == "json":
        records = [
            (line.run, line.letter or None, {name: _record(cell) for name, cell in zip(names, line.cells, strict=True)})
            for line in marked.lines
        ]
        return render(records, ["run", "letter", "measures"], style=style, simulated=simulated)
    if style == "csv":
        headers = ["run", "letter", *(part for name in names for part in (name, f"{name} mark", f"{name} p"))]
        cells = [(line.run, line.letter, *_flat(line)) for line in marked.lines]
        return render(cells, headers, style=style, raw=raw, simulated=simulated)
    rows = [
        (*([line.letter] if lettered else []), _run(line.run, style), *(_cell(cell, digits, style) for cell in line.cells))
        for line in marked.lines
    ]
    headers = [*([""] if lettered else []), "run", *names]
    if style == "latex":
        return f"% {note}\n{render(rows, headers, style='latex_raw', simulated=simulated)}"
    return f"{render(rows, headers, style=style, simulated=simulated)}\n\n{note}"


def _record(cell: MarkedMean) -> dict[str, Any]:
    return {"value": _number(cell.value), "mark": cell.mark, "p": _number(cell.p), "best": cell.best}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _flat(line: MarkedRun) -> list[Any]:
    return [part for cell in line.cells for part in (_number(cell.value), cell.mark, _number(cell.p))]


def _run(name: str, style: str) -> str:
    if style == "latex":
        return "".join(_ESCAPES.get(sign, sign) for sign in name)
    return name.replace("|", "\\|") if style == "markdown" else name


def _cell(cell: MarkedMean, digits: int, style: str) -> str:
    if math.isnan(cell.value):
        return "–"
    value = f"{cell.value:.{digits}f}"
    if style == "latex":
        mark = _LATEX.get(cell.mark, f"$^{{{cell.mark}}}$" if cell.mark else "")
        return (rf"\textbf{{{value}}}" if cell.best else value) + mark
    if style == "markdown":
        return (f"**{value}**" if cell.best else value) + (f"<sup>{cell.mark}</sup>" if cell.mark else "")
    return value + (" " if cell.mark and cell.mark not in (BETTER, WORSE) else "") + cell.mark

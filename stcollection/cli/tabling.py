"""``stc analysis leaderboard``: the table of a paper."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from stcollection.analysis.corrections import CORRECTIONS
from stcollection.analysis.marks import BETTER, WORSE, Cell, Line, Marked, marked_leaderboard
from stcollection.cli.comparing import alpha_option, permutations_option, seed_option, test_option
from stcollection.cli.measuring import edition_option, measure_option
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure, nDCG

_ESCAPES = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {c: f"\\{c}" for c in "&%$#_{}"}
_LATEX = {BETTER: r"$^{\dagger}$", WORSE: r"$^{\ddagger}$"}


@click.command("leaderboard")
@click.argument("runs", nargs=-1)
@edition_option
@measure_option(nDCG @ 10)
@click.option(
    "--baseline", metavar="RUN", help=f"Mark what is better ({BETTER}) or worse ({WORSE}) than this.  [default: all pairs]"
)
@test_option
@click.option(
    "--correction", type=click.Choice(list(CORRECTIONS)), default="holm", show_default=True, help="Over the tests of each measure."
)
@permutations_option
@seed_option
@alpha_option
@click.option("--digits", type=click.IntRange(1, 6), default=4, show_default=True, help="Of the means.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The file to write.  [default: standard output]")
@format_option
@click.pass_obj
def leaderboard(
    settings: Settings, /, measures: list[Measure], digits: int, out: Path | None, style: str, **options: Any
) -> None:  # fmt: skip
    """Rank RUNS (all if none is named) with marks of significance: a table for a paper, in markdown, LaTeX, CSV or JSON.

    With a baseline the mark tells which means are better or worse than its own; without one each run has a letter, and a mean
    carries the letters of the runs it beats. The best mean is bold in markdown and LaTeX.
    """
    with connect(settings) as conn:
        marked = marked_leaderboard(conn, measures=measures, **options)
    text = _text(marked, measures, digits, style, _note(marked, options))
    if out is None:
        click.echo(text)
    else:
        out.write_text(text + "\n", encoding="utf-8")
        click.echo(f"{out}: {len(marked.lines)} runs")


def _note(marked: Marked, options: dict[str, Any]) -> str:
    how = f"{options['test']} test" if options["test"] in ("t", "randomisation") else f"{options['test']}"
    corrected = "not corrected" if options["correction"] == "none" else f"corrected by {options['correction']}"
    what = f"{BETTER} better, {WORSE} worse than {options['baseline']}" if options["baseline"] else "letters: runs it beats"
    return f"{what}; paired {how}, {marked.queries} queries, {corrected}, p < {options['alpha']:g}"


def _text(marked: Marked, measures: list[Measure], digits: int, style: str, note: str) -> str:
    names = [str(measure) for measure in measures]
    lettered = any(line.letter for line in marked.lines)
    if style == "json":
        records = [
            (line.run, line.letter or None, {name: _record(cell) for name, cell in zip(names, line.cells, strict=True)})
            for line in marked.lines
        ]
        return render(records, ["run", "letter", "measures"], style=style)
    if style == "csv":
        headers = ["run", "letter", *(part for name in names for part in (name, f"{name} mark", f"{name} p"))]
        return render([(line.run, line.letter, *_flat(line)) for line in marked.lines], headers, style=style)
    rows = [
        (*([line.letter] if lettered else []), _run(line.run, style), *(_shown(cell, digits, style) for cell in line.cells))
        for line in marked.lines
    ]
    headers = [*([""] if lettered else []), "run", *names]
    if style == "latex":
        return f"% {note}\n{render(rows, headers, style='latex_raw')}"
    return f"{render(rows, headers, style=style)}\n\n{note}"


def _record(cell: Cell) -> dict[str, Any]:
    return {"value": _told(cell.value), "mark": cell.mark, "p": _told(cell.p), "best": cell.best}


def _told(value: float) -> float | None:
    return None if math.isnan(value) else value


def _flat(line: Line) -> list[Any]:
    return [part for cell in line.cells for part in (_told(cell.value), cell.mark, _told(cell.p))]


def _run(name: str, style: str) -> str:
    if style == "latex":
        return "".join(_ESCAPES.get(sign, sign) for sign in name)
    return name.replace("|", "\\|") if style == "markdown" else name


def _shown(cell: Cell, digits: int, style: str) -> str:
    if math.isnan(cell.value):
        return "–"
    value = f"{cell.value:.{digits}f}"
    if style == "latex":
        mark = _LATEX.get(cell.mark, f"$^{{{cell.mark}}}$" if cell.mark else "")
        return (rf"\textbf{{{value}}}" if cell.best else value) + mark
    if style == "markdown":
        return (f"**{value}**" if cell.best else value) + (f"<sup>{cell.mark}</sup>" if cell.mark else "")
    return value + (" " if cell.mark and cell.mark not in (BETTER, WORSE) else "") + cell.mark

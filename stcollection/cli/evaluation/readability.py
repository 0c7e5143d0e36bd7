"""The command ``stc evaluation readability``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import click

from stcollection.analysis.readability import compare_readability
from stcollection.analysis.significance import RunComparison
from stcollection.cli.evaluation._readability import HEADINGS, OFFICIAL, table
from stcollection.cli.options.editions import any_edition_option
from stcollection.cli.options.measures import MOST
from stcollection.cli.output import format_option, render
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.readability import GRADE_LEVELS, QueryReadability, Readability, query_readability, readability


@click.command("readability")
@click.argument("runs", nargs=-1)
@click.option("--k", type=click.IntRange(1, MOST), default=10, show_default=True, help="Documents a query that count.")
@any_edition_option("Only the queries it judges.  [default: all the runs have documents for]")
@click.option("-m", "--measure", type=click.Choice(GRADE_LEVELS), default=GRADE_LEVELS[0], show_default=True, help="Which FKGL.")
@click.option("-q", "--per-query", is_flag=True, help="A row for each query of each run.")
@click.option("--compare", is_flag=True, help="Test two runs for differences: paired t-tests over queries, Holm.")
@format_option
@click.pass_obj
def command(
    settings: Settings,
    runs: tuple[str, ...],
    k: int,
    edition: str | None,
    measure: str,
    per_query: bool,
    compare: bool,
    style: str,
) -> None:
    """How readable and credible the first documents of RUNS (all if none is named) are.

    Means over the documents: references, different words (vocab), shares of long and of complex words, Flesch-Kincaid grade level
    and its median, citations and their percentile. A document without an abstract has no readability: 'measured' tells of how many
    it is, 'listing' of how many the references are.
    """
    if compare and (per_query or len(runs) != 2):
        raise click.UsageError("--compare takes two runs, and no --per-query.")
    with connect(settings) as conn:
        if compare:
            found = compare_readability(conn, run=runs[0], against=runs[1], k=k, edition=edition, measure=measure)
            click.echo(_compared(found, style))
            return
        read = query_readability if per_query else readability
        rows: Sequence[Readability | QueryReadability] = read(conn, runs=runs, k=k, edition=edition, measure=measure)
    fields = (QueryReadability if per_query else Readability)._fields
    if style == "latex":  # the official form: what a paper prints
        covered = f"readability is of {sum(one.measured for one in rows):,} of {sum(one.documents for one in rows):,} documents"
        kept = (*fields[: 1 + per_query], *OFFICIAL)
        lines = [[getattr(one, name) for name in kept] for one in rows]
        click.echo(f"% rank {k} or better, FKGL is {measure}; {covered}\n{table(lines, kept, style=style)}")
        return
    click.echo(table(rows, fields, style=style))
    if style not in ("json", "csv"):
        aside(f"rank {k} or better; measured: with readability, listing: with references; FKGL is {measure}")


def _compared(found: Sequence[RunComparison], style: str) -> str:
    fields = ("measure", "queries", "mean", "mean_against", "difference", "low", "high", "d", "p", "corrected")
    rows = [[_known(getattr(one, name)) for name in fields] for one in found]
    if style in ("json", "csv"):
        return render(rows, fields, style=style)
    names = ["", "queries", found[0].run, found[0].against, "difference", "0.95 from", "to", "d", "p", "corrected"]
    return render([[HEADINGS[row[0]][0], *row[1:-2], _p(row[-2]), _p(row[-1])] for row in rows], names, style=style)


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _p(value: float | None) -> str | None:
    return value if value is None else "<.0001" if value < 0.00005 else f"{value:.4f}"

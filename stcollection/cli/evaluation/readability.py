"""The command ``stc analysis readability``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import click

from stcollection.analysis.readability import compare_readability
from stcollection.analysis.significance import RunComparison
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.evaluation._readability import HEADINGS, OFFICIAL, table
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import RecordTable
from stcollection.evaluation.readability import read_readability
from stcollection.topics.sets import expression


@command(read_readability)
def readability_command(call: Call[RecordTable[Any]], *, compare: bool = False, style: Style = "table") -> None:
    """Report the readability and credibility of the top documents of runs. Without RUN, report all runs.

    Means over the documents: references, distinct words (vocab), shares of long and of complex words, Flesch-Kincaid grade level
    and its median, citations and their percentile. Documents without an abstract have no readability: 'measured' counts those that
    have it, and 'listing' those with a list of references.

    :param compare: Test two runs for differences: paired t-tests over queries, with Holm's correction.
    """
    per_query, runs, k, measure = (call.group(name) for name in ("per_query", "runs", "k", "measure"))
    if compare and (per_query or len(runs or ()) != 2):
        raise click.UsageError("--compare needs exactly two runs and no --per-query.")
    with connect(call.settings) as conn:
        if compare:
            queries = expression(call.group("queries"))
            tests = compare_readability(
                conn, run=runs[0], against=runs[1], k=k, edition=call.group("edition"), measure=measure, queries=queries
            )
            click.echo(_compared(tests, style))
            return
        rows = call(conn)
    fields = list(rows.columns)
    if style == "latex":  # the official columns, for papers
        covered = (
            f"readability is of {sum(row.measured for row in rows):,} of {counted(sum(row.documents for row in rows), 'document')}"
        )
        kept = (*fields[: 1 + per_query], *OFFICIAL)
        lines = [[getattr(row, name) for name in kept] for row in rows]
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

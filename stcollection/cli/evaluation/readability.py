"""The command ``stc evaluation readability``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from stcollection.analysis.readability import compare_readability
from stcollection.analysis.significance import RunComparison
from stcollection.cli.evaluation._readability import HEADINGS, OFFICIAL, table
from stcollection.cli.options import packed
from stcollection.cli.options.editions import any_edition_option
from stcollection.cli.options.measures import MOST
from stcollection.cli.options.queries import queries_option
from stcollection.cli.output import format_option, render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.readability import GRADE_LEVELS, QueryReadability, Readability, query_readability, readability


@dataclass(frozen=True, kw_only=True)
class ReadabilityTable:
    """What to print."""

    per_query: bool
    compare: bool
    style: str


@click.command("readability")
@click.argument("runs", nargs=-1)
@click.option("--cutoff", "k", type=click.IntRange(1, MOST), default=10, show_default=True, help="Number of documents per query.")
@any_edition_option("Use only the queries judged in EDITION.  [default: all queries of the runs]")
@queries_option
@click.option(
    "-m",
    "--measure",
    type=click.Choice(GRADE_LEVELS),
    default=GRADE_LEVELS[0],
    show_default=True,
    help="Version of the Flesch-Kincaid grade level.",
)
@click.option("-q", "--per-query", is_flag=True, help="Print one row per query of each run.")
@click.option("--compare", is_flag=True, help="Test two runs for differences: paired t-tests over queries, with Holm's correction.")
@format_option
@click.pass_obj
@packed(ReadabilityTable, "shown")
def command(
    settings: Settings,
    runs: tuple[str, ...],
    k: int,
    edition: str | None,
    queries: str,
    measure: str,
    shown: ReadabilityTable,
) -> None:
    """Report the readability and credibility of the top documents of runs. Without RUN, report all runs.

    Means over the documents: references, distinct words (vocab), shares of long and of complex words, Flesch-Kincaid grade level
    and its median, citations and their percentile. Documents without an abstract have no readability: 'measured' counts those that
    have it, and 'listing' those with a list of references.
    """
    per_query, style = shown.per_query, shown.style
    if shown.compare and (per_query or len(runs) != 2):
        raise click.UsageError("--compare needs exactly two runs and no --per-query.")
    with connect(settings) as conn:
        asked: dict[str, Any] = {"k": k, "edition": edition, "measure": measure, "queries": queries}
        if shown.compare:
            found = compare_readability(conn, run=runs[0], against=runs[1], **asked)
            click.echo(_compared(found, style))
            return
        read = query_readability if per_query else readability
        rows: Sequence[Readability | QueryReadability] = read(conn, runs=runs, **asked)
    fields = (QueryReadability if per_query else Readability)._fields
    if style == "latex":  # the official columns, for papers
        covered = (
            f"readability is of {sum(one.measured for one in rows):,} of {counted(sum(one.documents for one in rows), 'document')}"
        )
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

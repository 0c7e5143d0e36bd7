"""The command ``stc evaluation zscores``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from stcollection.cli.options import packed
from stcollection.cli.options.editions import edition_option
from stcollection.cli.options.measures import measure_option
from stcollection.cli.options.queries import queries_option
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import OFFICIAL, Measure
from stcollection.evaluation.zscores import zscore_norms, zscores


@dataclass(frozen=True, kw_only=True)
class ZscoreTable:
    """What to print."""

    norms: bool
    per_query: bool
    style: str


@click.command("zscores")
@click.argument("runs", nargs=-1)
@edition_option
@measure_option(*OFFICIAL)
@queries_option
@click.option(
    "--reference",
    multiple=True,
    metavar="RUN",
    help="Run to compute the means and deviations from. Repeatable.  [default: all runs]",
)
@click.option("--norms", is_flag=True, help="Print query, measure, mean and deviation instead, as input for trec_eval -Z.")
@click.option("-q", "--per-query", is_flag=True, help="Print one row per query, not only the mean.")
@click.option(
    "--complete/--retrieved",
    default=True,
    show_default=True,
    help="Count a query without documents in a run as 0 (trec_eval -c), or leave it out.",
)
@format_option
@click.pass_obj
@packed(ZscoreTable, "table")
def command(
    settings: Settings,
    runs: tuple[str, ...],
    edition: str,
    measures: list[Measure],
    queries: str,
    reference: tuple[str, ...],
    complete: bool,
    table: ZscoreTable,
) -> None:
    """Standardise the scores of runs query by query. Without RUN, use all runs with documents for the edition.

    A z-score is the deviation from the mean of all runs, so that hard and easy queries have equal weight. If all reference runs
    have the same score and this run another, there is no z-score (–), and the mean leaves the query out.
    """
    names = [measure.trec_eval for measure in measures]
    asked: dict[str, Any] = {"edition": edition, "measures": measures, "complete": complete, "queries": queries}
    with connect(settings) as conn:
        if table.norms:
            for norm in zscore_norms(conn, runs=reference, **asked):
                click.echo(f"{norm.query} {norm.measure} {norm.mean:.6f} {norm.deviation:.6f}")
            return
        found = zscores(conn, runs=runs, reference=reference, **asked)
    values: dict[tuple[str, ...], dict[str, list[float]]] = {}
    for one in found:
        row = values.setdefault((one.run, one.query) if table.per_query else (one.run,), {name: [] for name in names})
        row[one.measure] += [] if one.value is None else [one.value]
    means = [(key, [sum(row[name]) / len(row[name]) if row[name] else None for name in names]) for key, row in values.items()]
    if not table.per_query:
        means.sort(key=lambda one: (one[1][0] is None, -(one[1][0] or 0.0), one[0]))
    rows = [(*key, *of_key) for key, of_key in means]
    click.echo(render(rows, ["run", *(["query"] if table.per_query else []), *map(str, measures)], style=table.style))

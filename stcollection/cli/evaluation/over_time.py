"""The command ``stc evaluation over-time``."""

from __future__ import annotations

import click

from stcollection.analysis.collection_records import SnapshotScore
from stcollection.analysis.overtime import over_time
from stcollection.cli.options.days import days_option
from stcollection.cli.options.editions import edition_option
from stcollection.cli.options.measures import measures_option
from stcollection.cli.options.queries import queries_option
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure, parse_measure


@click.command("over-time")
@click.argument("run")
@click.argument("baseline")
@edition_option
@measures_option
@queries_option
@days_option
@format_option
@click.pass_obj
def command(
    settings: Settings, run: str, baseline: str, edition: str, measures: list[Measure], queries: str, days: list[str], style: str
) -> None:
    """Compare a run and a baseline on the snapshots of the collection ('stc corpus snapshots').

    Prints for each snapshot the means of both and, compared with the first one: the result delta (R_e), the effect ratio and the
    delta of the relative improvement (has the lead over the baseline stayed?), the root mean square error, also normalised, and
    p-values of t-tests, unpaired and paired by query. Kendall's tau union and rank-biased overlap compare the rankings of the run.
    """
    if len(measures) > 1:
        raise click.UsageError("over-time takes one measure.")
    with connect(settings) as conn:
        found = over_time(
            conn,
            run=run,
            baseline=baseline,
            edition=edition,
            measure=measures[0] if measures else parse_measure("nDCG@10"),
            days=days,
            queries=queries,
        )
    click.echo(render(found.days, SnapshotScore._fields, style=style))

"""The command ``stc analysis late``."""

from __future__ import annotations

import shlex

import click

from stcollection.analysis.late import LateRun, late_runs
from stcollection.cli.analysis._table import table
from stcollection.cli.options.editions import edition_option
from stcollection.cli.options.queries import queries_option
from stcollection.cli.options.reusability import measures_option
from stcollection.cli.output import format_option
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure

_NOTE = (
    "rank_low to rank_high: ranks that the choice of queries allows (95 %); rank_best to rank_worst: ranks that the grades of the"
    " unjudged documents allow."
)


@click.command("late")
@click.argument("runs", nargs=-1, required=True)
@edition_option
@measures_option
@queries_option
@format_option
@click.pass_obj
def command(settings: Settings, runs: tuple[str, ...], edition: str, measures: list[Measure], queries: str, style: str) -> None:
    """Report the unjudged share of a late RUN and its interval of ranks among all stored runs.

    A run that was submitted after the judgments retrieves documents that nobody judged. Prints their share, the score with
    unjudged documents as not relevant, and two intervals of its rank: over queries, and over all possible grades of the unjudged
    documents.
    """
    with connect(settings) as conn:
        found = [
            (str(one), row) for one in measures for row in late_runs(conn, runs, edition=edition, measure=one, queries=queries)
        ]
    click.echo(table(found, LateRun._fields, style, alone=True))
    aside(_NOTE)
    if missing := sum(row.unjudged for measure, row in found if measure == str(measures[0])):
        names = " ".join(map(shlex.quote, runs))
        depth = measures[0].cutoff or 10
        aside(
            f"To judge the {counted(missing, 'document')}: stc qrels pool make late {names} --depth {depth}"
            f" --exclude {shlex.quote(edition)}"
        )

"""The command ``stc analysis unjudged``."""

from __future__ import annotations

import click

from stcollection.analysis.reusability import Bounds
from stcollection.analysis.reusability import unjudged as bounds
from stcollection.cli.analysis._table import table
from stcollection.cli.options.editions import edition_option
from stcollection.cli.options.queries import queries_option
from stcollection.cli.options.reusability import measures_option
from stcollection.cli.output import format_option
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure


@click.command("unjudged")
@click.argument("runs", nargs=-1)
@edition_option
@measures_option
@queries_option
@click.option("-q", "--per-query", is_flag=True, help="Print one row per query, not only the mean.")
@format_option
@click.pass_obj
def command(
    settings: Settings, runs: tuple[str, ...], edition: str, measures: list[Measure], queries: str, per_query: bool, style: str
) -> None:
    """Report how much of each run is unjudged, and how far that could change its score. Without RUN, report all.

    For the documents up to the cutoff (or the whole ranking), prints how many are unjudged, and four scores: with unjudged
    documents as not relevant, on condensed lists (trec_eval -J), and the lowest and highest score possible for any grades.
    """
    with connect(settings) as conn:
        found = [
            (str(one), row)
            for one in measures
            for row in bounds(conn, edition=edition, measure=one, runs=runs, per_query=per_query, queries=queries)
        ]
    click.echo(table(found, Bounds._fields, style, alone=not per_query))

"""The command ``stc analysis plot slopes``."""

from __future__ import annotations

import click

from stcollection import figures
from stcollection.cli.options.editions import edition_option
from stcollection.cli.options.figures import FigureFile, draw, file_options, measures_option
from stcollection.cli.options.queries import queries_option
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure


@click.command("slopes")
@click.argument("runs", nargs=-1)
@edition_option
@click.option("--against", metavar="EDITION", help="Edition on the right.  [default: none; compare two measures instead]")
@measures_option(2)
@click.option("--all", "every", is_flag=True, help="Average over all queries of each edition, not only those that both judge.")
@queries_option
@file_options
@click.pass_obj
def command(
    settings: Settings,
    /,
    file: FigureFile,
    runs: tuple[str, ...],
    edition: str,
    against: str | None,
    measures: list[Measure],
    every: bool,
    queries: str,
) -> None:
    """Plot one ranking of runs against another: two editions, or two measures (-m nDCG@10 -m AP). Without RUN, plot all."""
    draw(
        settings,
        file,
        figures.slopes,
        edition=edition,
        against=against,
        measures=measures,
        runs=runs,
        every=every,
        query_set=queries,
        width=file.width,
    )

"""The command ``stc analysis plot ranks``."""

from __future__ import annotations

import click

from stcollection import figures
from stcollection.analysis.ties import MOST, TieRules
from stcollection.cli.options import packed
from stcollection.cli.options.editions import edition_option
from stcollection.cli.options.figures import FigureFile, draw, file_options, measures_option
from stcollection.cli.options.queries import queries_option
from stcollection.cli.options.significance import alpha_option, seed_option
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure


@click.command("ranks")
@click.argument("runs", nargs=-1)
@edition_option
@measures_option(1)
@queries_option
@alpha_option
@click.option("--resamples", type=click.IntRange(100, MOST), default=10_000, show_default=True, help="Bootstrap resamples.")
@seed_option
@packed(TieRules, "rules")
@file_options
@click.pass_obj
def command(
    settings: Settings,
    /,
    file: FigureFile,
    runs: tuple[str, ...],
    edition: str,
    measure: Measure,
    queries: str,
    rules: TieRules,
) -> None:
    """Plot the rank of each run with its interval over queries, and groups of runs that do not differ significantly.

    Without RUN, plot all. The numbers are those of 'stc evaluation leaderboard --ties'.
    """
    draw(
        settings,
        file,
        figures.ranks,
        edition=edition,
        measure=measure,
        runs=runs,
        rules=rules,
        query_set=queries,
        width=file.width,
    )

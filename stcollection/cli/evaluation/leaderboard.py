"""The command ``stc evaluation leaderboard``."""

from __future__ import annotations

import click

from stcollection.analysis.ties import tied_ranking
from stcollection.cli.evaluation._means import LEADERBOARD, print_means
from stcollection.cli.evaluation._ties import print_ties
from stcollection.cli.options.editions import edition_option
from stcollection.cli.options.measures import (
    MOST,
    aliases,
    complete_option,
    measures_option,
    scoring_options,
)
from stcollection.cli.options.queries import queries_option
from stcollection.cli.options.ties import TieRequest, ties_options
from stcollection.cli.output import format_option
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure
from stcollection.evaluation.score import USUAL, ScoreRules, leaderboard


@click.command("leaderboard")
@edition_option
@measures_option
@queries_option
@complete_option
@scoring_options
@click.option("--readability", "readable", is_flag=True, help="Also report the readability of the retrieved documents.")
@click.option("--cutoff", "k", type=click.IntRange(1, MOST), help="Number of documents per query for --readability.  [default: 10]")
@ties_options
@click.option("--as-of", "as_of", metavar="YYYY-MM-DD", help="Score as if the collection had been its snapshot of this day.")
@format_option
@click.pass_obj
def command(
    settings: Settings,
    edition: str,
    measures: list[Measure],
    queries: str,
    complete: bool,
    how: ScoreRules,
    readable: bool,
    k: int | None,
    tied: TieRequest,
    as_of: str | None,
    style: str,
) -> None:
    """Rank all runs by the first measure.

    With --readability, also reports for the top documents of each query: the share that has readability (coverage), references,
    distinct words (vocab), shares of long and of complex words, mean and median Flesch-Kincaid grade level.

    With --ties, ranks by one measure and reports for each run the interval of its mean and of its rank, its group, the probability
    that it beats the next run, and the number of queries needed to separate the two.
    """
    tied.check()
    if k is not None and not readable:
        raise click.UsageError("--cutoff needs --readability. A measure has its cutoff in the name: nDCG@10.")
    if tied.ties and (readable or not complete or how != USUAL or len(measures) > 1):
        raise click.UsageError("--ties takes one measure, and none of --readability, --retrieved, -l, -J, -M and --rules.")
    if as_of is not None and (tied.ties or readable):
        raise click.UsageError("--as-of cannot be combined with --ties or --readability.")
    measures = measures or list(LEADERBOARD)
    with connect(settings) as conn:
        if tied.ties:
            found = tied_ranking(conn, edition=edition, measure=measures[0], rules=tied.rules, queries=queries)
            print_ties(found, pairs=tied.pairs, style=style, power=tied.rules.power)
            return
        rows = leaderboard(conn, edition=edition, measures=measures, complete=complete, rules=how, queries=queries, as_of=as_of)
        print_means(
            conn, rows, edition, measures, style, also=aliases(), reading_depth=k or 10 if readable else None, queries=queries
        )

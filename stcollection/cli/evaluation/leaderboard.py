"""The command ``stc evaluation leaderboard``."""

from __future__ import annotations

import click

from stcollection.cli.evaluation._means import print_means
from stcollection.cli.options.measures import (
    MOST,
    aliases,
    complete_option,
    edition_option,
    judged_option,
    level_option,
    max_option,
    measures_option,
    rules_option,
)
from stcollection.cli.output import format_option
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure
from stcollection.evaluation.score import ScoreRules


@click.command("leaderboard")
@edition_option
@measures_option
@complete_option
@level_option
@judged_option
@max_option
@rules_option
@click.option("--readability", "readable", is_flag=True, help="How readable what each run retrieves is, beside the measures.")
@click.option("--k", type=click.IntRange(1, MOST), help="Documents a query that --readability reads.  [default: 10]")
@format_option
@click.pass_obj
def command(
    settings: Settings,
    edition: str,
    measures: list[Measure],
    complete: bool,
    level: int,
    judged_only: bool,
    max_rank: int | None,
    rules: str,
    readable: bool,
    k: int | None,
    style: str,
) -> None:
    """Every run, best first by the first measure.

    With --readability also, of the first documents of the edition's queries: the share that has readability (coverage), references,
    different words (vocab), shares of long and of complex words, mean and median of the Flesch-Kincaid grade level.
    """
    if k is not None and not readable:
        raise click.UsageError("--k goes with --readability; the cutoff of a measure is in its name, as nDCG@10.")
    with connect(settings) as conn:
        how = ScoreRules(relevance_level=level, judged_only=judged_only, max_rank=max_rank, version=rules)
        print_means(conn, (), edition, measures, complete, style, how, also=aliases(), reading_depth=k or 10 if readable else None)

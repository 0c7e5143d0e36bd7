"""The command ``stc analysis compare``."""

from __future__ import annotations

import click

from stcollection.analysis.significance import PairedTest, compare
from stcollection.cli.analysis._comparisons import check_ranking, print_comparisons
from stcollection.cli.options import packed
from stcollection.cli.options.editions import edition_option
from stcollection.cli.options.measures import measure_option
from stcollection.cli.options.queries import queries_option
from stcollection.cli.options.significance import paired_options, ranking_option
from stcollection.cli.output import format_option
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure, nDCG


@click.command("compare")
@click.argument("runs", nargs=-1)
@edition_option
@measure_option(nDCG @ 10)
@click.option("--baseline", metavar="RUN", help="Compare each run with RUN.  [default: compare all pairs]")
@queries_option
@paired_options
@ranking_option
@format_option
@click.pass_obj
@packed(PairedTest, "test", test="kind")
def command(
    settings: Settings,
    /,
    runs: tuple[str, ...],
    measures: list[Measure],
    baseline: str | None,
    queries: str,
    edition: str,
    test: PairedTest,
    ranking: bool,
    style: str,
) -> None:
    """Test runs for significant differences: all pairs, or each run against a baseline. Without RUN, compare all runs.

    Prints means, their difference with a confidence interval, effect size d, queries won, tied and lost, p and corrected p. A star
    marks a corrected p below alpha.
    """
    check_ranking(ranking, baseline)
    with connect(settings) as conn:
        found = compare(conn, edition=edition, measures=measures, runs=runs, baseline=baseline, test=test, queries=queries)
    hint = "Name two runs, or one run and --baseline; 'stc runs list' lists the stored runs."
    print_comparisons(found, test, ranking=ranking, style=style, hint=hint)

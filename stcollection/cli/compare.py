"""The command ``stc compare``."""

from __future__ import annotations

import click

from stcollection.analysis.file_comparison import compare_files
from stcollection.analysis.significance import PairedTest
from stcollection.cli._files import print_notes, qrels_argument, reading_options, runs_argument
from stcollection.cli.analysis._comparisons import check_ranking, print_comparisons
from stcollection.cli.options import packed
from stcollection.cli.options.measures import measure_option
from stcollection.cli.options.significance import paired_options, ranking_option
from stcollection.cli.output import format_option
from stcollection.db.settings import Settings
from stcollection.evaluation.files.score import RunFiles
from stcollection.evaluation.measures import Measure, nDCG


@click.command("compare")
@runs_argument
@qrels_argument
@measure_option(nDCG @ 10)
@click.option("--baseline", metavar="RUN", help="Compare each run with RUN, a file or its name.  [default: compare all pairs]")
@paired_options
@ranking_option
@reading_options
@format_option
@click.pass_obj
@packed(RunFiles, "files")
@packed(PairedTest, "test", test="kind")
def command(
    settings: Settings,
    /,
    files: RunFiles,
    measures: list[Measure],
    baseline: str | None,
    test: PairedTest,
    ranking: bool,
    style: str,
) -> None:
    """Test run files for significant differences, without a collection: all pairs, or each run against a baseline.

    Prints means, their difference with a confidence interval, effect size d, queries won, tied and lost, p and corrected p. A star
    marks a corrected p below alpha. Files are read as by 'stc score'; nothing is stored.
    """
    check_ranking(ranking, baseline)
    found, scores = compare_files(settings, files, measures=measures, baseline=baseline, test=test)
    print_notes(scores)
    print_comparisons(found, test, ranking=ranking, style=style, hint="Name two run files, followed by the file of judgments.")

"""The command ``stc score``."""

from __future__ import annotations

from dataclasses import replace

import click

from stcollection.cli._files import print_notes, qrels_argument, reading_options, runs_argument
from stcollection.cli.evaluation._means import print_queries, print_standings
from stcollection.cli.options import packed, together
from stcollection.cli.options.files import FILE
from stcollection.cli.options.measures import (
    MEASURES_HELP,
    aliases,
    complete,
    judged_option,
    level_option,
    max_option,
    measures_named,
    names_typed,
)
from stcollection.cli.output import format_options
from stcollection.db.settings import Settings
from stcollection.evaluation.files.printing import trec_eval_files
from stcollection.evaluation.files.score import FileScoring, RunFiles, score_files
from stcollection.evaluation.measures import OFFICIAL
from stcollection.evaluation.printing import OutputOptions
from stcollection.evaluation.score import ScoreRules

_VERSIONS = ("trec_eval 9", "trec_eval 10")
_options = together(
    click.option("-m", "--measure", "names", multiple=True, help=MEASURES_HELP, shell_complete=complete),
    click.option("-q", "--per-query", is_flag=True, help="Print the values of each query; with --format trec, also the summary."),
    click.option(
        "-n", "--no-summary", "summary", flag_value=False, default=True, help="With --format trec: print only queries, no summary."
    ),
    click.option(
        "-c/-r",
        "--complete/--retrieved",
        "count_missing",
        default=None,
        help="Count a query without documents in the run as 0, or leave it out of the mean.  [default: -c; with --format trec: -r]",
    ),
    level_option,
    judged_option,
    max_option,
    click.option(
        "--rules",
        type=click.Choice(_VERSIONS),
        callback=lambda _context, _parameter, value: value or "",
        help="Compare scores in single precision, or in double.  [default: trec_eval 9; with --format trec: trec_eval 10]",
    ),
    click.option("-Z", "--zscores", type=FILE, help="With --format trec: standardise by the means and deviations in FILE."),
    reading_options,
    format_options("trec"),
)


@click.command("score")
@runs_argument
@qrels_argument
@_options
@click.pass_obj
@packed(RunFiles, "files")
@packed(OutputOptions, "output")
@packed(ScoreRules, "rules", level="min_grade", rules="version")
def command(
    settings: Settings, files: RunFiles, count_missing: bool | None, rules: ScoreRules, output: OutputOptions, style: str
) -> None:
    """Score run files against a file of judgments (QRELS), without a collection.

    Files can have any format that 'stc formats' lists, plain or compressed; - is standard input. Nothing is stored. With --format
    trec, the output is that of trec_eval, one run after the other.
    """
    trec = style == "trec"
    if not trec and (output.zscores is not None or not output.summary):
        raise click.UsageError("-Z and -n need trec_eval's output: add --format trec.")
    rules = replace(rules, version=rules.version or _VERSIONS[trec])
    how = FileScoring(complete=not trec if count_missing is None else count_missing, rules=rules)
    if trec:
        printed, found = trec_eval_files(settings, files, output=replace(output, names=names_typed(output.names)), how=how)
        click.echo("".join(f"{line}\n" for line in printed), nl=False)
        print_notes(found, printed=True)
        return
    measures = measures_named(output.names) or list(OFFICIAL)
    found = score_files(settings, files, measures=measures, how=how)
    print_notes(found)
    if output.per_query:
        scores = [score for run in found.runs for score in run.scores(measures)]
        print_queries(scores, measures, style, also=aliases(output.names))
    else:
        print_standings(found.standings(measures), measures, style, also=aliases(output.names))

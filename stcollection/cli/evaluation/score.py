"""The command ``stc evaluation score``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from stcollection.cli.evaluation._means import print_means, print_queries
from stcollection.cli.moved import renamed
from stcollection.cli.options import packed, together
from stcollection.cli.options.editions import edition_option
from stcollection.cli.options.files import FILE
from stcollection.cli.options.measures import (
    MEASURES_HELP,
    aliases,
    complete,
    complete_option,
    measures_named,
    names_typed,
    scoring_options,
)
from stcollection.cli.output import FORMATS, tell_simulated
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import OFFICIAL
from stcollection.evaluation.preferences import JUDGMENTS
from stcollection.evaluation.printing import OutputOptions, trec_eval_output
from stcollection.evaluation.score import USUAL, ScoreRules, leaderboard, score


class _Style(click.Choice[str]):
    """Also takes the name that ``trec`` had before."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value == "trec_eval":
            value = renamed("--format trec_eval", "--format trec", "trec")
        return super().convert(value, param, ctx)


_printing_options = together(
    click.option(
        "--format",
        "style",
        type=_Style([*FORMATS, "trec"]),
        default="table",
        show_default=True,
        help="How to print it; trec is as trec_eval prints one run.",
    ),
    click.option(
        "-R",
        "--judgments",
        type=click.Choice(["qrels", *JUDGMENTS]),
        default="qrels",
        show_default=True,
        help="Grades; or preferences, preferences implied by the grades of each annotator, measures averaged over the annotators. "
        "All but qrels with --format trec.",
    ),
    click.option(
        "-Z", "--zscores", type=FILE, help="Standardise by the mean and deviation of FILE (query measure mean deviation); so too."
    ),
)


@click.command("score")
@click.argument("runs", nargs=-1)
@edition_option
@click.option("-m", "--measure", "names", multiple=True, shell_complete=complete, help=MEASURES_HELP)
@complete_option
@click.option("-q", "--per-query", is_flag=True, help="A row for each query, not the mean alone.")
@scoring_options
@_printing_options
@click.pass_obj
@packed(OutputOptions, "output")
def command(
    settings: Settings,
    runs: tuple[str, ...],
    edition: str,
    how: ScoreRules,
    output: OutputOptions,
    style: str,
) -> None:
    """Score RUNS (all if none is named) against one edition of the judgments."""
    names = output.names
    output = replace(output, names=names_typed(names))
    if style == "trec" and len(runs) != 1:
        raise click.UsageError("trec_eval's format is that of one run: name it.")
    if style != "trec" and (output.judgments != "qrels" or output.zscores is not None):
        raise click.UsageError("-R and -Z are printed as trec_eval does: add --format trec.")
    if output.judgments != "qrels" and (output.names or output.zscores or how != USUAL):
        raise click.UsageError(f"-R {output.judgments} has measures of its own: it goes with -q and -c alone.")
    with connect(settings) as conn:
        if style == "trec":
            click.echo("\n".join(trec_eval_output(conn, run=runs[0], edition=edition, output=output, rules=how)))
            tell_simulated()
        else:
            measures = measures_named(names) or list(OFFICIAL)
            if output.per_query:
                found = score(conn, runs=runs, edition=edition, measures=measures, complete=output.complete, rules=how)
                print_queries(found, measures, style, also=aliases(names))
            else:
                rows = leaderboard(conn, edition=edition, measures=measures, runs=runs, complete=output.complete, rules=how)
                print_means(conn, rows, edition, measures, style, also=aliases(names))

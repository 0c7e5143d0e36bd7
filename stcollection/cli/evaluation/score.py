"""The command ``stc evaluation score``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from stcollection.cli.evaluation._means import print_means, print_queries
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
from stcollection.cli.options.queries import queries_option
from stcollection.cli.output import FORMATS, print_simulated
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import OFFICIAL
from stcollection.evaluation.preferences import JUDGMENTS
from stcollection.evaluation.printing import OutputOptions, trec_eval_output, wanted_of
from stcollection.evaluation.score import USUAL, ScoreRules, leaderboard, score
from stcollection.topics.sets import ALL

_printing_options = together(
    click.option(
        "--format",
        "style",
        type=click.Choice([*FORMATS, "trec"]),
        default="table",
        show_default=True,
        help="Output format; trec is trec_eval's format, for one run.",
    ),
    click.option(
        "-R",
        "--judgments",
        type=click.Choice(["qrels", *JUDGMENTS]),
        default="qrels",
        show_default=True,
        help="Judgments to use: grades; preferences; preferences from the grades of each annotator; or averages over "
        "annotators. All but qrels need --format trec.",
    ),
    click.option(
        "-Z",
        "--zscores",
        type=FILE,
        help="Standardise scores with the means and deviations in FILE (query measure mean deviation). Needs --format trec.",
    ),
)


@click.command("score")
@click.argument("runs", nargs=-1)
@edition_option
@click.option("-m", "--measure", "names", multiple=True, shell_complete=complete, help=MEASURES_HELP)
@queries_option
@complete_option
@click.option("-q", "--per-query", is_flag=True, help="Print one row per query, not only the mean.")
@scoring_options
@_printing_options
@click.option("--as-of", "as_of", metavar="YYYY-MM-DD", help="Score as if the collection had been its snapshot of this day.")
@click.pass_obj
@packed(OutputOptions, "output")
def command(
    settings: Settings,
    runs: tuple[str, ...],
    edition: str,
    how: ScoreRules,
    output: OutputOptions,
    style: str,
    as_of: str | None,
) -> None:
    """Score runs against one edition of the judgments. Without RUN, score all runs."""
    names = output.names
    output = replace(output, names=names_typed(names))
    if style == "trec" and len(runs) != 1:
        raise click.UsageError("trec_eval's format is for one run: name the run.")
    if style == "trec" and as_of is not None:
        raise click.UsageError("--as-of prints means or one row per query, not trec_eval's format: omit --format trec.")
    if style != "trec" and (output.judgments != "qrels" or output.zscores is not None):
        raise click.UsageError("-R and -Z print trec_eval's format: add --format trec.")
    if output.judgments != "qrels" and (output.names or output.zscores or how != USUAL or output.queries != ALL):
        raise click.UsageError(f"-R {output.judgments} has its own measures: it allows only the options -q and -c.")
    with connect(settings) as conn:
        if style == "trec":
            click.echo("\n".join(trec_eval_output(conn, run=runs[0], edition=edition, output=output, rules=how)))
            for note in wanted_of(output.names).notes:
                aside(note)
            print_simulated()
        else:
            measures = measures_named(names) or list(OFFICIAL)
            scored: dict[str, Any] = {"complete": output.complete, "rules": how, "queries": output.queries, "as_of": as_of}
            if output.per_query:
                found = score(conn, runs=runs, edition=edition, measures=measures, **scored)
                print_queries(found, measures, style, also=aliases(names))
            else:
                rows = leaderboard(conn, edition=edition, measures=measures, runs=runs, **scored)
                print_means(conn, rows, edition, measures, style, also=aliases(names))

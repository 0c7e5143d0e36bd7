"""The command ``stc evaluation score``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from stcollection.cli.evaluation._means import print_means
from stcollection.cli.options.files import FILE
from stcollection.cli.options.measures import (
    MEASURES_HELP,
    aliases,
    complete_option,
    edition_option,
    judged_option,
    level_option,
    max_option,
    measures_named,
    names_typed,
    rules_option,
)
from stcollection.cli.output import FORMATS, render, tell_simulated
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import OFFICIAL, Measure
from stcollection.evaluation.preferences import JUDGMENTS
from stcollection.evaluation.printing import OutputOptions, trec_eval_output
from stcollection.evaluation.score import USUAL, Score, ScoreRules, score


@click.command("score")
@click.argument("runs", nargs=-1)
@edition_option
@click.option("-m", "--measure", "names", multiple=True, help=MEASURES_HELP)
@complete_option
@click.option("-q", "--per-query", is_flag=True, help="A row for each query, not the mean alone.")
@level_option
@judged_option
@max_option
@rules_option
@click.option(
    "--format",
    "style",
    type=click.Choice([*FORMATS, "trec_eval"]),
    default="table",
    show_default=True,
    help="How to print it; trec_eval is that of one run, as trec_eval prints it.",
)
@click.option(
    "-R",
    "--judgments",
    type=click.Choice(["qrels", *JUDGMENTS]),
    default="qrels",
    show_default=True,
    help="Grades; or preferences, preferences implied by the grades of each annotator, measures averaged over the annotators. "
    "All but qrels with --format trec_eval.",
)
@click.option(
    "-Z", "--zscores", type=FILE, help="Standardise by the mean and deviation of FILE (query measure mean deviation); so too."
)
@click.pass_obj
def command(
    settings: Settings,
    runs: tuple[str, ...],
    edition: str,
    names: tuple[str, ...],
    complete: bool,
    per_query: bool,
    level: int,
    judged_only: bool,
    max_rank: int | None,
    rules: str,
    style: str,
    judgments: str,
    zscores: Path | None,
) -> None:
    """Score RUNS (all if none is named) against one edition of the judgments."""
    how = ScoreRules(relevance_level=level, judged_only=judged_only, max_rank=max_rank, version=rules)
    output = OutputOptions(names=names_typed(names), judgments=judgments, zscores=zscores, complete=complete, per_query=per_query)
    if style == "trec_eval" and len(runs) != 1:
        raise click.UsageError("trec_eval's format is that of one run: name it.")
    if style != "trec_eval" and (judgments != "qrels" or zscores is not None):
        raise click.UsageError("-R and -Z are printed as trec_eval does: add --format trec_eval.")
    if judgments != "qrels" and (output.names or zscores or how != USUAL):
        raise click.UsageError(f"-R {judgments} has measures of its own: it goes with -q and -c alone.")
    with connect(settings) as conn:
        if style == "trec_eval":
            click.echo("\n".join(trec_eval_output(conn, run=runs[0], edition=edition, output=output, rules=how)))
            tell_simulated()
        else:
            measures = measures_named(names) or list(OFFICIAL)
            if per_query:
                found = score(conn, runs=runs, edition=edition, measures=measures, complete=complete, rules=how)
                _print_queries(found, measures, style, also=aliases(names) if style == "json" else {})
            else:
                print_means(conn, runs, edition, measures, complete, style, how, also=aliases(names))


def _print_queries(found: Sequence[Score], measures: Sequence[Measure], style: str, *, also: Mapping[str, Measure]) -> None:
    """A row a run and query, a column a measure; in JSON under the names that were typed too."""
    table: dict[tuple[str, str], dict[str, float]] = {}
    for one in found:
        table.setdefault((one.run, one.query), {})[str(one.measure)] = one.value
    columns = [*map(str, measures), *also]
    for values in table.values():
        values.update({name: values[str(measure)] for name, measure in also.items() if str(measure) in values})
    rows = [(run, query, *(values.get(name) for name in columns)) for (run, query), values in table.items()]
    click.echo(render(rows, ["run", "query", *columns], style=style))

"""The command ``stc evaluation score``."""

from __future__ import annotations

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
from stcollection.evaluation.measures import OFFICIAL
from stcollection.evaluation.preferences import JUDGMENTS, score_judgments, trec_eval_lines
from stcollection.evaluation.printing import lines, printed, standardised_lines
from stcollection.evaluation.score import USUAL, Rules, judge, score
from stcollection.evaluation.zscores import read_zscores


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
    "--format", "style", type=click.Choice([*FORMATS, "trec_eval"]), default="table", show_default=True,
    help="How to print it; trec_eval is that of one run, as trec_eval prints it.",
)  # fmt: skip
@click.option(
    "-R", "--judgments", type=click.Choice(["qrels", *JUDGMENTS]), default="qrels", show_default=True,
    help="Grades; or preferences, preferences implied by the grades of each annotator, measures averaged over the annotators. "
    "All but qrels with --format trec_eval.",
)  # fmt: skip
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
    how = Rules(relevance_level=level, judged_only=judged_only, max_rank=max_rank, version=rules)
    wanted = names_typed(names)
    if style == "trec_eval":
        if len(runs) != 1:
            raise click.UsageError("trec_eval's format is that of one run: name it.")
        with connect(settings) as conn:
            if judgments != "qrels":
                if wanted or zscores or how != USUAL:
                    raise click.UsageError(f"-R {judgments} has measures of its own: it goes with -q and -c alone.")
                found = score_judgments(conn, run=runs[0], edition=edition, judgments=judgments, complete=complete)
                told = list(trec_eval_lines(found, per_query=per_query))
            else:
                judge(conn, runs=runs, edition=edition)
                what = printed(conn, run=runs[0], edition=edition, names=wanted or ["official"], complete=complete, rules=how)
                if zscores is None:
                    told = list(lines(what, per_query=per_query))
                else:
                    told = [line for line in standardised_lines(what, read_zscores(zscores)) if per_query or "\tall\t" in line]
        click.echo("\n".join(told))
        tell_simulated()
        return
    if judgments != "qrels" or zscores is not None:
        raise click.UsageError("-R and -Z are printed as trec_eval does: add --format trec_eval.")
    measures = measures_named(names) or list(OFFICIAL)
    with connect(settings) as conn:
        judge(conn, runs=runs, edition=edition)
        if not per_query:
            print_means(conn, runs, edition, measures, complete, style, how, also=aliases(names))
            return
        table: dict[tuple[str, str], dict[str, float]] = {}
        for one in score(conn, runs=runs, edition=edition, measures=measures, complete=complete, rules=how):
            table.setdefault((one.run, one.query), {})[str(one.measure)] = one.value
    columns = [str(measure) for measure in measures]
    also = aliases(names) if style == "json" else {}
    for values in table.values():
        values.update({name: values[str(measure)] for name, measure in also.items() if str(measure) in values})
    columns += also
    rows = [(run, query, *(values.get(name) for name in columns)) for (run, query), values in table.items()]
    click.echo(render(rows, ["run", "query", *columns], style=style))

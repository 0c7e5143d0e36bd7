"""The command ``stc answers cluster``."""

from __future__ import annotations

import click

from stcollection.cli.options import packed
from stcollection.cli.options.answers import SPLITS, split_option
from stcollection.cli.output import ProgressBar, printable, render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.studies.answers.endorse import METHODS, ClusterOptions, cluster


@click.command("cluster")
@click.argument("set_", metavar="SET")
@split_option
@click.option("--name", "run", required=True, help="Name of the new run.")
@click.option("--method", type=click.Choice(METHODS), default="correlation", show_default=True, help="Clustering method.")
@click.option("--model", help="Model of agreement that supplies the relations.")
@click.option("--labels", is_flag=True, help="Use the labels of the data instead of a model: an upper bound for the method.")
@click.option("--source", default="given", show_default=True, help="Source of the answers: given, or the name of an extraction.")
@click.option("--threshold", type=click.FloatRange(0, 1, min_open=True, max_open=True), help="Support threshold.  [default: 0.5]")
@click.option("--tune-on", type=SPLITS, help="Choose the threshold with the best mean F1 on this split.")
@click.option(
    "--min-documents",
    "at_least",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Return nothing for a query whose best cluster has fewer documents.",
)
@click.option("--replace", is_flag=True, help="Replace a stored run with this name; otherwise that is an error.")
@packed(ClusterOptions, "options")
@click.pass_obj
def command(settings: Settings, /, set_: str, split: str, run: str, labels: bool, options: ClusterOptions, replace: bool) -> None:
    """Group the answers of SET by agreement, and return the documents of the most supported group for each query.

    components: connected components of the support relation. average: average linkage while the mean support reaches the
    threshold. correlation: correlation clustering; answers that contradict each other are never in one group. expected: the
    documents with the greatest expected F1 over all groupings.

    Except for expected, the group with the most distinct documents is returned. Ties are decided by more answers, more support
    within the group, the earliest document, and order of storage.
    """
    tune_on = options.tune_on
    if (options.model is None) != labels:
        raise BadArgument(
            "give either --model or --labels", hint="--model NAME uses the relations of that model.", sqlstate="IR202"
        )
    if options.threshold is not None and tune_on is not None:
        raise BadArgument("--threshold and --tune-on", hint="Give one of them.", sqlstate="IR202")
    title = "threshold" if tune_on else "cluster"
    with connect(settings) as conn, ProgressBar(title, unit="thresholds" if tune_on else "queries") as bar:
        done = cluster(conn, set=set_, split=split, run=run, options=options, replace=replace, progress=bar)
    if tune_on:
        tried = render(list(done.tuned.items()), ["threshold", f"mean F1 on {tune_on}"], style="table")
        click.echo(f"{tried}\n\nthreshold {done.threshold:g}")
    told = (
        f"{counted(done.answers, 'answer')} in {counted(done.clusters, 'cluster')};"
        f" {done.answered:,} of {counted(done.queries, 'query')} answered"
    )
    click.echo(f"run {printable(done.run)}: {told}")
    if done.queries > done.answered:
        aside(f"{done.queries - done.answered:,} abstain: no answers, or too few documents behind the best")
    if done.unjudged:
        aside(f"{counted(done.unjudged, 'pair of answers is', 'pairs of answers are')} not judged, which counts as no support")

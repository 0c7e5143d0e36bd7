"""The command ``stc answers cluster``."""

from __future__ import annotations

import click

from stcollection.cli.options import packed
from stcollection.cli.options.answers import SPLITS, split_option
from stcollection.cli.output import ProgressBar, printable, render
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.studies.answers.endorse import METHODS, ClusterOptions, cluster


@click.command("cluster")
@click.argument("set_", metavar="SET")
@split_option
@click.option("--run", required=True, help="The name of the run it makes.")
@click.option("--method", type=click.Choice(METHODS), default="correlation", show_default=True, help="How answers are grouped.")
@click.option("--model", help="The model of agreement whose relations are read.")
@click.option("--labels", is_flag=True, help="Read the labels of the data instead of a model: what the method could do at best.")
@click.option("--source", default="given", show_default=True, help="Which answers: given, or the name of an extraction.")
@click.option("--threshold", type=click.FloatRange(0, 1, min_open=True, max_open=True), help="Of support.  [default: 0.5]")
@click.option("--tune-on", type=SPLITS, help="Take the threshold with the best mean F1 on this split.")
@click.option(
    "--at-least",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Return nothing for a query whose best cluster has fewer documents.",
)
@click.option("--replace", is_flag=True, help="Put it in the place of a run of its name, which is an error otherwise.")
@packed(ClusterOptions, "options")
@click.pass_obj
def command(settings: Settings, /, set_: str, split: str, run: str, labels: bool, options: ClusterOptions, replace: bool) -> None:
    """Group the answers of SET by agreement; return the documents behind the most endorsed group of each query.

    components: whatever a chain of support joins. average: average linkage while the mean support reaches the threshold.
    correlation: the grouping that agrees best with all pairs, answers that contradict each other never together.
    expected: over all groupings by their probability, the documents whose F1 is greatest in the mean.

    But for expected, the group with more distinct documents is returned; of equal ones that with more answers, then with more
    support within, then with the earliest document, then the one stored first.
    """
    tune_on = options.tune_on
    if (options.model is None) != labels:
        raise BadArgument("give --model or --labels, one of them", hint="--model NAME reads a model's relations.", sqlstate="IR202")
    if options.threshold is not None and tune_on is not None:
        raise BadArgument("--threshold and --tune-on", hint="Give the one or have it found.", sqlstate="IR202")
    title = "threshold" if tune_on else "cluster"
    with connect(settings) as conn, ProgressBar(title, unit="thresholds" if tune_on else "queries") as bar:
        done = cluster(conn, set=set_, split=split, run=run, options=options, replace=replace, progress=bar)
    if tune_on:
        tried = render(list(done.tuned.items()), ["threshold", f"mean F1 on {tune_on}"], style="table")
        click.echo(f"{tried}\n\nthreshold {done.threshold:g}")
    told = f"{done.answers:,} answers in {done.clusters:,} clusters; {done.answered:,} of {done.queries:,} queries answered"
    click.echo(f"run {printable(done.run)}: {told}")
    if done.queries > done.answered:
        aside(f"{done.queries - done.answered:,} abstain: no answers, or too few documents behind the best")
    if done.unjudged:
        aside(f"{done.unjudged:,} pairs of answers are not judged: they count as no support")

"""The command ``stc retrieval combine-tune``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from stcollection.cli.options import packed
from stcollection.cli.options.combination import depth_option, tuning_options
from stcollection.cli.output import format_option, render
from stcollection.cli.quiet import aside
from stcollection.cli.retrieval._formula import formula
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.retrieval import combine_tune
from stcollection.retrieval.fuse import NewRun


@click.command("combine-tune")
@click.argument("run")
@click.option("--train", required=True, metavar="EDITION", help="Edition to choose the weights on.")
@click.option("--test", metavar="EDITION", help="Edition to report the result on; must differ from --train.")
@tuning_options
@click.option("--all", "everything", is_flag=True, help="Print all combinations, not only those of the trade-off curve.")
@click.option("--name", default="tuned-readable", show_default=True, help="Name for the run with the chosen weights.")
@depth_option
@click.option("--replace", is_flag=True, help="Replace a stored run with this name.")
@format_option
@packed(NewRun, "into")
@click.pass_obj
def command(
    settings: Settings,
    /,
    run: str,
    train: str,
    test: str | None,
    tuning: combine_tune.CombinationTuning,
    everything: bool,
    into: NewRun,
    style: str,
) -> None:
    """Choose the weights of relevance, readability and credibility on one edition, and report the result on another.

    Relevance judgments ignore readability. The command therefore chooses the weights with the highest mean transformed value of
    the measures (over the top documents of a query) among those that lose at most --max-loss of the best nDCG. It prints the
    trade-off curve: the combinations that no other one exceeds in both.
    """
    with connect(settings) as conn:
        done = combine_tune.tune_combination(conn, run=run, into=into, train=train, test=test, tuning=tuning)
    cutoff = tuning.cutoff
    curve = [point for point in done.points if everything or point.curve or point.chosen]
    table = _curve(curve, tuning.measures, cutoff, style if test is None else "table")
    if test is None:
        click.echo(table)
    else:
        aside(f"{len(curve)} of {counted(len(done.points), 'point')} on {train}, used for the choice:\n")
        aside(table)
    aside(f"\n{done.run.run}: {formula(done.run)}")
    if test is not None:
        aside(f"\nOn {test}, {counted(done.queries, 'query')}, the first {counted(cutoff, 'document')}; p of the paired t-test:\n")
        click.echo(_report(done, run, style))
        if done.shared:
            aside(f"\n{done.shared:,} of these queries are also judged in {train}, so they are not an independent test.")


def _report(done: combine_tune.TunedCombination, run: str, style: str) -> str:
    rows = [
        (
            one.what,
            one.source,
            one.combined,
            None if one.source is None or one.combined is None else one.combined - one.source,
            one.queries,
            one.p,
        )
        for one in done.test
    ]
    return render(rows, ["mean of", run, done.run.run, "difference", "queries", "p"], style=style)


def _curve(points: Sequence[combine_tune.TradeOff], measures: Sequence[str], cutoff: int, style: str) -> str:
    def of(values: Mapping[str, float | None], names: Sequence[str]) -> list[float | None]:
        return [values.get(name) for name in names]

    rows = [
        (
            *of(point.weights, ["relevance", *measures]),
            point.ndcg,
            point.gain,
            *of(point.means, measures),
            "←" if point.chosen else "",
        )
        for point in points
    ]
    headers = ["relevance", *measures, f"nDCG@{cutoff}", f"gain@{cutoff}", *(f"mean {name}" for name in measures), "chosen"]
    return render(rows, headers, style=style)

"""The command ``stc retrieval tune``."""

from __future__ import annotations

from dataclasses import replace

import click

from stcollection.cli.options import packed, together
from stcollection.cli.options.fusion import depth_option, method_option, norm_option, replace_option
from stcollection.cli.options.measures import one_measure_option
from stcollection.cli.output import format_option, render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure
from stcollection.retrieval.fuse import NewRun
from stcollection.retrieval.tune import FusionTuning, Point, TunedFusion, tune_run

_SHOWN = 5


_options = together(
    click.option(
        "--steps",
        type=click.IntRange(1, 1000),
        default=10,
        show_default=True,
        help="Number of steps of the grid: weights are multiples of 1/N.",
    ),
    click.option(
        "--constant",
        "constants",
        type=click.IntRange(min=0),
        multiple=True,
        default=(60,),
        show_default=True,
        help="Constant k of reciprocal rank fusion. Repeat it to tune it too.",
    ),
    click.option("--name", default="tuned", show_default=True, help="Name for the run with the best weights."),
)


@click.command("tune")
@click.argument("runs", nargs=-1, required=True)
@click.option("--train", required=True, metavar="EDITION", help="Edition to tune the weights on.")
@click.option("--test", metavar="EDITION", help="Edition to report the result on; must differ from --train.")
@one_measure_option("Measure to optimise and report: nDCG@k, P@k, R@k, RR or AP.", "wanted")
@method_option
@norm_option
@_options
@depth_option
@replace_option
@format_option
@packed(FusionTuning, "tuning")
@packed(NewRun, "into")
@click.pass_obj
def command(
    settings: Settings,
    runs: tuple[str, ...],
    train: str,
    test: str | None,
    wanted: Measure,
    tuning: FusionTuning,
    into: NewRun,
    style: str,
) -> None:
    """Find the best weights of several runs on one edition, store the fused run, and report it on another edition."""
    with connect(settings) as conn:
        tuning = replace(tuning, measure=wanted.column, cutoff=wanted.cutoff or 10)
        done = tune_run(conn, into=into, runs=runs, train=train, test=test, tuning=tuning)
    if test is None:
        click.echo(_grid(done.points, runs, wanted, style))
        return
    # The report on the test edition is the result; the values on the training edition are notes.
    aside(f"{_SHOWN} best of {len(done.points):,} on {train}, used for tuning:\n")
    aside(_grid(done.points, runs, wanted, "table"))
    aside(f"\nOn {test}, {counted(done.queries, 'query')}; p of the paired t-test:\n")
    click.echo(_report(done, wanted, style))
    if done.shared:
        aside(f"\n{done.shared:,} of these queries are also judged in {train}, so they are not an independent test.")


def _grid(points: list[Point], runs: tuple[str, ...], measure: Measure, style: str) -> str:
    constant = [] if points[0].constant is None else ["constant"]
    rows = [
        (*(point.weights[run] for run in runs), *([point.constant] if constant else []), point.value) for point in points[:_SHOWN]
    ]
    return render(rows, [*runs, *constant, str(measure)], style=style)


def _report(done: TunedFusion, measure: Measure, style: str) -> str:
    rows = [(one.run, one.value, one.difference, one.p) for one in done.test]
    return render(rows, ["run", str(measure), f"{done.fused.run} − run", "p"], style=style)

"""``stc retrieval fuse``, ``tune`` and ``rerank``: runs made of stored runs."""

from __future__ import annotations

import click

from stcollection.cli.output import Progress, format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import Measure, parse_measure
from stcollection.retrieval.fuse import METHODS, NORMS
from stcollection.retrieval.fuse import fuse as fuse_runs
from stcollection.retrieval.rerank import rerank as rerank_run
from stcollection.retrieval.tune import Point, Tuned, tune_run

_SHOWN = 5

method_option = click.option(
    "--method", type=click.Choice(METHODS), default="rrf", show_default=True,
    help="Reciprocal ranks, weighted sum of normed scores, or that times the number of runs that hold the document.",
)  # fmt: skip
norm_option = click.option(
    "--norm", type=click.Choice(NORMS), default="minmax", show_default=True, help="Of the scores, for sum and mnz."
)
depth_option = click.option(
    "--depth", type=click.IntRange(min=1), default=1000, show_default=True, help="Documents a query at most."
)
replace_option = click.option("--replace", is_flag=True, help="Put it in the place of a stored run of that name.")


def _weights(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, float] | None:
    weights: dict[str, float] = {}
    for value in values:
        run, equals, weight = value.rpartition("=")
        if not equals or not run or run in weights:
            raise click.BadParameter(f"{value!r} is no RUN=WEIGHT, or names its run a second time")
        try:
            weights[run] = float(weight)
        except ValueError:
            raise click.BadParameter(f"{weight!r} is no number") from None
    return weights or None


@click.command("fuse")
@click.argument("runs", nargs=-1, required=True)
@click.option("--name", required=True, help="The new run's name.")
@method_option
@norm_option
@click.option(
    "-w", "--weight", "weights", multiple=True, metavar="RUN=WEIGHT", callback=_weights,
    help="How much a run counts; one for each run, 0 leaves it out.  [default: 1 for all]",
)  # fmt: skip
@click.option("--constant", type=click.IntRange(min=0), default=60, show_default=True, help="Of rrf.")
@depth_option
@replace_option
@click.pass_obj
def fuse(
    settings: Settings,
    runs: tuple[str, ...],
    name: str,
    method: str,
    norm: str,
    weights: dict[str, float] | None,
    constant: int,
    depth: int,
    replace: bool,
) -> None:
    """Fuse stored RUNS into a new one."""
    with connect(settings) as conn:
        done = fuse_runs(
            conn, name=name, runs=runs, method=method, norm=norm, weights=weights, constant=constant, depth=depth, replace=replace
        )
    click.echo(f"{done.run}: {done.ranked:,} documents for {done.queries:,} queries")


@click.command("tune")
@click.argument("runs", nargs=-1, required=True)
@click.option("--train", required=True, metavar="EDITION", help="The edition the weights are found on.")
@click.option("--test", metavar="EDITION", help="The edition the result is reported on: another one.")
@click.option(
    "-m", "--measure", default="nDCG@10", show_default=True, callback=lambda _, __, name: parse_measure(name),
    help="What the weights are to make best, and what is reported: nDCG@k, P@k, R@k, RR or AP.",
)  # fmt: skip
@method_option
@norm_option
@click.option("--steps", type=click.IntRange(1, 1000), default=10, show_default=True, help="Weights are multiples of 1/steps.")
@click.option(
    "--constant", "constants", type=click.IntRange(min=0), multiple=True, default=(60,), show_default=True,
    help="Of rrf; repeat it to have the best one found too.",
)  # fmt: skip
@click.option("--name", default="tuned", show_default=True, help="The name of the run with the best weights.")
@depth_option
@replace_option
@format_option
@click.pass_obj
def tune(
    settings: Settings,
    runs: tuple[str, ...],
    train: str,
    test: str | None,
    measure: Measure,
    method: str,
    norm: str,
    steps: int,
    constants: tuple[int, ...],
    name: str,
    depth: int,
    replace: bool,
    style: str,
) -> None:
    """Find the weights of RUNS that are best on one edition, store the fused run, and report it on another edition alone."""
    with connect(settings) as conn:
        done = tune_run(
            conn, name=name, runs=runs, train=train, test=test, measure=measure.column, cutoff=measure.cutoff or 10, method=method,
            norm=norm, steps=steps, constants=constants, depth=depth, replace=replace,
        )  # fmt: skip
    if test is None:
        click.echo(_grid(done.points, runs, measure, style))
        return
    # The report is what is asked for; how it went on the edition it was tuned on is told beside it.
    click.echo(f"{_SHOWN} best of {len(done.points):,} on {train}, by which it was tuned:\n", err=True)
    click.echo(_grid(done.points, runs, measure, "table"), err=True)
    click.echo(f"\nOn {test}, {done.queries:,} queries; p of the paired t-test:\n", err=True)
    click.echo(_report(done, measure, style))
    if done.shared:
        click.echo(f"\n{done.shared:,} of these queries are judged in {train} too: by them this is no test.", err=True)


def _grid(points: list[Point], runs: tuple[str, ...], measure: Measure, style: str) -> str:
    constant = [] if points[0].constant is None else ["constant"]
    rows = [
        (*(point.weights[run] for run in runs), *([point.constant] if constant else []), point.value) for point in points[:_SHOWN]
    ]
    return render(rows, [*runs, *constant, str(measure)], style=style)


def _report(done: Tuned, measure: Measure, style: str) -> str:
    rows = [(one.run, one.value, one.difference, one.p) for one in done.test]
    return render(rows, ["run", str(measure), f"{done.fused.run} − run", "p"], style=style)


@click.command("rerank")
@click.argument("run")
@click.option(
    "--model", required=True, metavar="NAME", help="A sentence-transformers CrossEncoder: its name in the local cache, or a folder."
)
@click.option("-n", type=click.IntRange(min=1), default=100, show_default=True, help="Documents a query that the model ranks.")
@click.option("--name", help="The new run's name.  [default: RUN and the model's]")
@click.option("--depth", type=click.IntRange(min=1), help="Documents a query at most.  [default: all of RUN]")
@click.option("--batch", type=click.IntRange(min=1), help="Pairs a forward pass.  [default: 32 on a CPU, 256 on a GPU]")
@replace_option
@click.pass_obj
def rerank(
    settings: Settings, run: str, model: str, n: int, name: str | None, depth: int | None, batch: int | None, replace: bool
) -> None:
    """Put the first documents of a stored RUN in the order of a cross-encoder, as a new run; on a GPU when there is one.

    The rest of RUN follows below. An interrupted reranking leaves nothing.
    """
    with connect(settings) as conn, Progress("rerank", unit="pairs") as bar:
        done = rerank_run(conn, run=run, model=model, name=name, n=n, depth=depth, batch=batch, replace=replace, progress=bar)
    rate = f", {done.pairs / done.seconds:,.0f} a second" if done.seconds >= 1 else ""
    click.echo(f"{done.run}: {done.pairs:,} pairs scored{rate}; {done.ranked:,} documents for {done.queries:,} queries")
    if done.untouched:
        click.echo(f"{done.untouched:,} queries are as in {done.first_stage}: no text to rerank by", err=True)

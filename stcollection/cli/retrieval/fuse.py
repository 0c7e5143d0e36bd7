"""The command ``stc retrieval fuse``."""

from __future__ import annotations

import click

from stcollection.cli.options import packed
from stcollection.cli.options.fusion import depth_option, method_option, norm_option, replace_option
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.retrieval.fuse import FusionRule
from stcollection.retrieval.fuse import fuse as fuse_runs


def _weights(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, float] | None:
    weights: dict[str, float] = {}
    for value in values:
        run, equals, weight = value.rpartition("=")
        if not equals or not run or run in weights:
            raise click.BadParameter(f"{value!r} is not RUN=WEIGHT, or repeats a run")
        try:
            weights[run] = float(weight)
        except ValueError:
            raise click.BadParameter(f"{weight!r} is not a number") from None
    return weights or None


@click.command("fuse")
@click.argument("runs", nargs=-1, required=True)
@click.option("--name", required=True, help="Name of the new run.")
@method_option
@norm_option
@click.option(
    "-w",
    "--weight",
    "weights",
    multiple=True,
    metavar="RUN=WEIGHT",
    callback=_weights,
    help="Weight of a run; give one for each run; 0 leaves it out. Repeatable.  [default: 1 for all]",
)
@click.option("--constant", type=click.IntRange(min=0), default=60, show_default=True, help="Constant k of reciprocal rank fusion.")
@depth_option
@replace_option
@packed(FusionRule, "rule")
@click.pass_obj
def command(
    settings: Settings,
    runs: tuple[str, ...],
    name: str,
    rule: FusionRule,
    weights: dict[str, float] | None,
    depth: int,
    replace: bool,
) -> None:
    """Fuse several stored runs into a new run."""
    with connect(settings) as conn:
        done = fuse_runs(conn, name=name, runs=runs, rule=rule, weights=weights, depth=depth, replace=replace)
    click.echo(f"{done.run}: {counted(done.ranked, 'document')} for {counted(done.queries, 'query')}")

"""The command ``stc retrieval combine``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import click

from stcollection.cli.options import packed
from stcollection.cli.options.combination import depth_option, missing_option, pairs, transform_option
from stcollection.cli.quiet import aside
from stcollection.cli.retrieval._formula import formula
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.retrieval.combine import WEIGHTS
from stcollection.retrieval.combine import combine as combine_run


def _number(text: str) -> float:
    number = float(text)
    if not abs(number) < float("inf"):
        raise ValueError(text)
    return number


def _weights(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> Mapping[str, float]:
    return pairs(_number)(context, option, given) or WEIGHTS


@dataclass(frozen=True, kw_only=True)
class _How:
    """How to combine the measures."""

    weights: Mapping[str, float]
    transforms: Mapping[str, str]
    missing: str


@click.command("combine")
@click.argument("run")
@click.option("--name", help="Name of the new run.")
@click.option(
    "--in-place",
    "keep",
    is_flag=True,
    help="Instead of making a new run, store comb_score in RUN and keep its order. Excludes --name.",
)
@click.option(
    "-w",
    "--weight",
    "weights",
    multiple=True,
    metavar="MEASURE=WEIGHT",
    callback=_weights,
    help="Weight of a measure or of relevance. Only proportions matter. Repeatable.  [default: "
    + " ".join(f"{measure}={weight:g}" for measure, weight in WEIGHTS.items())
    + "]",
)
@transform_option
@missing_option
@depth_option
@click.option(
    "--replace",
    is_flag=True,
    help="Replace a stored run with this name; with --in-place, replace the comb_score that RUN was imported with.",
)
@packed(_How, "how")
@click.pass_obj
def command(
    settings: Settings,
    run: str,
    name: str | None,
    keep: bool,
    how: _How,
    depth: int,
    replace: bool,
) -> None:
    """Rank the documents of a stored RUN by a combination of relevance, readability and credibility, as a new run.

    comb_score = Σ weight · transform(measure) / Σ weight, in [0, 1]. The new run is ranked by it.

    With --in-place, store comb_score in RUN itself, which stays ranked by relevance. Its export as SimpleText JSON has both
    scores.
    """
    if keep == (name is not None):
        raise click.UsageError("give either --name or --in-place")
    with connect(settings) as conn:
        done = combine_run(conn, run=run, name=name, depth=depth, replace=replace, **asdict(how))
    what = "documents for" if name is not None else "documents have a comb_score, for"
    click.echo(f"{done.run}: {done.ranked:,} {what} {counted(done.queries, 'query')}")
    aside(formula(done))

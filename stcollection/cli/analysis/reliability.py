"""The command ``stc analysis reliability``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from stcollection.analysis.records import Growth
from stcollection.analysis.reliability import Draws, Reliability, growth, judged_origins, reliability
from stcollection.cli.options import packed, together
from stcollection.cli.options.editions import edition_argument
from stcollection.cli.options.figures import measures_option
from stcollection.cli.options.reliability import (
    SETS,
    against_option,
    draws_option,
    of_option,
    pair_of,
    run_names,
    runs_option,
    seed_option,
    sizes_option,
)
from stcollection.cli.output import format_option, render
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.evaluation.measures import Measure


def _pairs(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> list[tuple[str, str]]:
    return [pair_of(part) for text in texts for part in text.split(",")]


@dataclass(frozen=True, kw_only=True)
class GrowthOf:
    """Settings of growth curves.

    :param grow: whether to compute them.
    """

    grow: bool
    of: tuple[str, ...]
    against: str
    draws: Draws


_growth_options = together(
    click.option(
        "--growth", "grow", is_flag=True, help="Compute how tau grows with the number of queries drawn, instead of comparing pairs."
    ),
    of_option,
    against_option,
    sizes_option,
    draws_option,
    seed_option,
)


@click.command("reliability")
@edition_argument
@measures_option(1)
@click.option(
    "--pairs",
    multiple=True,
    callback=_pairs,
    metavar="A:B",
    help=f"Pair of sets of queries: {SETS}. Repeatable, or comma-separated.  [default: all:human, human against each other "
    "origin, human:synthetic]",
)
@runs_option
@click.option(
    "--resamples",
    "bootstrap",
    type=click.IntRange(0, 100_000),
    default=1000,
    show_default=True,
    help="Bootstrap resamples of the queries for 95% intervals; 0 for none.",
)
@_growth_options
@format_option
@click.pass_obj
@packed(Draws, "draws", draws="times")
@packed(GrowthOf, "growth_of")
def command(
    settings: Settings,
    edition: str,
    measure: Measure,
    pairs: list[tuple[str, str]],
    runs: tuple[str, ...],
    bootstrap: int,
    growth_of: GrowthOf,
    style: str,
) -> None:
    """Test whether two sets of EDITION's queries rank the systems alike: Kendall's tau, tau_ap, Pearson's r of mean scores.

    In a pair A:B, A is the reference of tau_ap. Intervals are percentiles over resampled queries; a query that is in both sets is
    drawn once for both. With --growth: tau between a ranking on N drawn queries and the ranking on the rest of --reference.
    """
    if growth_of.grow and pairs:
        raise BadArgument("--growth with --pairs", hint="Growth takes --queries and --reference.", sqlstate="IR202")
    if not growth_of.grow and (growth_of.of or growth_of.draws.sizes):
        raise BadArgument("--queries and --sizes without --growth", hint="Add --growth, or name --pairs.", sqlstate="IR202")
    named = run_names(runs)
    with connect(settings) as conn:
        if growth_of.grow:
            rows: Sequence[Growth] = [
                row
                for one in growth_of.of or judged_origins(conn, edition=edition)
                for row in growth(
                    conn, edition=edition, measure=measure, of=one, against=growth_of.against, runs=named, draws=growth_of.draws
                )
            ]
            click.echo(_table(rows, Growth._fields, style))
            return
        seed = growth_of.draws.seed
        found = reliability(conn, edition=edition, measure=measure, pairs=pairs, runs=named, bootstrap=bootstrap, seed=seed)
    _print(found, style)


def _print(found: Sequence[Reliability], style: str) -> None:
    if style in ("json", "csv"):
        click.echo(_table(found, Reliability._fields, style))
    else:
        headers = ["a", "b", "queries a", "queries b", "shared", "systems", "tau", "95 %", "tau ap", "95 %", "pearson", "95 %",
                   "max shift", "shifted"]  # fmt: skip
        click.echo(render([_row(one) for one in found], headers, style=style))
    for one in found:
        small = [f"{name} has one query" for name, size in ((one.a, one.queries_a), (one.b, one.queries_b)) if size == 1]
        if small:
            aside(f"{one.a}:{one.b}: {' and '.join(small)}: the ranking depends on one query and has no interval.")


def _row(one: Reliability) -> list[Any]:
    return [
        one.a, one.b, one.queries_a, one.queries_b, one.shared, one.systems, one.tau, _interval(one.tau_low, one.tau_high),
        one.tau_ap, _interval(one.tau_ap_low, one.tau_ap_high), one.pearson, _interval(one.pearson_low, one.pearson_high),
        f"{one.max_shift:+d}" if one.max_shift else "0", one.shifted,
    ]  # fmt: skip


def _interval(low: float | None, high: float | None) -> str | None:
    return None if low is None or high is None else f"{low:.3f} … {high:.3f}"


def _table(rows: Sequence[Growth] | Sequence[Reliability], fields: Sequence[str], style: str) -> str:
    names = [name if style in ("json", "csv") else name.replace("_", " ") for name in fields]
    return render(rows, names, style=style)

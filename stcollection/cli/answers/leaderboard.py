"""The command ``stc answers leaderboard``."""

from __future__ import annotations

from typing import Any

import click

from stcollection.cli.answers._text import parameters, shown
from stcollection.cli.options import packed
from stcollection.cli.options.answers import split_option
from stcollection.cli.output import format_option, render
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers.scores import PARTS, AnswerPlace, AnswerSampling, leaderboard


@click.command("leaderboard")
@click.argument("set_", metavar="SET")
@split_option
@click.option("--by", type=click.Choice(PARTS), help="Print one leaderboard per template or language of the queries.")
@click.option("--baseline", metavar="RUN", help="Test each run against RUN.  [default: the best run]")
@click.option(
    "--resamples",
    "draws",
    type=click.IntRange(1, 1_000_000),
    default=10_000,
    show_default=True,
    help="Bootstrap resamples and permutations of the test.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the bootstrap and the test.")
@format_option
@packed(AnswerSampling, "sampling")
@click.pass_obj
def command(
    settings: Settings, /, set_: str, split: str, by: str | None, baseline: str | None, sampling: AnswerSampling, style: str
) -> None:
    """Rank the runs on a split of SET by mean F1.

    The 95 % interval of F1 is a BCa bootstrap over queries. p is from a two-sided randomisation test of F1 by query against the
    best run or the baseline; corrected p uses Holm's method over the runs.
    """
    with connect(settings) as conn:
        found = leaderboard(conn, set=set_, split=split, by=by, baseline=baseline, sampling=sampling)
    if not found:
        aside("no run over this split yet")
    if style in ("json", "csv"):
        rows: list[Any] = [one if style == "json" else one._replace(params=parameters(one.params)) for one in found]  # type: ignore[arg-type]
        click.echo(render(rows, AnswerPlace._fields, style=style))
        return
    table = [
        tuple(
            shown(value, style)
            for value in (
                *([one.part] if by is not None else []),
                one.run,
                one.method,
                parameters(one.params),
                one.queries,
                one.abstained,
                one.precision,
                one.recall,
                one.f1,
                None if one.low is None else f"{one.low:.4f} … {one.high:.4f}",
                _p(one.p),
                _p(one.corrected),
            )
        )
        for one in found
    ]
    names = ["run", "method", "params", "queries", "abstained", "precision", "recall", "F1", "95 % interval", "p", "corrected"]
    click.echo(render(table, [by, *names] if by is not None else names, style=style))
    left = {one.part: one.without_gold for one in found if one.without_gold}
    if left:
        aside(f"queries without gold, left out: {sum(left.values()):,}")


def _p(value: float | None) -> str | None:
    if value is None:
        return None
    return "<.0001" if value < 0.00005 else f"{value:.4f}"

"""``stc analysis reusability`` and ``unjudged``: whether judgments serve runs that were not in the pool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from stcollection.analysis.reusability import BY, Bounds, LeftOut, pool_of, summarise
from stcollection.analysis.reusability import reusability as leave_out
from stcollection.analysis.reusability import unjudged as bounds
from stcollection.cli.measuring import edition_option, measures_or
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import StateError
from stcollection.evaluation.measures import Measure, nDCG

measures_option = click.option(
    "-m", "--measure", "measures", multiple=True, callback=measures_or(nDCG @ 10),
    help="nDCG@k, P@k, R@k, RR, AP or Bpref; repeat it, or use commas.  [default: nDCG@10]",
)  # fmt: skip


@click.command("reusability")
@click.argument("runs", nargs=-1)
@edition_option
@measures_option
@click.option(
    "--by", type=click.Choice(BY), default="run", show_default=True, help="Leave out each run, or each team with all its runs."
)
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    help="To which the runs gave documents to the pool.  [default: the stored pool's, else 10]",
)
@click.option("--pool", metavar="POOL", help="A stored pool: its depth and its runs.")
@format_option
@click.pass_obj
def reusability(
    settings: Settings,
    runs: tuple[str, ...],
    edition: str,
    measures: list[Measure],
    by: str,
    depth: int | None,
    pool: str | None,
    style: str,
) -> None:
    """Leave each of RUNS (all if none is named) out of the pool: what it alone contributed is unjudged, and all are scored anew.

    Prints documents that it alone contributed, how many of them are relevant, its score and rank before and after, tau and
    tau_ap of the rankings of all runs before and after, and the most ranks any run loses. Nothing is written.
    """
    with connect(settings) as conn:
        depth, filled = pool_of(conn, pool=pool, depth=depth, runs=runs)
        found = [(str(one), leave_out(conn, edition=edition, measure=one, depth=depth, by=by, runs=filled)) for one in measures]
    if not any(rows for _, rows in found):
        raise StateError("there is no run with a ranking", hint="'stc runs import' stores some.", sqlstate="IR405")
    click.echo(_table([(measure, row) for measure, rows in found for row in rows], LeftOut._fields, style, alone=by == "run"))
    for measure, rows in found:
        done = summarise(rows)
        click.echo(
            f"{measure}: {_many(done.left_out, by)} left out, one at a time, of a pool of depth {depth}:"
            f" tau {_number(done.tau)} in the mean, {_number(done.lowest_tau)} at least, tau_ap {_number(done.tau_ap)};"
            f" at most {_many(done.max_drop, 'rank')} lost;"
            f" a run loses {done.lost:.1%} of its score, {done.most_lost:.1%} at most.",
            err=True,
        )


@click.command("unjudged")
@click.argument("runs", nargs=-1)
@edition_option
@measures_option
@click.option("-q", "--per-query", is_flag=True, help="A row for each query, not the mean alone.")
@format_option
@click.pass_obj
def unjudged(settings: Settings, runs: tuple[str, ...], edition: str, measures: list[Measure], per_query: bool, style: str) -> None:
    """How much of RUNS (all if none is named) is not judged, and what that can make of their scores.

    Prints documents among the first cutoff (or in the whole ranking), how many of them are unjudged, the score with these not
    relevant, on condensed lists (trec_eval -J), and the worst and the best it can be, whatever grades they have.
    """
    with connect(settings) as conn:
        found = [
            (str(one), row)
            for one in measures
            for row in bounds(conn, edition=edition, measure=one, runs=runs, per_query=per_query)
        ]
    click.echo(_table(found, Bounds._fields, style, alone=not per_query))


def _table(found: Sequence[tuple[str, tuple[Any, ...]]], fields: Sequence[str], style: str, *, alone: bool) -> str:
    """:param alone: without the column that says nothing: who is left out where that is the run, the query where there is none."""
    skip = {"left_out", "query"} if alone else set()
    several = style in ("json", "csv") or len({measure for measure, _ in found}) > 1
    rows = [
        (*([measure] if several else []), *(value for name, value in zip(fields, row, strict=True) if name not in skip))
        for measure, row in found
    ]
    names = [name if style in ("json", "csv") else name.replace("_", " ") for name in fields if name not in skip]
    return render(rows, ["measure", *names] if several else names, style=style)


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"

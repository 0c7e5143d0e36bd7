"""The commands ``stc analysis unjudged``, ``late`` and ``reusability``: documents that the judgments do not cover."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Annotated, Any

import click

from stcollection.analysis.late import LateRun, late_runs
from stcollection.analysis.reusability import Bounds, LeftOut, pool_of, reusability, summarise, unjudged
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import AllowedRange, Option, RecordTable
from stcollection.errors import StateError
from stcollection.evaluation.parameters import measures_of

_NOTE = (
    "rank_low to rank_high: ranks that the choice of queries allows (95 %); rank_best to rank_worst: ranks that the grades of the"
    " unjudged documents allow."
)
_MEASURES = Option("-m", each="measure", help="Measure: nDCG@k, P@k, R@k, RR, AP or Bpref. Repeatable, or comma-separated.")
BoundMeasures = Annotated[Sequence[str], _MEASURES]


@command(unjudged, omit=("measure",))
def unjudged_command(call: Call[RecordTable[Bounds]], *, measures: BoundMeasures = ("nDCG@10",), style: Style = "table") -> None:
    """Report how much of each run is unjudged, and how far that could change its score. Without RUN, report all.

    For the documents up to the cutoff (or the whole ranking), prints how many are unjudged, and four scores: with unjudged
    documents as not relevant, on condensed lists (trec_eval -J), and the lowest and highest score possible for any grades.
    """
    with connect(call.settings) as conn:
        rows = [(str(measure), row) for measure in measures_of(measures) for row in call(conn, measure=measure)]
    click.echo(_table(rows, Bounds._fields, style, alone=not call.given.get("per_query")))


@command(late_runs, omit=("measure", "alpha", "resamples", "seed", "power"))
def late_command(call: Call[list[LateRun]], *, measures: BoundMeasures = ("nDCG@10",), style: Style = "table") -> None:
    """Report the unjudged share of a late RUN and its interval of ranks among all stored runs.

    A run that was submitted after the judgments retrieves documents that nobody judged. Prints their share, the score with
    unjudged documents as not relevant, and two intervals of its rank: over queries, and over all possible grades of the unjudged
    documents.
    """
    first, *others = measures_of(measures)
    with connect(call.settings) as conn:
        rows = [(str(measure), row) for measure in (first, *others) for row in call(conn, measure=measure)]
    click.echo(_table(rows, LateRun._fields, style, alone=True))
    aside(_NOTE)
    if missing := sum(row.unjudged for measure, row in rows if measure == str(first)):
        names = " ".join(map(shlex.quote, call.given["runs"]))
        aside(
            f"To judge the {counted(missing, 'document')}: stc pool make late {names} --depth {first.cutoff or 10}"
            f" --exclude {shlex.quote(call.given['edition'])}"
        )


@command(reusability, omit=("measure",))
def reusability_command(
    call: Call[RecordTable[LeftOut]],
    *,
    measures: BoundMeasures = ("nDCG@10",),
    depth: Annotated[int | None, AllowedRange(ge=1), Option(default="the stored pool's, else 10")] = None,
    pool: Annotated[str | None, Option(metavar="POOL")] = None,
    style: Style = "table",
) -> None:
    """Leave each run out of the pool: documents that only this run contributed become unjudged, and all runs are scored again.

    For each run, prints the documents that only it contributed, how many of them are relevant, and its score and rank before and
    after. Also prints tau and tau_ap of the rankings of all runs, and the largest loss in ranks of any run. Without RUN, leaves
    out each run of the collection in turn. Nothing is stored.

    :param depth: Depth of the pool that the runs contributed to.
    :param pool: Use the depth and the runs of this stored pool.
    """
    by = call.given.get("by", "run")
    with connect(call.settings) as conn:
        depth, filled = pool_of(conn, pool=pool, depth=depth, runs=call.given.get("runs", ()))
        tables = [(str(measure), call(conn, measure=measure, depth=depth, runs=filled)) for measure in measures_of(measures)]
    if not any(rows for _, rows in tables):
        raise StateError("there is no run with a ranking", hint="'stc load --as runs' stores some.", sqlstate="IR405")
    click.echo(_table([(measure, row) for measure, rows in tables for row in rows], LeftOut._fields, style, alone=by == "run"))
    for measure, rows in tables:
        summary = summarise(rows)
        click.echo(
            f"{measure}: {counted(summary.left_out, by)} left out, one at a time, of a pool of depth {depth}: tau "
            f"{_number(summary.tau)} in the mean, {_number(summary.lowest_tau)} at least, tau_ap {_number(summary.tau_ap)}; at "
            f"most {counted(summary.max_drop, 'rank')} lost; a run loses {summary.lost:.1%} of its score, "
            f"{summary.most_lost:.1%} at most.",
            err=True,
        )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _table(measured: Sequence[tuple[str, tuple[Any, ...]]], fields: Sequence[str], style: str, *, alone: bool) -> str:
    """Return a table in the given style.

    :param alone: drop the columns left_out and query, which repeat the run or are empty.
    """
    skip = {"left_out", "query"} if alone else set()
    several = style in ("json", "csv") or len({measure for measure, _ in measured}) > 1
    rows = [
        (*([measure] if several else []), *(value for name, value in zip(fields, row, strict=True) if name not in skip))
        for measure, row in measured
    ]
    names = [name if style in ("json", "csv") else name.replace("_", " ") for name in fields if name not in skip]
    return render(rows, ["measure", *names] if several else names, style=style)

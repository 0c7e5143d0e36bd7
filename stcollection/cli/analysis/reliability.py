"""The command ``stc analysis reliability``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import click

from stcollection.analysis.records import Growth
from stcollection.analysis.reliability import THOUSAND, DrawnSets, Draws, ReferenceSet, Reliability, growth_curves, reliability
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.declared import Option
from stcollection.errors import BadArgument
from stcollection.evaluation.parameters import only_measure


@command(reliability, omit=("queries",))
def reliability_command(
    call: Call[list[Reliability]],
    *,
    grow: Annotated[bool, Option("--growth")] = False,
    of: DrawnSets = (),
    against: ReferenceSet = "human",
    draws: Draws = THOUSAND,
    style: Style = "table",
) -> None:
    """Test whether two sets of EDITION's queries rank the systems alike: Kendall's tau, tau_ap, Pearson's r of mean scores.

    In a pair A:B, A is the reference of tau_ap. Intervals are percentiles over resampled queries; a query that is in both sets is
    drawn once for both. With --growth: tau between a ranking on N drawn queries and the ranking on the rest of --reference.

    :param grow: Compute how tau grows with the number of queries drawn, instead of comparing pairs.
    """
    given = call.given
    if grow and given.get("pairs"):
        raise BadArgument("--growth with --pairs", hint="Growth takes --queries and --reference.")
    if not grow and (of or draws.sizes):
        raise BadArgument("--queries and --sizes without --growth", hint="Add --growth, or name --pairs.")
    with connect(call.settings) as conn:
        if grow:
            measure, runs = only_measure(given.get("measure", ())), given.get("runs", ())
            grown = growth_curves(conn, edition=given["edition"], measure=measure, of=of, against=against, runs=runs, draws=draws)
            rows = [row for curve in grown.curves.values() for row in curve]
            click.echo(_table(rows, Growth._fields, style))
            return
        compared = call(conn, seed=draws.seed)
    _print(compared, style)


def _print(compared: Sequence[Reliability], style: str) -> None:
    if style in ("json", "csv"):
        click.echo(_table(compared, Reliability._fields, style))
    else:
        headers = ["a", "b", "queries a", "queries b", "shared", "systems", "tau", "95 %", "tau ap", "95 %", "pearson", "95 %",
                   "max shift", "shifted"]  # fmt: skip
        click.echo(render([_row(row) for row in compared], headers, style=style))
    for row in compared:
        small = [f"{name} has one query" for name, size in ((row.a, row.queries_a), (row.b, row.queries_b)) if size == 1]
        if small:
            aside(f"{row.a}:{row.b}: {' and '.join(small)}: the ranking depends on one query and has no interval.")


def _row(row: Reliability) -> list[Any]:
    return [
        row.a, row.b, row.queries_a, row.queries_b, row.shared, row.systems, row.tau, _interval(row.tau_low, row.tau_high),
        row.tau_ap, _interval(row.tau_ap_low, row.tau_ap_high), row.pearson, _interval(row.pearson_low, row.pearson_high),
        f"{row.max_shift:+d}" if row.max_shift else "0", row.shifted,
    ]  # fmt: skip


def _interval(low: float | None, high: float | None) -> str | None:
    return None if low is None or high is None else f"{low:.3f} … {high:.3f}"


def _table(rows: Sequence[Growth] | Sequence[Reliability], fields: Sequence[str], style: str) -> str:
    names = [name if style in ("json", "csv") else name.replace("_", " ") for name in fields]
    return render(rows, names, style=style)

"""The command ``stc analysis expansion``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

import click

from stcollection.analysis.expansion import ExpansionCell, sweep
from stcollection.cli.declared import Call, Style
from stcollection.cli.declared import command as declared_command
from stcollection.cli.output import ProgressBar, render
from stcollection.db.connection import connect
from stcollection.declared import Option


def _numbers(name: str, default: str, kind: Callable[[str], Any], what: str) -> Callable[[Any], Any]:
    """Return an option of a list of numbers."""

    def read(_: click.Context, __: click.Parameter, text: str) -> list[Any]:
        try:
            return [kind(part) for part in text.replace(",", " ").split()]
        except ValueError:
            raise click.BadParameter(f"{text!r} is not a list of numbers") from None

    help_ = f"Comma-separated {what} to try."
    return click.option(name, f"{what.split()[-1]}", default=default, show_default=True, callback=read, help=help_)


@declared_command(sweep)
def command(
    call: Call[list[ExpansionCell]],
    *,
    neighbours: Annotated[list[int], _numbers("--neighbours", "5,10,20", int, "numbers of neighbours")],
    thresholds: Annotated[list[float], _numbers("--threshold", ".7,.8,.9", float, "cosine thresholds")],
    exact: Annotated[bool, Option("--exact/--by-index")] = True,
    style: Style = "table",
) -> None:
    """Estimate how reliable an expansion of EDITION would be, for several numbers of neighbours and thresholds. Nothing is stored.

    Columns: added: new labels. agree, conflict: neighbours that EDITION judges relevant, or not relevant. judged later, precision:
    new labels that people judged in other editions, and the share they found relevant. tau, tau_ap: correlation of the ranking of
    the stored runs before and after. With one number of neighbours and one threshold, also prints the effect on each run.

    :param exact: Compare with every document, or use the vector index: faster for millions of documents, slightly less complete.
    """
    rules = replace(call.group("rules"), effort=0 if exact else None)
    with connect(call.settings) as conn, ProgressBar("expansions", unit="cells") as bar:
        cells = call(conn, neighbours=neighbours, thresholds=thresholds, rules=rules, progress=bar)
    click.echo(render([_row(cell) for cell in cells], _HEADERS, style=style))
    done = cells[0].impact
    if len(cells) == 1 and done is not None and style not in ("json", "csv"):
        rows = [(one.run, one.value_a, one.value_b, one.shift, one.rank_a, one.rank_b) for one in done.runs]
        click.echo(f"\n{call.given.get('measure', 'nDCG@10')} of each run\n")
        click.echo(render(rows, ["run", call.given["edition"], "expanded", "shift", "rank", "then"], style=style))


_HEADERS = [
    "neighbours",
    "threshold",
    "added",
    "agree",
    "conflict",
    "judged later",
    "precision",
    "tau",
    "tau_ap",
    "mean shift",
    "moves",
]


def _row(cell: ExpansionCell) -> tuple[Any, ...]:
    labels, done = cell.labels, cell.impact
    return (
        labels.neighbours,
        f"{labels.threshold:g}",
        labels.added,
        labels.agreeing,
        labels.conflicting,
        labels.later,
        labels.right_share,
        done and done.kendall_tau,
        done and done.tau_ap,
        cell.mean_shift,
        cell.largest_move,
    )

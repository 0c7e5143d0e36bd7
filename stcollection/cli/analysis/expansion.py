"""The command ``stc analysis expansion``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stcollection.analysis.expansion import ExpansionCell, sweep
from stcollection.cli.options import together
from stcollection.cli.options.completion import complete_measures
from stcollection.cli.options.editions import edition_argument
from stcollection.cli.options.neighbours import neighbours_options
from stcollection.cli.output import ProgressBar, format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import parse_measure
from stcollection.qrels.expand import NeighbourRules


def _numbers(kind: Callable[[str], Any]) -> Callable[[click.Context, click.Parameter, str], list[Any]]:
    def read(_: click.Context, __: click.Parameter, text: str) -> list[Any]:
        try:
            return [kind(part) for part in text.replace(",", " ").split()]
        except ValueError:
            raise click.BadParameter(f"{text!r} is not a list of numbers") from None

    return read


_options = together(
    click.option(
        "--neighbours",
        default="5,10,20",
        show_default=True,
        callback=_numbers(int),
        help="Comma-separated numbers of neighbours to try.",
    ),
    click.option(
        "--threshold",
        "thresholds",
        default=".7,.8,.9",
        show_default=True,
        callback=_numbers(float),
        help="Comma-separated cosine thresholds to try.",
    ),
    click.option(
        "--reference",
        "against",
        multiple=True,
        metavar="EDITION",
        help="Edition whose human judgments are the reference for the new labels. Repeatable.  [default: all later editions]",
    ),
    click.option(
        "-m",
        "--measure",
        default="nDCG@10",
        show_default=True,
        shell_complete=complete_measures,
        help="Measure for scoring the runs.",
    ),
)


@click.command("expansion")
@edition_argument
@_options
@neighbours_options
@format_option
@click.pass_obj
def command(
    settings: Settings,
    /,
    edition: str,
    neighbours: list[int],
    thresholds: list[float],
    against: tuple[str, ...],
    measure: str,
    rules: NeighbourRules,
    style: str,
) -> None:
    """Estimate how reliable an expansion of EDITION would be, for several numbers of neighbours and thresholds. Nothing is stored.

    Columns: added: new labels. agree, conflict: neighbours that EDITION judges relevant, or not relevant. judged later, precision:
    new labels that people judged in other editions, and the share they found relevant. tau, tau_ap: correlation of the ranking of
    the stored runs before and after. With one number of neighbours and one threshold, also prints the effect on each run.
    """
    by = parse_measure(measure)
    with connect(settings) as conn, ProgressBar("expansions", unit="cells") as bar:
        cells = sweep(
            conn,
            edition=edition,
            neighbours=neighbours,
            thresholds=thresholds,
            against=list(against) or None,
            rules=rules,
            measure=by,
            progress=bar,
        )
    click.echo(render([_row(cell) for cell in cells], _HEADERS, style=style))
    done = cells[0].impact
    if len(cells) == 1 and done is not None and style not in ("json", "csv"):
        rows = [(one.run, one.value_a, one.value_b, one.shift, one.rank_a, one.rank_b) for one in done.runs]
        click.echo(f"\n{measure} of each run\n")
        click.echo(render(rows, ["run", edition, "expanded", "shift", "rank", "then"], style=style))


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

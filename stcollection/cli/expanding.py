"""``stc qrels expand`` and ``stc analysis expansion``: judgments by neighbours, made and audited."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from stcollection.analysis.expansion import Cell, sweep
from stcollection.cli.output import Progress, format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import parse_measure
from stcollection.qrels.expand import expand as expand_edition

Command = TypeVar("Command", bound=Callable[..., Any])


def neighbours_options(command: Command) -> Command:
    """What says whose neighbours, by which vectors."""
    for option in (
        click.option("--exact/--by-index", default=True, show_default=True,
                     help="Compare with every document, or take the vector index: quicker over millions, a little short."),
        click.option("--test", "test", multiple=True, metavar="EDITION",
                     help="A test edition whose queries may be expanded; else they are refused. Repeat it for more."),
        click.option("--model", metavar="SHORT", help="Whose vectors.  [default: the collection's default model]"),
        click.option("--field", type=click.Choice(["title", "abstract", "content"]), default="title", show_default=True,
                     help="By whose vectors documents are near."),
        click.option("--rel", type=int, help="The grade the neighbours get.  [default: that of the document they are near to]"),
        click.option("--from-rel", type=int, default=2, show_default=True, help="The lowest grade that is expanded."),
    ):  # fmt: skip
        command = option(command)
    return command


@click.command("expand")
@click.option("--edition", required=True, help="The edition to expand; it stays as it is.")
@click.option("--into", help="The new edition.  [default: the edition's name with -knn]")
@click.option("--neighbours", type=click.IntRange(min=1), default=10, show_default=True, help="Of each relevant document at most.")
@click.option("--threshold", type=click.FloatRange(-1, 1), default=0.8, show_default=True, help="The cosine they must have.")
@neighbours_options
@click.pass_obj
def expand(settings: Settings, /, edition: str, into: str | None, exact: bool, **options: Any) -> None:
    """Make a new edition of another's judgments and the neighbours of its relevant documents.

    Never over a judgment, never a document as its own neighbour; each neighbour keeps its source document and similarity.
    'stc analysis expansion' tells beforehand how right the labels would be.
    """
    with connect(settings) as conn:
        done = expand_edition(conn, edition=edition, into=into, effort=0 if exact else None, **options)
    told = f"{done.expansion}: {done.copied:,} judgments of {edition}, {done.added:,} by neighbours of {done.sources:,} documents"
    click.echo(told + (f"; {done.without_vector:,} without a vector" if done.without_vector else ""))


def _numbers(kind: Callable[[str], Any]) -> Callable[[click.Context, click.Parameter, str], list[Any]]:
    def read(_: click.Context, __: click.Parameter, text: str) -> list[Any]:
        try:
            return [kind(part) for part in text.replace(",", " ").split()]
        except ValueError:
            raise click.BadParameter(f"{text!r} is no list of numbers") from None

    return read


@click.command("expansion")
@click.argument("edition")
@click.option("--neighbours", default="5,10,20", show_default=True, callback=_numbers(int), help="Numbers of neighbours to try.")
@click.option("--threshold", "thresholds", default=".7,.8,.9", show_default=True, callback=_numbers(float), help="Cosines to try.")
@click.option(
    "--against", multiple=True, metavar="EDITION",
    help="An edition whose human judgments tell how right the labels are; repeat it for more.  [default: all later ones]",
)  # fmt: skip
@click.option("-m", "--measure", default="nDCG@10", show_default=True, help="What the runs are scored by.")
@neighbours_options
@format_option
@click.pass_obj
def expansion(
    settings: Settings, /, edition: str, against: tuple[str, ...], measure: str, exact: bool, style: str, **options: Any
) -> None:
    """Audit expansions of an EDITION before one is made: neighbours × threshold. Nothing is kept.

    added: labels; agree, conflict: near documents that the edition itself judges relevant and not; judged later, precision: of the
    labels, those that people judged in other editions, and the share they found relevant; tau, tau_ap: of the ranking of the stored
    runs with that by the edition. With one number and one threshold the effect on each run follows.
    """
    by = parse_measure(measure)
    with connect(settings) as conn, Progress("expansions", unit="cells") as bar:
        cells = sweep(
            conn, edition=edition, against=list(against) or None, measure=by, effort=0 if exact else None, progress=bar, **options
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


def _row(cell: Cell) -> tuple[Any, ...]:
    labels, done = cell.labels, cell.impact
    return (
        labels.neighbours, f"{labels.threshold:g}", labels.added, labels.agreeing, labels.conflicting, labels.later,
        labels.right_share, done and done.kendall_tau, done and done.tau_ap, cell.mean_shift, cell.largest_move,
    )  # fmt: skip

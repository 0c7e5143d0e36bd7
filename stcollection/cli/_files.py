"""What the commands that score files share."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options import together
from stcollection.cli.options.files import FILE
from stcollection.cli.output import mark_simulated, tell_simulated
from stcollection.evaluation.files.score import FileScores
from stcollection.runs.load import ON_DUPLICATE


def _some(context: click.Context, _: click.Parameter, runs: tuple[Path, ...]) -> tuple[Path, ...]:
    if not runs and not context.resilient_parsing:
        raise click.UsageError("Name one run or more, and last the file of judgments.", context)
    return runs


runs_argument = click.argument("runs", nargs=-1, type=FILE, metavar="RUN...", callback=_some)
qrels_argument = click.argument("qrels", type=FILE)
_on_duplicate_option = click.option(
    "--on-duplicate",
    type=click.Choice(ON_DUPLICATE),
    default="error",
    show_default=True,
    help="A document that a query of a run has twice: stop, keep the first, or keep the one with the best score.",
)
_best_grade_option = click.option(
    "--best-grade", type=click.IntRange(1, 1), help="1 is the best grade, as in Cranfield's judgments: turn the grades round."
)
reading_options = together(_on_duplicate_option, _best_grade_option)


def tell_notes(found: FileScores, *, printed: bool = False) -> None:
    """Print the notes on stderr, and have the output carry the note on simulated judgments.

    :param printed: the output is trec_eval's, which has no place for it.
    """
    for note in found.notes:
        click.echo(f"stc: {note}", err=True)
    if found.simulated is not None:
        mark_simulated(found.simulated)
        if printed:
            tell_simulated()

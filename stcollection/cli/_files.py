"""Arguments, options and notes shared by the commands that read run files."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options import together
from stcollection.cli.options.files import FILE, relevance_option
from stcollection.cli.output import mark_simulated, print_simulated
from stcollection.evaluation.files.score import FileScores
from stcollection.runs.policies import ON_DUPLICATE
from stcollection.topics.sets import ALL, expression


def _some(context: click.Context, _: click.Parameter, runs: tuple[Path, ...]) -> tuple[Path, ...]:
    if not runs and not context.resilient_parsing:
        raise click.UsageError("Name at least one run file, followed by the file of judgments.", context)
    return runs


runs_argument = click.argument("runs", nargs=-1, type=FILE, metavar="RUN...", callback=_some)
qrels_argument = click.argument("qrels", type=FILE)
_on_duplicate_option = click.option(
    "--on-duplicate",
    type=click.Choice(ON_DUPLICATE),
    default="error",
    show_default=True,
    help="If a query of a run ranks a document twice: stop, keep the first entry, or keep the entry with the best score.",
)
_best_grade_option = click.option(
    "--best-grade", type=click.IntRange(1, 1), help="Grade 1 is the best, as in Cranfield's judgments: reverse the grades."
)
_queries_option = click.option(
    "--queries",
    metavar="SET",
    default=ALL,
    show_default=True,
    callback=lambda _, __, text: expression(text),
    help="Score only these queries: names or patterns such as G01.*, separated by commas; @FILE with one name per line; a+b, a-b.",
)
_columns_option = click.option(
    "--columns",
    metavar="NAMES",
    help="Columns of tables, or fields of JSON, by name: query=question,doc=paper,score=rating,rel=useful; also rank and run. "
    "A file without such a column is read by the usual names.  [default: recognised]",
)
reading_options = together(_columns_option, _queries_option, _on_duplicate_option, _best_grade_option, relevance_option)


def print_notes(found: FileScores, *, printed: bool = False) -> None:
    """Print the notes on stderr, and register the note on simulated judgments for the output.

    :param printed: the output has trec_eval's format, which has no place for the note.
    """
    for note in found.notes:
        click.echo(f"stc: {note}", err=True)
    if found.simulated is not None:
        mark_simulated(found.simulated)
        if printed:
            print_simulated()

"""The command ``stc answers score``."""

from __future__ import annotations

import click

from stcollection.cli.answers._text import shown
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers.scores import AnswerMean, AnswerScore, means, scores

_MEAN = AnswerMean._fields[1:]


@click.command("score")
@click.argument("run")
@click.option("-q", "--per-query", "by_query", is_flag=True, help="Also print each query.")
@format_option
@click.pass_obj
def command(settings: Settings, run: str, by_query: bool, style: str) -> None:
    """Print mean precision, recall and F1 of the documents that RUN returns; with -q, also of each query.

    micro: over all documents together. Queries without gold are left out of the means and counted.
    """
    with connect(settings) as conn:
        if by_query:
            rows = [tuple(shown(value, style) for value in one) for one in scores(conn, run)]
            click.echo(render(rows, AnswerScore._fields, style=style))
            return
        rows = [tuple(shown(value, style) for value in one[1:]) for one in means(conn, [run])]
    click.echo(render(rows, _MEAN, style=style))

"""The command ``stc answers status``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, printable, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers import sets


@click.command("status")
@click.argument("name", metavar="[SET]", required=False)
@format_option
@click.pass_obj
def command(settings: Settings, name: str | None, style: str) -> None:
    """Count the contents of each split of SET, or of all data sets.

    'unplaced' counts answers whose address is in no document of their query: they are used for training, but not for voting.
    'contradictory' counts pairs with two different labels.
    """
    with connect(settings) as conn:
        rows = sets.overview(conn, name)
    safe = [(printable(row.set), *row[1:]) for row in rows]
    click.echo(render(safe, sets.AnswerSetOverview._fields, style=style))

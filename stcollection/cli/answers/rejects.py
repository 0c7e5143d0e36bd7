"""The command ``stc answers rejects``."""

from __future__ import annotations

import click

from stcollection.cli.options.answers import only_split_option
from stcollection.cli.output import format_option, printable, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers import sets


@click.command("rejects")
@click.argument("name", metavar="SET")
@only_split_option
@click.option("--problem", type=click.Choice(sets.PROBLEMS), help="Only lines with this problem.")
@format_option
@click.pass_obj
def command(settings: Settings, name: str, split: str | None, problem: str | None, style: str) -> None:
    """List the lines in the files of SET that were not stored as written, with reasons."""
    with connect(settings) as conn:
        rows = sets.rejects(conn, name, split=split, problem=problem)
    safe = [(*row[:-1], printable(row.reason)) for row in rows]
    click.echo(render(safe, sets.Problem._fields, style=style))

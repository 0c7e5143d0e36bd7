"""The command ``stc qrels describe``."""

from __future__ import annotations

import click

from stcollection.cli.options.editions import changed_edition_argument, facts_options
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.io.qrels.judgments import read_grades
from stcollection.qrels.editions import EditionFacts, describe


@click.command("describe")
@changed_edition_argument
@facts_options
@click.option(
    "--scale",
    metavar="GRADES",
    help="Mapping of its grades, if they were mapped before import; syntax as for 'stc qrels import --map'.",
)
@click.pass_obj
def command(settings: Settings, /, edition: str, scale: str | None, facts: EditionFacts) -> None:
    """Describe an EDITION. Grades do not change. For a sealed edition, only the description can change."""
    if scale is None and facts == EditionFacts():
        raise click.UsageError("give --description, --split, --year or --scale")
    with connect(settings) as conn:
        mapping = None if scale is None else read_grades(scale)
        describe(conn, edition, description=facts.description, split=facts.split, year=facts.year, scale=mapping)
    click.echo(f"{edition}: described")

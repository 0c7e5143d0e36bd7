"""The command ``stc qrels describe``."""

from __future__ import annotations

from typing import Any

import click

from stcollection.cli.options.editions import facts
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.io.qrels.judgments import read_grades
from stcollection.qrels.editions import describe


@click.command("describe")
@click.argument("edition")
@facts
@click.option(
    "--scale", metavar="GRADES", help="The mapping its grades came by, if they were mapped before they were imported; as for --map."
)
@click.pass_obj
def command(settings: Settings, /, edition: str, scale: str | None, **said: Any) -> None:
    """Say of an EDITION what it is. No grade changes; of a sealed edition the description alone."""
    if scale is None and all(value is None for value in said.values()):
        raise click.UsageError("say something: --description, --split, --year or --scale")
    with connect(settings) as conn:
        describe(conn, edition, scale=None if scale is None else read_grades(scale), **said)
    click.echo(f"{edition}: described")

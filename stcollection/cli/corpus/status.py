"""The command ``stc corpus status``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.corpus.ledger import status
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("status")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """Count documents, abstracts, authors and citations, as in the published description of the collection."""
    with connect(settings) as conn:
        click.echo(render(status(conn), ["what", "count"], style=style))

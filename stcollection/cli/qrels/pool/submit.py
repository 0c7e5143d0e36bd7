"""The command ``stc qrels pool submit``."""

from __future__ import annotations

import click

from stcollection.cli.options.editions import needed_edition_option
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.sheets import submit_pool


@click.command("submit")
@click.argument("name")
@needed_edition_option("The edition they go to; made if it is not there.")
@click.option("--annotator", "annotators", multiple=True, help="Whose sheet; repeat it.  [default: all]")
@click.pass_obj
def command(settings: Settings, name: str, edition: str, annotators: tuple[str, ...]) -> None:
    """Make the grades on the sheets of the pool NAME judgments of an edition, all or none. From then on they stay as they are."""
    with connect(settings) as conn:
        done = submit_pool(conn, name, edition=edition, annotators=annotators)
    told = f"{edition}: {done.added:,} judgments added" + (f"; {done.unchanged:,} stored already" if done.unchanged else "")
    click.echo(told + (f"; {done.left_open:,} not judged yet" if done.left_open else ""))

"""The command ``stc answers extracted``."""

from __future__ import annotations

import click

from stcollection.cli.answers._text import titles
from stcollection.cli.options.answers import SPLITS
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("extracted")
@click.argument("set_", metavar="SET")
@click.option("--split", type=SPLITS, required=True, help="Split of SET.")
@click.option("--source", required=True, metavar="NAME", help="Name of the extracted answers.")
@format_option
@click.pass_obj
def command(settings: Settings, /, *, set_: str, split: str, source: str, style: str) -> None:
    """Evaluate extracted answers against the given answers of the same documents.

    F1: overlap of character pairs between the best extracted answer and the given ones, averaged over documents that have both.
    value: average over all documents. A document with a given answer counts its F1 (0 without an extracted answer); a document
    without one counts 1 if none was extracted.
    """
    from stcollection.studies.answers.extract import quality

    with connect(settings) as conn:
        found = quality(conn, set=set_, split=split, source=source)
    plain = style in ("json", "csv")
    click.echo(render([found], found._fields if plain else titles(found._fields), style=style))
    if found.value is None and not plain:
        click.echo("\nno document of this split has a given answer: nothing to compare with")

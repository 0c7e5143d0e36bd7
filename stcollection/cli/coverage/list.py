"""The command ``stc coverage list``."""

from __future__ import annotations

import textwrap

import click

from stcollection.cli.coverage._text import clean
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.coverage.store import list_coverages


@click.command("list")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """List the stored coverages."""
    with connect(settings, autocommit=True) as conn:
        rows = list_coverages(conn)
    headers = ["coverage", "query", "documents", "topics", "itemsets", "concepts", "made", "text"]
    short = (lambda text: text) if style in ("json", "csv") else (lambda text: textwrap.shorten(text, 60, placeholder=" …"))
    click.echo(
        render(
            [
                (
                    one.coverage,
                    one.query,
                    one.documents,
                    one.topics,
                    one.itemsets,
                    one.concepts,
                    one.made.isoformat(" ", "seconds"),
                    short(clean(one.text)),
                )
                for one in rows
            ],
            headers,
            style=style,
        )
    )

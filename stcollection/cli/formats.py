"""The command ``stc show formats``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.cli.quiet import aside
from stcollection.io.formats import Kind
from stcollection.io.registry import KINDS, PROBLEMS, list_formats


@click.command("formats")
@click.argument("kind", type=click.Choice(KINDS), required=False)
@format_option
def command(kind: Kind | None, style: str) -> None:
    """List the formats of files: of corpora, topics, judgments (qrels) and runs.

    Files are recognised by their content, not by their names; the first format that recognises a file reads it. Every format can be
    read; the last column says which can be written too. JSON and CSV add what each field becomes, and an example in docs/examples.
    Other packages can add formats.
    """
    headers, rows = list_formats(kind, full=style in ("json", "csv"), text=style != "json")
    click.echo(render(rows, headers, style=style))
    for problem in PROBLEMS:
        aside(problem)

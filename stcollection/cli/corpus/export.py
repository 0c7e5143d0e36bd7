"""The command ``stc corpus export``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.files import export_option
from stcollection.cli.options.filters import filter_options
from stcollection.cli.options.licences import licence_option
from stcollection.cli.output import output
from stcollection.cli.quiet import aside
from stcollection.corpus.export import export_documents
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.retrieval.filters import TypedFilter, read_filter


@click.command("export")
@export_option
@licence_option("Only documents with these licences")
@filter_options
@click.pass_obj
def command(settings: Settings, out: Path | None, licences: tuple[str, ...], filtering: TypedFilter) -> None:
    """Export documents as JSON lines, which 'stc corpus load' reads.

    A line has the docno, title and abstract of a document, and the other fields of its record.
    """
    with connect(settings) as conn, output(out) as file:
        done = export_documents(conn, file, licences=licences, condition=read_filter(conn, filtering))
    if done.left_out:
        aside(f"{counted(done.left_out, 'document')} left out")
    if out is not None:
        click.echo(f"{out}: {counted(done.documents, 'document')}")

"""The command ``stc bundle export``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.files import FILE, OutputPath
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.io.bundle.export import LAYOUTS, export_bundle


@click.command("export")
@click.argument("file", type=FILE)
@click.option("--format", "layout", type=click.Choice(list(LAYOUTS)), required=True, help="Layout of the folder.")
@click.option("--out", type=OutputPath(folder=True), required=True, metavar="FOLDER", help="Folder to create.")
@click.option("--edition", metavar="NAME", help="Only the judgments of this edition.  [default: all]")
def command(file: Path, layout: str, out: Path, edition: str | None) -> None:
    """Write a bundle as a folder that other tools read, without a database.

    beir: BEIR. hf: JSON lines with the README.md of Hugging Face. mteb: the same with task.py. ir_datasets: a Python module that
    registers the collection. tira: inputs, truths and runs. ro-crate: the files of the bundle, which describe themselves.
    """
    done = export_bundle(file, out, layout=layout, edition=edition)
    if done.without_text:
        aside(f"{counted(done.without_text, 'document has', 'documents have')} no text in the bundle")
    click.echo(
        f"{out}: {counted(done.documents, 'document')}, {counted(done.queries, 'query')},"
        f" editions {', '.join(done.editions) or 'none'}"
    )

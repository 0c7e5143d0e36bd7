"""Commands on bundles that need no database: ``stc bundle check`` and ``stc export bundle``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.files import FILE, OutputPath
from stcollection.cli.output import printable
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.io.bundle.archive import check
from stcollection.io.bundle.export import LAYOUTS, export_bundle


@click.command("check")
@click.argument("file", type=FILE)
@click.option("--hash", "digest", metavar="SHA256", help="Expected hash, as cited; another one is an error.")
def check_command(file: Path, digest: str | None) -> None:
    """Compare the checksums of a bundle, without a database.

    Prints its hash, and the hash of its data: all files except environment.json, which has the versions of the software.
    """
    bundle = check(file, digest=digest)
    editions, hidden, runs = (len(bundle.manifest[name]) for name in ("editions", "hidden", "runs"))
    click.echo(
        f"{file}: intact, {counted(len(bundle.files), 'file')} of {bundle.bytes / 1e6:,.1f} MB: collection"
        f" {printable(bundle.manifest['collection'])}, {counted(editions, 'edition')} ({hidden:,} hidden), {counted(runs, 'run')}"
    )
    click.echo(f"hash {bundle.digest}\ndata {bundle.data_digest}")


@click.command("export")
@click.argument("file", type=FILE)
@click.option("--format", "layout", type=click.Choice(list(LAYOUTS)), required=True, help="Layout of the folder.")
@click.option("--out", type=OutputPath(folder=True), required=True, metavar="FOLDER", help="Folder to create.")
@click.option("--edition", metavar="NAME", help="Only the judgments of this edition.  [default: all]")
def export_command(file: Path, layout: str, out: Path, edition: str | None) -> None:
    """Write a bundle as a folder that other tools read, without a database.

    beir: BEIR. hf: JSON lines with the README.md of Hugging Face. mteb: the same with task.py. ir_datasets: a Python module that
    registers the collection. tira: inputs, truths and runs. ro-crate: the files of the bundle, which describe themselves.
    """
    exported = export_bundle(file, out, layout=layout, edition=edition)
    if exported.without_text:
        aside(f"{counted(exported.without_text, 'document has', 'documents have')} no text in the bundle")
    click.echo(
        f"{out}: {counted(exported.documents, 'document')}, {counted(exported.queries, 'query')},"
        f" editions {', '.join(exported.editions) or 'none'}"
    )

"""The command ``stc corpus remove``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.files import FILE
from stcollection.cli.options.removal import confirm_options, file_option, preview
from stcollection.corpus.removal import read_docnos, remove_documents
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("remove")
@click.argument("names", metavar="[DOCNO]...", nargs=-1)
@file_option("stc corpus files")
@click.option("--docnos", type=FILE, help="Read document names from FILE, one per line; '-' is standard input.")
@click.option("--stubs", is_flag=True, help="Remove stubs that no run and no judgment refers to.")
@confirm_options
@click.pass_obj
def command(
    settings: Settings,
    names: tuple[str, ...],
    files: tuple[str, ...],
    docnos: Path | None,
    stubs: bool,
    yes: bool,
    dry_run: bool,
) -> None:
    """Remove documents: those of a loaded file, those with the names DOCNO, or stubs.

    This also removes their text, embeddings, passages and measures. Documents in judgments or runs become stubs, so judgments,
    rankings and scores do not change; loading the file again restores their text. The command prints what depends on the documents
    and prompts for confirmation.
    """
    chosen = [*names, *(read_docnos(docnos) if docnos is not None else ())]
    with connect(settings) as conn:
        found = remove_documents(conn, chosen, files=files, stubs=stubs, dry_run=True)
    click.echo("\n".join(preview(found, "stubs" if stubs else "documents")))
    if dry_run or not (found.files or found.removed or (found.kept and not stubs)):
        return
    if not yes:
        click.confirm("Remove them?", abort=True)
    with connect(settings) as conn:
        done = remove_documents(conn, chosen, files=files, stubs=stubs)
    click.echo(f"removed {counted(done.removed, 'document')}; {counted(done.kept, 'became a stub', 'became stubs')}")
    if done.stale:
        click.echo("The text index is out of date: stc text index")

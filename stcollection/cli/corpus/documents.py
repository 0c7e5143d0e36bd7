"""Commands that export and remove documents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import click

from stcollection.cli.declared import Call, command
from stcollection.cli.options.files import export_option
from stcollection.cli.options.licences import licence_option
from stcollection.cli.options.removal import DryRun, Yes, file_option, preview
from stcollection.cli.output import output
from stcollection.cli.quiet import aside
from stcollection.corpus.export import ExportedDocuments, export_documents
from stcollection.corpus.removal import read_docnos, remove_documents
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.removal import Removal
from stcollection.declared import Option
from stcollection.retrieval.filters import TypedFilter, read_filter


@command(export_documents, omit=("condition",))
def export_command(
    call: Call[ExportedDocuments],
    *,
    out: Annotated[Path | None, export_option],
    licences: Annotated[Sequence[str], licence_option("Only documents with these licences")],
    filtering: TypedFilter = TypedFilter(),  # noqa: B008
) -> None:
    """Export documents as JSON lines, which 'stc load --as corpus' reads.

    A line has the docno, title and abstract of a document, and the other fields of its record.
    """
    with connect(call.settings) as conn, output(out) as file:
        exported = call(conn, out=file, licences=licences, condition=read_filter(conn, filtering))
    if exported.left_out:
        aside(f"{counted(exported.left_out, 'document')} left out")
    if out is not None:
        click.echo(f"{out}: {counted(exported.documents, 'document')}")


@command(remove_documents)
def remove_command(
    call: Call[Removal],
    *,
    names: Annotated[Sequence[str], click.argument("names", metavar="[DOCNO]...", nargs=-1)],
    files: Annotated[Sequence[str], file_option("stc show corpus-files")],
    docnos_file: Annotated[Path | None, Option("--docnos")] = None,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Remove documents: those of a loaded file, those with the names DOCNO, or stubs.

    This also removes their text, embeddings, passages and measures. Documents in judgments or runs become stubs, so judgments,
    rankings and scores do not change; loading the file again restores their text. The command prints what depends on the documents
    and prompts for confirmation.

    :param docnos_file: Read document names from FILE, one per line; '-' is standard input.
    """
    docnos = [*names, *(read_docnos(docnos_file) if docnos_file is not None else ())]
    planned = call.once(docnos=docnos, files=files, dry_run=True)
    stubs = call.given.get("stubs", False)
    click.echo("\n".join(preview(planned, "stubs" if stubs else "documents")))
    if dry_run or not (planned.files or planned.removed or (planned.kept and not stubs)):
        return
    if not yes:
        click.confirm("Remove them?", abort=True)
    removed = call.once(docnos=docnos, files=files)
    click.echo(f"removed {counted(removed.removed, 'document')}; {counted(removed.kept, 'became a stub', 'became stubs')}")
    if removed.stale:
        click.echo("The text index is out of date: stc index")

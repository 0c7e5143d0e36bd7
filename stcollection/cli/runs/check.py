"""The command ``stc runs check``."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import click

from stcollection.cli.options.files import FILE
from stcollection.cli.options.formats import FormatName
from stcollection.cli.output import printable
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadInput
from stcollection.runs.check import check_file
from stcollection.runs.faults import brief


@click.command("check")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--format", "layout", type=FormatName("runs"), help="The format of the files.  [default: recognised]")
@click.option("--in-collection", is_flag=True, help="Queries, documents and passages must be in the collection too.")
@click.option("--task", type=click.IntRange(0, 9), help="The number of the task that a run_id must have.")
@click.option("--depth", type=click.IntRange(min=1), help="Documents a query: more are a fault, fewer a note.")
@click.option("--all", "every", is_flag=True, help="Every fault.  [default: five of a kind]")
@click.pass_obj
def command(
    settings: Settings,
    files: tuple[Path, ...],
    layout: str | None,
    in_collection: bool,
    task: int | None,
    depth: int | None,
    every: bool,
) -> None:
    """Check FILES as the track and trec_eval would, and more; tell the faults by their lines. Nothing is stored.

    The official SimpleText check (columns, run_id, manual), JSON as the standard has it, scores, duplicates, topics, passages;
    for a TREC file columns, scores and duplicates, with notes on ties and on ranks that contradict scores; the metadata at its
    head or beside it. In the collection: queries, their topics, documents; notes on queries without a document, and on passages
    that are not from theirs. Exit code 3 if there is a fault; notes are none.
    """
    bad = 0
    for file in files:
        with connect(settings) if in_collection else nullcontext() as conn:
            checked = check_file(file, layout=layout, conn=conn, task=task, depth=depth)
        for fault in checked.faults if every else brief(checked.faults):
            where = f"{file}:{fault.line}" if fault.line else str(file)
            click.echo(printable(f"{where}: {'note: ' if fault.note else ''}{fault.what}"))
        for fault in checked.beside:
            click.echo(printable(f"{checked.metadata}:{fault.line}: {fault.what}"))
        faults = f"{checked.bad:,}" if checked.bad else "no"
        click.echo(printable(f"{file}: {checked.rows:,} documents ranked ({checked.layout or 'no run'}), {faults} faults"))
        bad += checked.bad
    if bad:
        raise BadInput(
            f"{bad:,} faults in {len(files)} files" if len(files) > 1 else f"{bad:,} faults in {files[0]}",
            hint="Each is told above by its line.",
        )

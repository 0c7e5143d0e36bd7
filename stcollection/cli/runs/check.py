"""The command ``stc runs check``."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import click

from stcollection.cli.options.files import FILE
from stcollection.cli.options.formats import FormatName, run_columns_option
from stcollection.cli.output import printable
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadInput
from stcollection.runs.check import check_file
from stcollection.runs.faults import as_line, brief, summary


@click.command("check")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--format", "layout", type=FormatName("runs"), help="Format of the files.  [default: recognised]")
@run_columns_option
@click.option("--in-collection", is_flag=True, help="Also require that queries, documents and passages are in the collection.")
@click.option("--task", type=click.IntRange(0, 9), help="Task number that every run_id must have.")
@click.option("--depth", type=click.IntRange(min=1), help="Number of documents per query: more are an error, fewer a note.")
@click.option("--all", "every", is_flag=True, help="Print every error.  [default: five of each kind]")
@click.pass_obj
def command(
    settings: Settings,
    files: tuple[Path, ...],
    layout: str | None,
    columns: str | None,
    in_collection: bool,
    task: int | None,
    depth: int | None,
    every: bool,
) -> None:
    """Check run files by the rules of the track and of trec_eval, and print errors by line. Nothing is stored.

    SimpleText files: the official check (columns, run_id, manual), standard JSON, scores, duplicates, topics and passages. TREC
    files: columns, scores and duplicates, with notes on ties and on ranks that contradict scores. Both: the metadata in the file
    or next to it. With --in-collection: queries, topics and documents, with notes on queries without documents and on passages from
    other documents. The exit code is 3 if there is an error; notes do not count.
    """
    bad = 0
    for file in files:
        with connect(settings) if in_collection else nullcontext() as conn:
            checked = check_file(file, layout=layout, columns=columns, conn=conn, task=task, depth=depth)
        for fault in checked.faults if every else brief(checked.faults):
            click.echo(printable(as_line(fault, str(file))))
        if checked.hint:
            click.echo(printable(f"    {checked.hint}"))
        for fault in checked.beside:
            click.echo(printable(f"{checked.metadata}:{fault.line}: {fault.what}"))
        click.echo(printable(summary(checked, str(file))))
        bad += checked.bad
    if bad:
        raise BadInput(
            f"{counted(bad, 'fault')} in {counted(len(files), 'file')}"
            if len(files) > 1
            else f"{counted(bad, 'fault')} in {files[0]}",
            hint="Each is printed above with its line.",
        )

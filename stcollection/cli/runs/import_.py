"""The command ``stc load --as runs``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import click

from stcollection.cli.declared import Call
from stcollection.cli.declared import command as declared_command
from stcollection.cli.options.files import FILE
from stcollection.cli.options.formats import FormatName
from stcollection.cli.output import ProgressBar, unknown
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.evaluation.score import judge_each
from stcollection.runs.load import ImportedRun, import_runs

_FORMAT = click.option("--format", "layout", type=FormatName("runs"), help="Format of the files.  [default: recognised]")


@declared_command(import_runs, omit=("paths",))
def command(
    call: Call[Iterator[ImportedRun]],
    *,
    files: Annotated[Sequence[Path], click.argument("files", nargs=-1, required=True, type=FILE)],
    layout: Annotated[str | None, _FORMAT],
) -> None:
    """Import run files: TREC's six columns, SimpleText's JSON, or its tab-separated format of 2022; plain or compressed.

    Each file is stored completely or not at all. Ranks follow trec_eval's rule: by score in single precision, then by docno, both
    descending; the ranks in the file are stored as well. A file that is already stored under its name is skipped.

    Metadata (ir_metadata) is read from mine.yml next to mine.run, or from comments in the header of a TREC file. If the
    tab-separated format has several passages of a document, they are joined, one per line.
    """
    call.given["layout"] = layout
    with connect(call.settings) as conn, ProgressBar("import", unit="B", scale=True) as bar:
        for done in judge_each(conn, call(conn, paths=[Path(file) for file in files], warn=_warn, progress=bar)):
            if done.already:
                click.echo(f"{done.path}: imported already as {done.run}, nothing changed")
                continue
            counts = done.counts
            ranked = f"{counted(counts.ranked, 'document')} ranked for {counted(counts.queries, 'query')}"
            dropped = [f"{counted(counts.duplicates, 'duplicate')} dropped"] if counts.duplicates else []
            if counts.excluded:
                dropped.append(f"{counted(counts.excluded, 'document')} left out for their queries")
            click.echo("; ".join([f"{done.path}: run {done.run}, {ranked}", *dropped, *unknown(counts)]))


def _warn(told: str) -> None:
    click.echo(f"stc: {told}", err=True)

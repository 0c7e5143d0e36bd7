"""The command ``stc answers export``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.files import export_option
from stcollection.cli.output import output, printable
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers.runs import export_run


@click.command("export")
@click.argument("run")
@export_option
@click.pass_obj
def command(settings: Settings, run: str, out: Path | None) -> None:
    """Export RUN as a submission: one line per query, query<TAB>id,id; nothing after the tab if it returns no document."""
    with connect(settings) as conn, output(out) as file:
        done = export_run(conn, run, file)
    told = f"{counted(done.queries, 'query')}, {done.answered:,} of them answered, {counted(done.documents, 'document')}"
    click.echo(f"{printable(str(out)) if out else 'standard output'}: {told}", err=out is None)

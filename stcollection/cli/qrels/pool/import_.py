"""The command ``stc qrels pool import``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.files import FILE
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.sheets import BadSheet, import_sheet


@click.command("import")
@click.argument("name")
@click.argument("file", type=FILE)
@click.option("--annotator", required=True, help="Name of the annotator of the sheet.")
@click.pass_obj
def command(settings: Settings, name: str, file: Path, annotator: str) -> None:
    """Import the grades of a sheet FILE of the pool NAME, all or none. A blank grade means not yet judged.

    Grades are drafts until 'stc qrels pool submit'. A sheet can be imported again with more or different grades.
    """
    with connect(settings) as conn:
        try:
            done = import_sheet(conn, name, file, annotator=annotator)
        except BadSheet as error:
            for fault in error.faults[1:]:
                click.echo(f"{file}:{fault.line}: {fault.what}", err=True)
            raise
    told = [f"{file}: {counted(done.graded, 'new grade')} by {annotator}"]
    told += [f"{done.regraded:,} changed"] if done.regraded else []
    told += [f"{done.unchanged:,} unchanged"] if done.unchanged else []
    click.echo("; ".join([*told, f"{done.blank:,} not judged yet"]))

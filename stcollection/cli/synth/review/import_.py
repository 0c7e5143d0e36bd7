"""The command ``stc synth review import``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.files import FILE
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.sheets import BadSheet
from stcollection.studies.synth.review import import_review


@click.command("import")
@click.argument("file", type=FILE)
@click.option("--reviewer", required=True, metavar="NAME", help="Name of the reviewer; it is stored with each query.")
@click.pass_obj
def command(settings: Settings, file: Path, reviewer: str) -> None:
    """Import the decisions of a sheet FILE, all or none. A line without a decision is left for later.

    A sheet can be imported again with more or different decisions until the queries are published.
    """
    with connect(settings) as conn:
        try:
            done = import_review(conn, file, reviewer=reviewer)
        except BadSheet as error:
            for fault in error.faults[1:]:
                click.echo(f"{file}:{fault.line}: {fault.what}", err=True)
            raise
    told = [f"{file}: {counted(done.decided, 'decision')} by {reviewer}"]
    told += [f"{count:,} {what}" for count, what in ((done.changed, "changed"), (done.unchanged, "unchanged")) if count]
    click.echo("; ".join([*told, f"{done.blank:,} not reviewed yet"]))

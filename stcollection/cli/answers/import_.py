"""The command ``stc answers import``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.answers import split_option
from stcollection.cli.output import printable
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers.runs import import_run


@click.command("import")
@click.argument("set_", metavar="SET")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@split_option
@click.option("--name", "run", required=True, help="Name of the new run.")
@click.option("--replace", is_flag=True, help="Replace a stored run with this name; otherwise that is an error.")
@click.pass_obj
def command(settings: Settings, /, set_: str, file: Path, split: str, run: str, replace: bool) -> None:
    """Store the submission FILE for a split of SET as a run, to score it with the others. If a line is wrong, nothing is stored."""
    with connect(settings) as conn:
        done = import_run(conn, file, set=set_, split=split, run=run, replace=replace)
    told = f"{counted(done.queries, 'query')}, {done.answered:,} of them answered, {counted(done.documents, 'document')}"
    click.echo(f"run {printable(done.run)}: {told}")
    if done.unnamed:
        aside(
            f"{counted(done.unnamed, 'query of the split is', 'queries of the split are')} not in the file, which"
            " counts as unanswered"
        )

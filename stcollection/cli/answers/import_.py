"""The command ``stc answers import``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.answers import split_option
from stcollection.cli.output import printable
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers.runs import import_run


@click.command("import")
@click.argument("set_", metavar="SET")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@split_option
@click.option("--run", required=True, help="The name of the run it makes.")
@click.option("--replace", is_flag=True, help="Put it in the place of a run of its name, which is an error otherwise.")
@click.pass_obj
def command(settings: Settings, /, set_: str, file: Path, split: str, run: str, replace: bool) -> None:
    """Store a submission FILE over a split of SET as a run, to score it beside others; all or nothing."""
    with connect(settings) as conn:
        done = import_run(conn, file, set=set_, split=split, run=run, replace=replace)
    told = f"{done.queries:,} queries, {done.answered:,} of them answered, {done.documents:,} documents"
    click.echo(f"run {printable(done.run)}: {told}")
    if done.unnamed:
        aside(f"{done.unnamed:,} queries of the split are not in the file: they count as abstained")

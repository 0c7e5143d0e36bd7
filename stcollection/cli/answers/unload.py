"""The command ``stc answers unload``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.files import OutputPath
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers.unload import unload


@click.command("unload")
@click.argument("name", metavar="SET")
@click.argument("folder", type=OutputPath(folder=True))
@click.option("--replace", is_flag=True, help="Overwrite existing files.")
@click.pass_obj
def command(settings: Settings, name: str, folder: Path, replace: bool) -> None:
    """Write SET to FOLDER as files. Loading them again gives the same tables."""
    with connect(settings, autocommit=True) as conn:
        for path, lines in unload(conn, name, folder, replace=replace):
            click.echo(f"{path}: {counted(lines, 'line')}")

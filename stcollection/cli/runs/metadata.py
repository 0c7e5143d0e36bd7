"""The command ``stc runs metadata``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.completion import complete_runs
from stcollection.cli.options.files import FILE
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.runs.made import metadata_of, store
from stcollection.runs.metadata import dump, read


@click.command("metadata")
@click.argument("name", shell_complete=complete_runs)
@click.option("--set", "file", type=FILE, help="Store this YAML file as the run's metadata.")
@click.pass_obj
def command(settings: Settings, name: str, file: Path | None) -> None:
    """Print the metadata of the run NAME in YAML (ir_metadata). Without stored metadata, print what the collection knows of it."""
    with connect(settings) as conn:
        if file is not None:
            store(conn, name, read(file))
        told = dump(metadata_of(conn, name))
    click.echo(told, nl=False)

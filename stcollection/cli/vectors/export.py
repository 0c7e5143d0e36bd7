"""The command ``stc vectors export``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.files import OutputPath
from stcollection.cli.output import ProgressBar
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.vectors.export import export
from stcollection.vectors.store import DOCUMENT_FIELDS

_SHORT = click.option("--model", metavar="SHORT", help="Name of the model in the collection.  [default: the collection's first]")


@click.command("export")
@click.argument("out", metavar="VECTORS", type=OutputPath())
@click.argument("ids_file", metavar="[IDS.npy]", required=False, type=OutputPath())
@click.option("--field", type=click.Choice(DOCUMENT_FIELDS), required=True, help="Field of the vectors.")
@_SHORT
@click.pass_obj
def command(settings: Settings, out: Path, ids_file: Path | None, field: str, model: str | None) -> None:
    """Export stored vectors without loss: an .npy of float32[n, dim] and IDS.npy, or a .parquet of id, docno and vector."""
    with connect(settings) as conn, ProgressBar("export", unit="vectors") as bar:
        done = export(conn, out=out, ids=ids_file, field=field, model=model, progress=bar)
    click.echo(f"wrote {done.vectors:,} {field} vectors of {done.model}, of {counted(done.dim, 'dimension')}")

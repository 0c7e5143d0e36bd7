"""The command ``stc vectors convert``."""

from __future__ import annotations

import click

from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.vectors.convert import convert


@click.command("convert")
@click.option("--model", metavar="SHORT", help="Name of the model in the collection.  [default: the collection's first]")
@click.option("--half/--full", default=None, help="Precision of the stored vectors; half takes half the space. Required.")
@click.pass_obj
def command(settings: Settings, model: str | None, half: bool | None) -> None:
    """Store a model's vectors in half or full precision, and rebuild its indexes. Readers wait while its tables are rewritten.

    New models use half precision in a corpus of more than a million documents, and above 2,000 dimensions.
    """
    if half is None:
        raise click.UsageError("choose --half or --full")
    with connect(settings) as conn:
        done = convert(conn, model=model, half=half)
    precision = "half" if half else "full"
    click.echo(f"the vectors of {done.model} are {'now' if done.converted else 'already'} stored in {precision} precision")
    for one in done.indexes:
        if one.built:
            click.echo(f"{one.field}: indexed in {one.seconds:.1f} s: {counted(one.rows, 'vector')}, {one.kind}")

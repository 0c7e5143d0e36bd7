"""The command ``stc answers relate``."""

from __future__ import annotations

import click

from stcollection.cli.options.answers import device_option, required_split_option
from stcollection.cli.output import ProgressBar
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("relate")
@click.argument("set_", metavar="SET")
@required_split_option
@click.option("--model", required=True, help="Model of agreement to apply.")
@click.option("--source", default="given", show_default=True, help="Source of the answers: given, or the name of an extraction.")
@device_option
@click.pass_obj
def command(settings: Settings, set_: str, split: str, model: str, source: str, device: str | None) -> None:
    """Predict and store the relations of all pairs of answers to each query of SET. Run it again to add missing ones."""
    from stcollection.studies.answers.agreement.relate import relate

    with connect(settings) as conn, ProgressBar("pairs", unit="pairs", scale=True) as progress:
        done = relate(conn, model, set=set_, split=split, source=source, device=device, progress=progress)
    click.echo(
        f"{model}: {counted(done.added, 'relation')} of {counted(done.queries, 'query')} added, {done.stored:,} already stored"
    )

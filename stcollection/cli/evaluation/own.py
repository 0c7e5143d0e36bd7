"""Commands on measures that organisers add: ``stc load --as measures`` and ``stc drop measure``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.files import FILE
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.own import add_measures, drop_measure


@click.command("measures")
@click.argument("file", type=FILE)
@click.pass_obj
def load_command(settings: Settings, file: Path) -> None:
    """Add the measures in FILE to the collection: TOML with a table [[measures]] for each, which has ir (the name) and value.

    They are used like the others: Hits@10. All are added or none; those of the same name are replaced. Only organisers and owners
    may add measures.
    """
    with connect(settings) as conn:
        names = add_measures(conn, file)
    click.echo(f"{file}: {counted(len(names), 'measure')} added: {', '.join(names)}")


@click.command("measure")
@click.argument("measure")
@click.pass_obj
def drop_command(settings: Settings, measure: str) -> None:
    """Remove the measure MEASURE that an organiser added. Imported scores with its name stay."""
    with connect(settings) as conn:
        scores = drop_measure(conn, measure)
    click.echo(f"{measure}: removed")
    if scores:
        aside(f"{counted(scores, 'imported score')} of {measure} stay")

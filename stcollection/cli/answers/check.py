"""The command ``stc answers check``."""

from __future__ import annotations

import click

from stcollection.cli.options.answers import required_split_option
from stcollection.cli.output import format_option, render
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("check")
@click.argument("model")
@click.argument("set_", metavar="SET")
@required_split_option
@click.option(
    "--by",
    type=click.Choice(("all", "template", "type", "language")),
    default="all",
    show_default=True,
    help="Evaluate all pairs together, or per kind of question, kind of pair, or language.",
)
@click.option("--confusion", is_flag=True, help="Print confusion matrices (rows: label, columns: prediction) instead of measures.")
@format_option
@click.pass_obj
def command(settings: Settings, model: str, set_: str, split: str, by: str, confusion: bool, style: str) -> None:
    """Compare the predictions of MODEL with the labels of SET: precision, recall, F1, AUC, calibration, the three relations."""
    from stcollection.studies.answers.agreement.check import PairMeasures, check
    from stcollection.studies.answers.agreement.model import RELATIONS

    with connect(settings) as conn:
        found = check(conn, model, set=set_, split=split, by=by)
    if confusion:
        rows = [
            (one.unit, truth, *line)
            for one in found.rows
            if one.confusion is not None
            for truth, line in zip(RELATIONS, one.confusion.tolist(), strict=True)
        ]
        click.echo(render(rows, ["unit", "truth", *RELATIONS], style=style))
    else:
        click.echo(render([(one.unit, *one.measures) for one in found.rows], ["unit", *PairMeasures._fields], style=style))
    for note in found.notes:
        aside(f"note: {note}")

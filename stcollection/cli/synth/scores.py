"""The command ``stc synth scores``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, one_line, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.synth import study as studies


@click.command("scores")
@click.argument("study")
@click.option("--state", type=click.Choice(("scored", "malformed", "failed", "unasked")), help="Only documents in this state.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Largest number of documents to print.")
@click.option("--whole", is_flag=True, help="Print answers in full, not only their beginnings.")
@format_option
@click.pass_obj
def command(settings: Settings, study: str, state: str | None, limit: int, whole: bool, style: str) -> None:
    """List the sampled documents of STUDY with their scores and answers, in the order of the sample."""
    with connect(settings) as conn:
        rows = studies.scores(conn, study, state=state, limit=limit)
    if style not in ("json", "csv"):
        rows = [one._replace(answer=one_line(one.answer, whole), error=one_line(one.error, whole)) for one in rows]
    click.echo(render(rows, studies.Scored._fields, style=style))

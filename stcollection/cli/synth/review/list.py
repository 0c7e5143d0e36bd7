"""The command ``stc synth review list``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, one_line, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.synth.subtopics import STATES, Subtopic, subtopic_list

_SHOWN = ("topic", "origin", "state", "query", "text", "nearest_query", "nearest", "words", "cosine", "reviewer")


@click.command("list")
@click.option("--state", type=click.Choice(STATES), help="Only queries in this state.")
@click.option("--topic", metavar="TOPIC", help="Only queries of this topic.")
@click.option("--whole", is_flag=True, help="Print texts in full, not only their beginnings.")
@format_option
@click.pass_obj
def command(settings: Settings, state: str | None, topic: str | None, whole: bool, style: str) -> None:
    """List the queries generated from articles, with the nearest other query and the state of their review.

    JSON and CSV also have the generated text, model, prompt, note and answer.
    """
    with connect(settings) as conn:
        found = subtopic_list(conn, state=state, topic=topic)
    if style in ("json", "csv"):
        click.echo(render(found, Subtopic._fields, style=style))
        return
    rows = [
        [one_line(value, whole) if isinstance(value, str) else value for value in (getattr(one, name) for name in _SHOWN)]
        for one in found
    ]
    click.echo(render(rows, _SHOWN, style=style))

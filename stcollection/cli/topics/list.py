"""The command ``stc topics list``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.topics.articles import topic_overview, topic_sources


@click.command("list")
@click.option("--by-source", is_flag=True, help="Count topics, short and long queries by source instead, with an example.")
@format_option
@click.pass_obj
def command(settings: Settings, by_source: bool, style: str) -> None:
    """List the topics, with title, source, date and number of words of their articles, number of queries, and first query."""
    with connect(settings) as conn:
        if by_source:
            counts = [(one.source, one.type, one.topics, one.queries, one.example) for one in topic_sources(conn)]
            click.echo(render(counts, ["source", "type", "topics", "queries", "example"], style=style))
            return
        found = topic_overview(conn)
    rows = [
        (one.topic, one.title, one.source, one.published and one.published.isoformat(), one.words, one.queries, one.example)
        for one in found
    ]
    click.echo(render(rows, ["topic", "title", "source", "published", "words", "queries", "example"], style=style))

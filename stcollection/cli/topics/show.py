"""The command ``stc topics show``."""

from __future__ import annotations

import json
import shutil
import textwrap
from dataclasses import asdict

import click

from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.sheets import plain
from stcollection.topics.articles import topic_article

_WIDTH = 100


@click.command("show")
@click.argument("topic")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def command(settings: Settings, topic: str, as_json: bool) -> None:
    """Show the article of a TOPIC and its queries."""
    with connect(settings) as conn:
        found = topic_article(conn, topic)
    if as_json:
        click.echo(json.dumps(asdict(found), ensure_ascii=False, indent=2))
        return
    width = min(_WIDTH, shutil.get_terminal_size((_WIDTH, 24)).columns)
    click.secho(" · ".join(filter(None, (plain(found.topic), plain(found.title)))), bold=True)
    if found.origin:
        click.secho(plain(found.origin), dim=True)
    for paragraph in (found.article or "(no article)").split("\n\n"):
        click.echo(f"\n{textwrap.fill(plain(paragraph), width)}")
    if found.queries:
        click.echo(f"\n{counted(len(found.queries), 'query')}")
    for query, text in found.queries:
        click.echo(f"  {plain(query)}  {plain(text)}")

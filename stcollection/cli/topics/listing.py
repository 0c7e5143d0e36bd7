"""Commands that list topics, their files and sets of queries, and store sets."""

from __future__ import annotations

import json
import shutil
import textwrap
from dataclasses import asdict
from typing import Annotated

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.options.completion import complete_sets
from stcollection.cli.output import one_line, render
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import columns_of
from stcollection.qrels.sheets import plain
from stcollection.topics.articles import TopicArticle, TopicOverview, topic_article, topic_overview, topic_sources
from stcollection.topics.removal import TopicFile, topic_files
from stcollection.topics.sets import QuerySet, StoredSet, drop_set, query_sets, store_set

_WIDTH = 100


@command(topic_overview)
def list_command(call: Call[list[TopicOverview]], *, by_source: bool = False, style: Style = "table") -> None:
    """List the topics, with title, source, date and number of words of their articles, number of queries, and first query.

    :param by_source: Count topics, short and long queries by source instead, with an example.
    """
    with connect(call.settings) as conn:
        if by_source:
            counts = [(row.source, row.type, row.topics, row.queries, row.example) for row in topic_sources(conn)]
            click.echo(render(counts, ["source", "type", "topics", "queries", "example"], style=style))
            return
        topics = call(conn)
    rows = [
        (row.topic, row.title, row.source, row.published and row.published.isoformat(), row.words, row.queries, row.example)
        for row in topics
    ]
    click.echo(render(rows, [*columns_of(TopicOverview)], style=style))


@command(topic_article)
def show_command(call: Call[TopicArticle], *, style: Style = "table") -> None:
    """Show the article of a TOPIC and its queries. CSV, Markdown and LaTeX have the queries only."""
    topic = call.once()
    if style != "table":
        as_json = json.dumps(asdict(topic), ensure_ascii=False, indent=2)
        click.echo(as_json if style == "json" else render(topic.queries, ["query", "text"], style=style))
        return
    width = min(_WIDTH, shutil.get_terminal_size((_WIDTH, 24)).columns)
    click.secho(" · ".join(filter(None, (plain(topic.topic), plain(topic.title)))), bold=True)
    if topic.origin:
        click.secho(plain(topic.origin), dim=True)
    for paragraph in (topic.article or "(no article)").split("\n\n"):
        click.echo(f"\n{textwrap.fill(plain(paragraph), width)}")
    if topic.queries:
        click.echo(f"\n{counted(len(topic.queries), 'query')}")
    for query, text in topic.queries:
        click.echo(f"  {plain(query)}  {plain(text)}")


@command(topic_files)
def files_command(call: Call[list[TopicFile]], *, style: Style = "table") -> None:
    """List the loaded files of topics."""
    files = call.once()
    cut = 64 if style in ("json", "csv") else 12
    rows = [
        (file.path, file.format, file.queries, file.topics, file.sha256 and file.sha256[:cut], f"{file.loaded:%F %R}")
        for file in files
    ]
    click.echo(render(rows, ["path", "format", "queries", "topics", "sha256", "loaded"], style=style))


@command(query_sets)
def sets_command(call: Call[list[QuerySet]], *, style: Style = "table") -> None:
    """List the stored sets of queries, with their numbers of queries."""
    sets = call.once()
    whole = style in ("json", "csv")
    rows = [(row.name, one_line(row.expression, whole=whole), row.queries, row.description, f"{row.added:%F %R}") for row in sets]
    click.echo(render(rows, QuerySet._fields, style=style))


@command(store_set)
def set_command(call: Call[StoredSet]) -> None:
    """Store a set of queries under NAME, for --queries NAME. A stored set with this name is replaced.

    SET combines query ids, stored sets, all, origin:t5, type:long, topic:G* and @FILE (one id per line): a+b or a,b adds, a-b
    removes. Put a name with other characters into double quotes. Types are long, keyword, phrase, question, question-word and
    yes-no.

    The expression is evaluated when the set is used: type:long includes queries that are loaded later. A file is read once, now.
    """
    stored = call.once()
    click.echo(f"{call.given['name']}: {counted(stored.queries, 'query')}{', replaced' if stored.replaced else ''}")


@command(drop_set)
def unset_command(call: Call[None], *, name: Annotated[str, click.argument("name", shell_complete=complete_sets)]) -> None:
    """Remove the stored set of queries NAME. Its queries stay."""
    call.once(name=name)
    click.echo(f"{name}: removed")

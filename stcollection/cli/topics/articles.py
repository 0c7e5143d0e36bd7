"""The command ``stc topics articles``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.topics.articles import LoadedArticles, load_articles


@click.command("articles")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--encoding",
    metavar="NAME",
    help="Encoding of text and HTML files, such as latin-1.  [default: utf-8; HTML files may declare another]",
)
@click.option("--add", is_flag=True, help="Add topics that are not stored; otherwise they are an error.")
@click.option("--replace", is_flag=True, help="Replace stored articles that differ; otherwise that is an error.")
@click.pass_obj
def command(settings: Settings, paths: tuple[Path, ...], encoding: str | None, add: bool, replace: bool) -> None:
    """Load the press articles of topics, all or none: text, Markdown or HTML files, folders of them, or JSON lines.

    A text, Markdown or HTML file is named after its topic: G01.txt, topicG02.md, G03.html. The fields of JSON lines
    are topic_id, article, title, url, source and date. Loading the same files again changes nothing.
    """
    with connect(settings) as conn:
        done = load_articles(conn, paths, encoding=encoding, add=add, replace=replace)
    click.echo(_counts(done))
    if done.ignored:
        more = f" and {len(done.ignored) - 3:,} more" if len(done.ignored) > 3 else ""
        aside(f"ignored, because they are not text, Markdown or HTML: {', '.join(done.ignored[:3])}{more}")


def _counts(done: LoadedArticles) -> str:
    counts = [(done.added, "added"), (done.changed, "changed"), (done.unchanged, "unchanged")]
    return ", ".join([counted(done.articles, "article"), *(f"{count:,} {what}" for count, what in counts if count)])

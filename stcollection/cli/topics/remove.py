"""The command ``stc topics remove``."""

from __future__ import annotations

import click

from stcollection.cli.options.removal import confirm_options, file_option, preview
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.topics.removal import remove_queries


@click.command("remove")
@click.argument("queries", metavar="[QUERY]...", nargs=-1)
@click.option("--topic", "topics", metavar="TOPIC", multiple=True, help="Remove this topic with its queries. Repeatable.")
@file_option("stc topics files")
@click.option("--stubs", is_flag=True, help="Remove stubs that no run and no judgment refers to.")
@confirm_options
@click.pass_obj
def command(
    settings: Settings,
    queries: tuple[str, ...],
    topics: tuple[str, ...],
    files: tuple[str, ...],
    stubs: bool,
    yes: bool,
    dry_run: bool,
) -> None:
    """Remove queries: those of a loaded file or a topic, those with the names QUERY, or stubs.

    Queries in judgments or runs become stubs, so judgments, rankings and scores do not change; loading the file again restores
    their text. The command prints what depends on the queries and prompts for confirmation.
    """
    with connect(settings) as conn:
        found = remove_queries(conn, queries, topics=topics, files=files, stubs=stubs, dry_run=True)
    click.echo("\n".join(preview(found, "stubs" if stubs else "queries")))
    if dry_run or not (found.files or topics or found.removed or (found.kept and not stubs)):
        return
    if not yes:
        click.confirm("Remove them?", abort=True)
    with connect(settings) as conn:
        done = remove_queries(conn, queries, topics=topics, files=files, stubs=stubs)
    topics_too = f" and {counted(done.topics, 'topic')}" if done.topics else ""
    click.echo(f"removed {counted(done.removed, 'query')}{topics_too}; {counted(done.kept, 'became a stub', 'became stubs')}")

"""The command ``stc runs list``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.runs.listing import RunOverview
from stcollection.runs.listing import runs as stored_runs
from stcollection.runs.unfinished import UnfinishedRun, unfinished_runs


@click.command("list")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """List the stored runs with their sizes and settings. JSON and CSV add the source file.

    Unfinished runs are listed on stderr. Participants see only their own.
    """
    with connect(settings) as conn:
        stored = stored_runs(conn)
        unfinished = unfinished_runs(conn)
    for one in unfinished:
        aside(_unfinished(one))
    if style in ("json", "csv"):
        click.echo(render(stored, list(RunOverview._fields), style=style))
        return
    rows = [
        (
            one.run,
            one.team,
            one.tag,
            "manual" if one.manual else "automatic",
            one.family,
            one.queries,
            one.ranked,
            one.depth,
            f"{one.made:%F %R}",
        )
        for one in stored
    ]
    click.echo(render(rows, ["run", "team", "tag", "made by", "family", "queries", "ranked", "depth", "made"], style=style))


def _unfinished(one: UnfinishedRun) -> str:
    return (
        f"unfinished: {one.run} by {one.maker}, {one.system} to depth {one.depth:,}:"
        f" {one.done:,} of {counted(one.queries, 'query')},"
        f" last {one.searched:%F %R}; the same 'stc retrieval run' continues, 'stc runs drop {one.run}' removes it"
    )

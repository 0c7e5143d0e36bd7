"""The command ``stc runs drop``."""

from __future__ import annotations

import click

from stcollection.cli.options.completion import complete_runs
from stcollection.cli.options.removal import confirm_options, file_option
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.runs.removal import RemovedRun, remove_runs


@click.command("drop")
@click.argument("names", nargs=-1, shell_complete=complete_runs)
@file_option("stc runs list")
@confirm_options
@click.pass_obj
def command(settings: Settings, names: tuple[str, ...], files: tuple[str, ...], yes: bool, dry_run: bool) -> None:
    """Remove the runs NAME, finished or not, or those imported from files, with their rankings and scores.

    The command prints what the runs contain and prompts for confirmation. Participants can remove runs of their team.
    """
    with connect(settings) as conn:
        found = remove_runs(conn, names, files=files, dry_run=True)
    for one in found:
        click.echo(_preview(one))
    if dry_run:
        return
    if not yes:
        click.confirm(f"Remove {', '.join(one.run for one in found)}?", abort=True)
    with connect(settings) as conn:
        remove_runs(conn, [one.run for one in found])
    click.echo(f"removed {', '.join(one.run for one in found)}")
    if any(one.stubs for one in found):
        click.echo("Documents that only these runs named stay as stubs. To remove them: stc corpus remove --stubs")


def _preview(one: RemovedRun) -> str:
    team = f" of team {one.team}" if one.team else ""
    scores = f", {counted(one.scores, 'imported score')}" if one.scores else ""
    parts = []
    if one.ranked:
        parts.append(f"run {one.run}{team}: {counted(one.ranked, 'document')} ranked for {counted(one.queries, 'query')}{scores}")
    if one.unfinished or not one.ranked:
        parts.append(f"unfinished run {one.run}: {counted(one.unfinished, 'query')} searched")
    return "\n".join(parts)

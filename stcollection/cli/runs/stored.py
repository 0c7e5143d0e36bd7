"""Commands on stored runs: ``stc drop runs``, ``families``, ``list`` and ``metadata``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.options.completion import complete_runs
from stcollection.cli.options.files import FILE
from stcollection.cli.options.removal import confirm_options, file_option
from stcollection.cli.output import printable, render
from stcollection.cli.quiet import aside
from stcollection.counts import counted, first_of
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.imported import read_families
from stcollection.runs.families import set_families
from stcollection.runs.listing import RunOverview, runs
from stcollection.runs.made import metadata_of
from stcollection.runs.made import store as store_metadata
from stcollection.runs.metadata import dump, read
from stcollection.runs.removal import RemovedRun, remove_runs
from stcollection.runs.unfinished import UnfinishedRun, unfinished_runs

_NAMED = 10  # number of runs that a message lists


@click.command("drop")
@click.argument("names", nargs=-1, shell_complete=complete_runs)
@file_option("stc show runs")
@confirm_options
@click.pass_obj
def drop_command(settings: Settings, names: tuple[str, ...], files: tuple[str, ...], yes: bool, dry_run: bool) -> None:
    """Remove the runs NAME, finished or not, or those imported from files, with their rankings and scores.

    The command prints what the runs contain and prompts for confirmation. Participants can remove runs of their team.
    """
    with connect(settings) as conn:
        removed = remove_runs(conn, names, files=files, dry_run=True)
    for run in removed:
        click.echo(_removal(run))
    if dry_run:
        return
    if not yes:
        click.confirm(f"Remove {', '.join(run.run for run in removed)}?", abort=True)
    with connect(settings) as conn:
        remove_runs(conn, [run.run for run in removed])
    click.echo(f"removed {', '.join(run.run for run in removed)}")
    if any(run.stubs for run in removed):
        click.echo("Documents that only these runs named stay as stubs. To remove them: stc drop documents --stubs")


def _removal(run: RemovedRun) -> str:
    team = f" of team {run.team}" if run.team else ""
    scores = f", {counted(run.scores, 'imported score')}" if run.scores else ""
    parts = []
    if run.ranked:
        parts.append(f"run {run.run}{team}: {counted(run.ranked, 'document')} ranked for {counted(run.queries, 'query')}{scores}")
    if run.unfinished or not run.ranked:
        parts.append(f"unfinished run {run.run}: {counted(run.unfinished, 'query')} searched")
    return "\n".join(parts)


@click.command("families")
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_obj
def families_command(settings: Settings, file: Path) -> None:
    """Set the family of stored runs from FILE with the columns run and family, separated by tab or comma.

    Further columns are ignored. The first row is a header, unless it names a stored run. Unknown runs are reported and skipped.
    'stc show runs' shows families, 'stc analysis bias' compares them.
    """
    with connect(settings) as conn:
        counts = set_families(conn, read_families(file, systems={run.run for run in runs(conn)}))
    click.echo(f"family of {counted(counts.added, 'run')} set, of {counts.changed:,} changed, of {counts.unchanged:,} unchanged")
    for names, what in ((counts.unknown, "not stored, skipped"), (counts.without, "without a family")):
        if names:
            aside(printable(f"{len(names):,} {what}: {first_of(names, _NAMED)}"))


@command(runs)
def list_command(call: Call[list[RunOverview]], *, style: Style = "table") -> None:
    """List the stored runs with their sizes and settings. JSON and CSV add the source file.

    Unfinished runs are listed on stderr. Participants see only their own.
    """
    with connect(call.settings) as conn:
        stored = call(conn)
        unfinished = unfinished_runs(conn)
    for run in unfinished:
        aside(_unfinished(run))
    if style in ("json", "csv"):
        click.echo(render(stored, list(RunOverview._fields), style=style))
        return
    rows = [
        (
            run.run,
            run.team,
            run.tag,
            "manual" if run.manual else "automatic",
            run.family,
            run.queries,
            run.ranked,
            run.depth,
            f"{run.made:%F %R}",
        )
        for run in stored
    ]
    click.echo(render(rows, ["run", "team", "tag", "made by", "family", "queries", "ranked", "depth", "made"], style=style))


def _unfinished(run: UnfinishedRun) -> str:
    return (
        f"unfinished: {run.run} by {run.maker}, {run.system} to depth {run.depth:,}:"
        f" {run.done:,} of {counted(run.queries, 'query')},"
        f" last {run.searched:%F %R}; the same 'stc run' continues, 'stc drop runs {run.run}' removes it"
    )


@click.command("metadata")
@click.argument("name", shell_complete=complete_runs)
@click.option("--set", "file", type=FILE, help="Store this YAML file as the run's metadata.")
@click.pass_obj
def metadata_command(settings: Settings, name: str, file: Path | None) -> None:
    """Print the metadata of the run NAME in YAML (ir_metadata). Without stored metadata, print what the collection knows of it."""
    with connect(settings) as conn:
        if file is not None:
            store_metadata(conn, name, read(file))
        text = dump(metadata_of(conn, name))
    click.echo(text, nl=False)

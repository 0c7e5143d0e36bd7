"""The command ``stc qrels files``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.options.editions import any_edition_argument
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadInput
from stcollection.qrels.sources import EDITION, EditionFile, sources, state


@click.command("files")
@any_edition_argument
@click.option(
    "--check",
    "check_",
    is_flag=True,
    help="Check that the source files are unchanged. The exit code is 3 if a file is missing or changed.",
)
@format_option
@click.pass_obj
def command(settings: Settings, edition: str | None, check_: bool, style: str) -> None:
    """List the source files of the judgments in EDITION (default: all editions), with SHA-256 and counts at import.

    For a derived edition, the sources are other editions: edition:NAME.
    """
    with connect(settings) as conn:
        found = sources(conn, edition)
    headers = ["edition", "source", "judgments", "added", "sha256", "imported"]
    cut = 64 if style in ("json", "csv") else 12
    rows = [
        (one.edition, one.path, one.judgments, one.added, one.sha256 and one.sha256[:cut], f"{one.imported:%F %R}") for one in found
    ]
    if not check_:
        click.echo(render(rows, headers, style=style))
        return
    states = [state(one) for one in found]
    click.echo(render([(*row, now) for row, now in zip(rows, states, strict=True)], [*headers, "today"], style=style))
    if bad := [_told(one, now) for one, now in zip(found, states, strict=True) if now in ("changed", "gone")]:
        raise BadInput("; ".join(bad), hint="Import the file into another edition; 'stc qrels diff' then shows what changed.")


def _told(source: EditionFile, now: str) -> str:
    name = source.path.removeprefix(EDITION) if source.path.startswith(EDITION) else Path(source.path).name
    return f"{name} of {source.edition!r} is {now}"

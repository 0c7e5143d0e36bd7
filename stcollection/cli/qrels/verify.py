"""The command ``stc qrels verify``."""

from __future__ import annotations

import click

from stcollection.cli.options.editions import any_edition_argument
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadInput
from stcollection.qrels.editions import verify


@click.command("verify")
@any_edition_argument
@format_option
@click.pass_obj
def command(settings: Settings, edition: str | None, style: str) -> None:
    """Check that sealed editions (or EDITION) have not changed since they were sealed. The exit code is 3 if one has changed.

    The SHA-256 is that of the present contents, for open editions too, and equals that of 'stc qrels export'.
    """
    with connect(settings) as conn:
        found = verify(conn, edition)
    words = {True: "sealed, intact", False: "sealed, CHANGED", None: "open"}
    rows = [(one.edition, words[one.intact], one.sealed and f"{one.sealed:%F %R}", one.judgments, one.computed) for one in found]
    click.echo(render(rows, ["edition", "state", "sealed", "judgments", "sha256"], style=style))
    if broken := [one.edition for one in found if one.intact is False]:
        raise BadInput(
            f"changed since sealing: {', '.join(broken)}",
            hint="Names of queries or documents were changed, or triggers were disabled. Compare with a published file: stc "
            "qrels diff.",
        )

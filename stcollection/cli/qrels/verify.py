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
    """Whether the sealed editions, or EDITION, still say what they said when they were sealed. Exit code 3 if one does not.

    The SHA-256 is of what it says now, for open editions too: that of 'stc qrels export'.
    """
    with connect(settings) as conn:
        found = verify(conn, edition)
    words = {True: "sealed, intact", False: "sealed, CHANGED", None: "open"}
    rows = [(one.edition, words[one.intact], one.sealed and f"{one.sealed:%F %R}", one.judgments, one.computed) for one in found]
    click.echo(render(rows, ["edition", "state", "sealed", "judgments", "sha256"], style=style))
    if broken := [one.edition for one in found if one.intact is False]:
        raise BadInput(
            f"{', '.join(broken)}: not what was sealed",
            hint="Names of queries or documents were changed, or the triggers were off. A published file tells: stc qrels diff.",
        )

"""The command ``stc runs receipts``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, printable, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.runs.receive import receipts as stored_receipts
from stcollection.runs.receive import total


@click.command("receipts")
@click.option("--team", help="Only receipts of this team.")
@format_option
@click.pass_obj
def command(settings: Settings, team: str | None, style: str) -> None:
    """List the receipts of 'stc runs receive', oldest first. JSON has all reasons."""
    with connect(settings) as conn:
        stored = stored_receipts(conn, team=team)
    if style == "json":
        click.echo(render(stored, list(stored[0]._fields) if stored else [], style=style))
        return
    rows = []
    for one in stored:
        faults = [reason for reason in one.reasons if not reason["note"]]
        first = (
            f"line {faults[0]['line']}: {faults[0]['what']}"
            if faults and faults[0]["line"]
            else faults[0]["what"]
            if faults
            else ""
        )
        more = f" (and {total([str(reason['what']) for reason in faults]) - 1:,} more)" if len(faults) > 1 else ""
        outcome = "accepted" if one.accepted else "rejected"
        rows.append((f"{one.received:%F %R}", printable(one.file), one.team, one.run, outcome, printable(f"{first}{more}")))
    click.echo(render(rows, ["received", "file", "team", "run", "outcome", "reason"], style=style))

"""The command ``stc qrels pool list``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels import pools as stored


@click.command("list")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """List the pools and the progress of their assessment."""
    with connect(settings) as conn:
        found = stored.pools(conn)
    if style == "json":
        click.echo(render(found, list(stored.PoolOverview._fields), style="json"))
        return
    rows = [
        (
            one.pool,
            one.method,
            len(one.params["runs"]),
            one.queries,
            one.documents,
            one.judged,
            ", ".join(one.annotators) + (" (simulated)" if one.simulated else ""),
            one.grades,
            one.submitted,
            one.made.date(),
        )
        for one in found
    ]
    names = ["pool", "method", "runs", "queries", "documents", "judged", "annotators", "grades", "submitted", "made"]
    click.echo(render(rows, names, style=style))

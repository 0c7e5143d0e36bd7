"""The command ``stc synth publish``."""

from __future__ import annotations

import click

from stcollection.cli.options.editions import needed_edition_option
from stcollection.cli.output import format_option, render
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.synth.publish import publish


@click.command("publish")
@click.argument("study")
@needed_edition_option("Name of the new edition; it judges the passage of each query with rel 1.")
@click.option("--prefix", default="S", show_default=True, help="Prefix of the names of the queries: S0001, S0002, …")
@format_option
@click.pass_obj
def command(settings: Settings, /, study: str, edition: str, prefix: str, style: str) -> None:
    """Publish the selected candidates of STUDY as queries, with an edition of their sparse judgments. Repeating it changes
    nothing.
    """
    with connect(settings) as conn:
        done = publish(conn, study, edition=edition, prefix=prefix)
    rows = [(one.origin, one.queries, one.added, one.first, one.last) for one in done]
    click.echo(render(rows, ["origin", "queries", "new", "first", "last"], style=style))
    click.echo(f"\n{edition}: {counted(done[0].judgments, 'new judgment')}", err=style in ("json", "csv"))

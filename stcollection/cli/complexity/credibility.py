"""The command ``stc complexity credibility``."""

from __future__ import annotations

import click

from stcollection.cli.quiet import aside
from stcollection.complexity.credibility import rank
from stcollection.db.connection import connect, vacuum
from stcollection.db.settings import Settings


@click.command("credibility")
@click.option(
    "--least", metavar="N", type=int, default=30, show_default=True, help="Documents a field needs in a year to be compared within."
)
@click.option("--as-of", metavar="YEAR", type=int, help="The year that ages are counted to.  [default: the newest in the corpus]")
@click.pass_obj
def command(settings: Settings, least: int, as_of: int | None) -> None:
    """Rank all documents by their citations, within their year and their fields of study.

    What it finds is in the view credibility, and serves filters: --credibility citation_percentile=90.. Run it again after a load.
    """
    with connect(settings) as conn:
        done = rank(conn, least=least, as_of=as_of)
        conn.commit()
        vacuum(conn, "stc.citation_ranks")
    click.echo(
        f"ranked {done.ranked:,} of {done.documents:,} documents as of {done.as_of}: {done.in_fields:,} within their year and"
        f" fields, {done.ranked - done.in_fields:,} within their year alone"
    )
    click.echo(
        f"{done.with_citations:,} documents say how often they are cited, {done.cited:,} at least once;"
        f" {done.with_references:,} list references"
    )
    if not done.cited:
        aside("     no document says that it is cited, so each has the percentile 50: nothing to tell them apart by")
    elif not done.in_fields:
        aside(f"     no field of study has {least:,} documents in a year: --least says how many it needs")

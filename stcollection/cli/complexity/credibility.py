"""The command ``stc complexity credibility``."""

from __future__ import annotations

import click

from stcollection.cli.quiet import aside
from stcollection.complexity.credibility import rank_citations
from stcollection.counts import counted
from stcollection.db.connection import connect, vacuum
from stcollection.db.settings import Settings


@click.command("credibility")
@click.option(
    "--min-documents",
    "least",
    metavar="N",
    type=int,
    help="Smallest number of documents per field and year for a comparison within the field.  [default: that of the last "
    "ranking, or 30 before the first]",
)
@click.option("--as-of", metavar="YEAR", type=int, help="Year to count ages from.  [default: the newest in the corpus]")
@click.pass_obj
def command(settings: Settings, least: int | None, as_of: int | None) -> None:
    """Rank all documents by citations within their year and fields of study.

    The view credibility has the results, and filters use them: --credibility citation_percentile=90.. Run the command again after
    loading documents.
    """
    with connect(settings) as conn:
        done = rank_citations(conn, least=least, as_of=as_of)
        conn.commit()
        vacuum(conn, "stc.citation_ranks")
    click.echo(
        f"ranked {done.ranked:,} of {counted(done.documents, 'document')} as of {done.as_of}: {done.in_fields:,} within year and "
        f"fields of at least {counted(done.at_least or 0, 'document')}, {done.ranked - done.in_fields:,} within year only"
    )
    click.echo(
        f"{counted(done.with_citations, 'document has', 'documents have')} a number of citations, {done.cited:,} at least one; "
        f"{counted(done.with_references, 'lists references', 'list references')}"
    )
    if not done.cited:
        aside("no document has any citations, so each has the percentile 50 and they cannot be compared")
    elif not done.in_fields:
        smallest = counted(done.at_least or 0, "document")
        aside(f"no field of study has {smallest} in a year; lower --min-documents to rank within fields")

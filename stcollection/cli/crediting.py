"""``stc complexity credibility``, ``citations`` and ``status``: documents ranked by citations, citations checked, what is there."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.complexity.credibility import check, rank
from stcollection.complexity.credibility import status as numbers
from stcollection.db.connection import connect, vacuum
from stcollection.db.settings import Settings


@click.command("credibility")
@click.option(
    "--least", metavar="N", type=int, default=30, show_default=True, help="Documents a field needs in a year to be compared within."
)
@click.option("--as-of", metavar="YEAR", type=int, help="The year that ages are counted to.  [default: the newest in the corpus]")
@click.pass_obj
def credibility(settings: Settings, least: int, as_of: int | None) -> None:
    """Rank all documents by their citations, within their year and their fields of study.

    What it finds is in the view credibility, and serves filters: --credibility citation_percentile=90.. Run it again after a load.
    """
    with connect(settings) as conn:
        done = rank(conn, least=least, as_of=as_of)
        conn.commit()
        vacuum(conn, "citation_ranks")
    click.echo(
        f"ranked {done.ranked:,} of {done.documents:,} documents as of {done.as_of}: {done.in_fields:,} within their year and"
        f" fields, {done.ranked - done.in_fields:,} within their year alone"
    )
    click.echo(
        f"{done.with_citations:,} documents say how often they are cited, {done.cited:,} at least once;"
        f" {done.with_references:,} list references"
    )
    if not done.cited:
        click.echo("     no document says that it is cited, so each has the percentile 50: nothing to tell them apart by", err=True)
    elif not done.in_fields:
        click.echo(f"     no field of study has {least:,} documents in a year: --least says how many it needs", err=True)


@click.command("citations")
@click.option("--worst", metavar="N", type=int, default=10, show_default=True, help="How many contradicted documents to name.")
@format_option
@click.pass_obj
def citations(settings: Settings, worst: int, style: str) -> None:
    """Count citations again from the references of the corpus itself, and compare them with n_citation.

    A document that the corpus alone cites more often than its record says is contradicted. The view citation_counts has both
    numbers of every document.
    """
    with connect(settings) as conn:
        found = check(conn, worst=worst)
    if style in ("json", "csv"):
        told = found._asdict()
        if style == "csv":
            told.pop("worst_documents")
        click.echo(render([list(told.values())], list(told), style=style))
        return
    rows = [
        ("documents", found.documents), ("that list references", found.with_references), ("that list themselves", found.itself),
        ("references", found.listed), ("listed twice", found.repeated), ("into the corpus", found.inside),
        ("documents with n_citation", found.compared), ("sum of n_citation", found.n_citation), ("sum counted", found.counted),
        ("contradicted documents", found.contradicted),
    ]  # fmt: skip
    click.echo(render(rows, ["what", "count"], style=style))
    share = "–" if found.share is None else f"{100 * found.share:.2f} %"
    rho = "–" if found.spearman is None else f"{found.spearman:.4f}"
    click.echo(f"\ncounted more often than n_citation says: {share} of the documents; Spearman's rho of both: {rho}")
    if found.worst_documents:
        headers = ["docno", "n_citation", "counted", "title"]
        worst_rows = [
            [str(one[name] or "")[:80] if name == "title" else one[name] for name in headers] for one in found.worst_documents
        ]
        click.echo("\n" + render(worst_rows, headers, style=style))
    if not found.listed:
        click.echo("     no document lists a reference: there is nothing to count", err=True)


@click.command("status")
@format_option
@click.pass_obj
def status(settings: Settings, style: str) -> None:
    """What is there of readability, credibility and annotations, what lacks, and what is stale."""
    with connect(settings) as conn:
        click.echo(render(numbers(conn), ["part", "what", "count", "note"], style=style))

"""The command ``stc complexity citations``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.cli.quiet import aside
from stcollection.complexity.credibility import check
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("citations")
@click.option(
    "--limit", "worst", metavar="N", type=int, default=10, show_default=True, help="Number of contradicted documents to list."
)
@format_option
@click.pass_obj
def command(settings: Settings, worst: int, style: str) -> None:
    """Count citations from the reference lists in the corpus, and compare them with n_citation.

    A document is contradicted if documents of the corpus cite it more often than its n_citation. The view citation_counts has both
    numbers for every document.
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
    click.echo(f"\ncounted more often than n_citation: {share} of the documents; Spearman's rho of both: {rho}")
    if found.worst_documents:
        headers = ["docno", "n_citation", "counted", "title"]
        worst_rows = [
            [str(one[name] or "")[:80] if name == "title" else one[name] for name in headers] for one in found.worst_documents
        ]
        click.echo("\n" + render(worst_rows, headers, style=style))
    if not found.listed:
        aside("no document lists a reference: there is nothing to count")

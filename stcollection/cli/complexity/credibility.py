"""Commands on citations: ``stc show citations``, ``credibility`` and ``status``."""

from __future__ import annotations

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.complexity.credibility import CitationCheck, CredibilityOverview, check, rank_citations, status
from stcollection.counts import counted
from stcollection.db.connection import connect, vacuum


@command(check)
def citations_command(call: Call[CitationCheck], *, style: Style = "table") -> None:
    """Count citations from the reference lists in the corpus, and compare them with n_citation.

    A document is contradicted if documents of the corpus cite it more often than its n_citation. The view citation_counts has both
    numbers for every document.
    """
    counts = call.once()
    if style in ("json", "csv"):
        fields = counts._asdict()
        if style == "csv":
            fields.pop("worst_documents")
        click.echo(render([list(fields.values())], list(fields), style=style))
        return
    rows = [
        ("documents", counts.documents), ("that list references", counts.with_references), ("that list themselves", counts.itself),
        ("references", counts.listed), ("listed twice", counts.repeated), ("into the corpus", counts.inside),
        ("documents with n_citation", counts.compared), ("sum of n_citation", counts.n_citation), ("sum counted", counts.counted),
        ("contradicted documents", counts.contradicted),
    ]  # fmt: skip
    click.echo(render(rows, ["what", "count"], style=style))
    share = "–" if counts.share is None else f"{100 * counts.share:.2f} %"
    rho = "–" if counts.spearman is None else f"{counts.spearman:.4f}"
    click.echo(f"\ncounted more often than n_citation: {share} of the documents; Spearman's rho of both: {rho}")
    if counts.worst_documents:
        headers = ["docno", "n_citation", "counted", "title"]
        worst_rows = [
            [str(document[name] or "")[:80] if name == "title" else document[name] for name in headers]
            for document in counts.worst_documents
        ]
        click.echo("\n" + render(worst_rows, headers, style=style))
    if not counts.listed:
        aside("no document lists a reference: there is nothing to count")


@command(rank_citations)
def credibility_command(call: Call[CredibilityOverview]) -> None:
    """Rank all documents by citations within their year and fields of study.

    The view credibility has the results, and filters use them: --filter citation_percentile=90.. Run the command again after
    loading documents.
    """
    with connect(call.settings) as conn:
        ranks = call(conn)
        conn.commit()
        vacuum(conn, "stc.citation_ranks")
    click.echo(
        f"ranked {ranks.ranked:,} of {counted(ranks.documents, 'document')} as of {ranks.as_of}: {ranks.in_fields:,} within year "
        f"and fields of at least {counted(ranks.at_least or 0, 'document')}, {ranks.ranked - ranks.in_fields:,} within year only"
    )
    click.echo(
        f"{counted(ranks.with_citations, 'document has', 'documents have')} a number of citations, {ranks.cited:,} at least one; "
        f"{counted(ranks.with_references, 'lists references', 'list references')}"
    )
    if not ranks.cited:
        aside("no document has any citations, so each has the percentile 50 and they cannot be compared")
    elif not ranks.in_fields:
        smallest = counted(ranks.at_least or 0, "document")
        aside(f"no field of study has {smallest} in a year; lower --min-documents to rank within fields")


@command(status)
def status_command(call: Call[list[tuple[str, str, int, str | None]]], *, style: Style = "table") -> None:
    """Report which measures and annotations exist, which are missing, and which are out of date."""
    click.echo(render(call.once(), ["part", "what", "count", "note"], style=style))

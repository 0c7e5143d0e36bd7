"""Commands on the review of judged documents."""

from __future__ import annotations

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render
from stcollection.qrels.reviews import Review, review, reviews


@command(review)
def review_command(call: Call[bool]) -> None:
    """Mark a judged document of the pool NAME as open, in review or settled. Grades do not change.

    'stc show pool-reviews NAME' lists the marks. The page filters disagreements by them.
    """
    stored = call.once()
    given = call.given
    click.echo(f"{given['query']} {given['docno']}: {given['state']}{'' if stored else ' already'}")


@command(reviews)
def list_command(call: Call[list[Review]], *, style: Style = "table") -> None:
    """List the review status of documents of the pool NAME over time. The last mark of a document counts."""
    rows = call.once()
    names = ["query", "doc", "status", "reviewer", "note", "marked", "current"]
    if style == "table":
        shown = [(*row[:4], row.note or "", f"{row.marked:%Y-%m-%d %H:%M}", "yes" if row.current else "") for row in rows]
        click.echo(render(shown, names, style=style))
    else:
        click.echo(render(rows, list(Review._fields), style=style))

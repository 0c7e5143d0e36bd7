"""The commands ``stc export review``, ``import``, ``list``, ``publish`` and ``check``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.errors import print_faults
from stcollection.cli.output import one_line, output, render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import Option
from stcollection.studies.synth.review import (
    CheckedSubtopic,
    PublishedSubtopic,
    Reviewed,
    check_reviewed,
    export_review,
    import_review,
    publish_reviewed,
)
from stcollection.studies.synth.subtopics import Subtopic, subtopic_list

_SHOWN = ("topic", "origin", "state", "query", "text", "nearest_query", "nearest", "words", "cosine", "reviewer")


@command(export_review)
def export_command(call: Call[int], *, out: Annotated[Path, Option(metavar="FILE", help="Write to this file.")]) -> None:
    """Export the queries that wait for a review as a sheet, with the article of each topic and the nearest other query.

    Fill in right_article and duplicate with yes or no; a query is accepted if they are yes and no. Column reworded may have
    another text. 'stc load --as review' reads the sheet.
    """
    with connect(call.settings) as conn:
        with output(out) as file:
            count = call(conn, out=file)
        near_duplicates = 0 if call.given.get("near") else len(subtopic_list(conn, state="set aside"))
    click.echo(f"{out}: {counted(count, 'query')}")
    if near_duplicates:
        aside(f"near-duplicates set aside: {near_duplicates:,}; --near includes them")


@command(import_review)
def import_command(call: Call[Reviewed]) -> None:
    """Import the decisions of a sheet FILE, all or none. A line without a decision is left for later.

    A sheet can be imported again with more or different decisions until the queries are published.
    """
    file, reviewer = call.given["path"], call.given["reviewer"]
    with connect(call.settings) as conn, print_faults(file):
        review = call(conn)
    counts = [f"{file}: {counted(review.decided, 'decision')} by {reviewer}"]
    counts += [f"{count:,} {what}" for what, count in (("changed", review.changed), ("unchanged", review.unchanged)) if count]
    click.echo("; ".join([*counts, f"{review.blank:,} not reviewed yet"]))


@command(subtopic_list)
def list_command(
    call: Call[list[Subtopic]],
    *,
    whole: Annotated[bool, Option(help="Print texts in full, not only their beginnings.")] = False,
    style: Style = "table",
) -> None:
    """List the queries generated from articles, with the nearest other query and the state of their review.

    JSON and CSV also have the generated text, model, prompt, note and answer.
    """
    subtopics = call.once()
    if style in ("json", "csv"):
        click.echo(render(subtopics, Subtopic._fields, style=style))
        return
    rows = [[getattr(subtopic, name) for name in _SHOWN] for subtopic in subtopics]
    shown = [[one_line(cell, whole) if isinstance(cell, str) else cell for cell in row] for row in rows]
    click.echo(render(shown, _SHOWN, style=style))


@command(publish_reviewed)
def publish_command(call: Call[list[PublishedSubtopic]], *, style: Style = "table") -> None:
    """Publish the accepted queries, named after their topics: G01.C1, G01.C2, … Repeating it adds no query."""
    queries = call.once()
    if queries or style in ("json", "csv"):
        click.echo(render(queries, PublishedSubtopic._fields, style=style))
    else:
        click.echo("no new query: all accepted queries are published")


@command(check_reviewed)
def check_command(call: Call[Sequence[CheckedSubtopic]], *, style: Style = "table") -> None:
    """Check that each query published from an article reaches enough relevant documents in EDITION.

    'stc synth cut EDITION' excludes the queries with too few.
    """
    checked = call.once()
    click.echo(render(checked, CheckedSubtopic._fields, style=style))
    counts = [(state, sum(query.state == state for query in checked)) for state in ("enough", "too few", "not judged")]
    summary = ", ".join(f"{count:,} {state}" for state, count in counts if count)
    click.echo(f"\n{summary or 'no query was published from an article'}", err=style in ("json", "csv"))

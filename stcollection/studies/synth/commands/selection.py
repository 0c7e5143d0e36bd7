"""The commands ``stc synth select``, ``match``, ``publish`` and ``cut``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.options.editions import needed_edition_option
from stcollection.cli.options.queries import set_option
from stcollection.cli.output import render
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import Option
from stcollection.errors import BadArgument
from stcollection.studies.synth.choose import Match, Taken, match, select
from stcollection.studies.synth.cut import Share, clear_cut, cut, keep_queries, parse_marks, parse_most
from stcollection.studies.synth.publish import Published, publish
from stcollection.topics.sets import ALL

_DISTANCES = ("of", "target", "before", "after", "TV before", "TV after", "W1 before", "W1 after")


@command(select)
def select_command(
    call: Call[tuple[Match, list[Taken]]],
    *,
    queries: Annotated[str, set_option("Match only the judged queries of a set")] = ALL,
    style: Style = "table",
) -> None:
    """Select generated queries of STUDY that resemble judged ones.

    Matches the joint distribution of query length and number of query words found in the passage (without stopping or stemming) to
    that of the relevant judgments of an edition. Equal seeds make equal selections. A new selection
    replaces the previous one, unless that is published.
    """
    _print_match(*call.once(queries=queries), style)


@command(match)
def match_command(call: Call[Match], *, style: Style = "table") -> None:
    """Report how well the selected queries of STUDY match their target, as measured when they were selected.

    target, before, after: means, in words, of the target's pairs, of all candidates, and of the selected ones. TV: total variation
    distance from the target, 0 to 1. W1: Wasserstein-1 distance from the target, in words.
    """
    _print_match(call.once(), [], style)


@command(publish)
def publish_command(
    call: Call[list[Published]],
    *,
    edition: Annotated[str, needed_edition_option("Name of the new edition; it judges the passage of each query with rel 1.")],
    style: Style = "table",
) -> None:
    """Publish the selected candidates of STUDY as queries, with an edition of their sparse judgments. Repeating it changes
    nothing.
    """
    origins = call.once(edition=edition)
    rows = [(row.origin, row.queries, row.added, row.first, row.last) for row in origins]
    click.echo(render(rows, ["origin", "queries", "new", "first", "last"], style=style))
    click.echo(f"\n{edition}: {counted(origins[0].judgments, 'new judgment')}", err=style in ("json", "csv"))


@command(cut)
def cut_command(
    call: Call[list[Share]],
    *,
    unreasonable: Annotated[Sequence[str], Option(metavar="FILE|QUERY")] = (),
    most: Annotated[str | None, Option("--max-relevant", metavar="N|SHARE", default="no limit")] = None,
    into: Annotated[str | None, Option(metavar="NAME")] = None,
    undo: Annotated[bool, Option("--clear")] = False,
    style: Style = "table",
) -> None:
    """Exclude queries of an EDITION: those marked as unreasonable, and those with too few or too many relevant documents.

    Judgments stay; --into copies those of the remaining queries. The command prints how many queries of each origin remain. Marks
    stay until --clear; the limits are checked again each time.

    :param unreasonable: Query that the assessors marked, or a file with one query per line and an optional note after a tab.
        Repeatable.
    :param most: Largest number of relevant documents per query: 60, or a share of the judged ones, 0.6 or 60%.
    :param into: Name of a new edition without the removed queries. :param undo: Undo the cut, including marks.
    """
    edition, (number, share) = call.given["edition"], parse_most(most)
    if undo and (unreasonable or into):
        raise BadArgument("--clear with a new cut", hint="Run --clear first, then cut.")
    with connect(call.settings) as conn:
        if undo:
            click.echo(f"{edition}: {counted(clear_cut(conn, edition), 'query is', 'queries are')} no longer cut")
            return
        marks = parse_marks(unreasonable)
        with conn.transaction():
            rows = call(conn, unreasonable=marks, most=number, most_share=share)
            kept = None if into is None else keep_queries(conn, into, source=edition)
    click.echo(render(rows, Share._fields, style=style))
    if kept is not None:
        size = f"{counted(kept.judgments, 'judgment')} of {counted(kept.queries, 'query')}"
        click.echo(f"\n{into}: {size}", err=style in ("json", "csv"))


def _print_match(selected: Match, taken: list[Taken], style: str) -> None:
    """Print the distances of the selected queries from their target, and notes."""
    rows = [[None if isinstance(cell, float) and math.isnan(cell) else cell for cell in row] for row in selected.distances()]
    click.echo(render(rows, _DISTANCES, style=style))
    for line in _notes(selected, taken):
        click.echo(line, err=style in ("json", "csv"))


def _notes(selected: Match, taken: list[Taken]) -> list[str]:
    chosen = selected.after.pairs
    lines = [
        f"\n{chosen:,} of {counted(selected.before.pairs, 'query')} of {selected.origin},"
        f" like {counted(selected.target.pairs, 'judgment')} of {selected.like} (grade {selected.level} or more), seed"
        f" {selected.seed}; {selected.exact:,} match exactly, the others differ by {counted(selected.moved, 'word')} in all"
    ]
    if chosen < selected.requested:
        lines.append(f"{selected.requested:,} requested: no more passages have a query of {selected.origin}")
    if selected.without_text:
        judgments = counted(selected.without_text, "relevant judgment is", "relevant judgments are")
        lines.append(f"{judgments} not part of the target: their query or document has no text")
    for origin in taken:
        if origin.origin != selected.origin:
            lacking = f"; {origin.missing:,} of the passages have none" if origin.missing else ""
            lines.append(f"{counted(origin.chosen, 'query')} of {origin.origin} of the same passages{lacking}")
    return lines

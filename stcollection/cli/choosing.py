"""``stc analysis synth select``, ``match``, ``publish`` and ``cut``: from generated queries to those of a test collection."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from stcollection.cli.output import format_option, render
from stcollection.cli.plotting import draw, file_options
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.studies.synth import match_figure
from stcollection.studies.synth.choose import Match, Taken, match, select
from stcollection.studies.synth.cut import clear, cut, keep, names_of
from stcollection.studies.synth.publish import publish

_DISTANCES = ["of", "target", "before", "after", "TV before", "TV after", "W1 before", "W1 after"]
_SHARES = ["origin", "queries", "unreasonable", "few", "many", "kept", "share"]
_level = click.option(
    "--level", type=click.IntRange(1, 32767), default=1, show_default=True, help="The lowest grade that is relevant."
)


@click.command("select")
@click.argument("study")
@click.option("--like", required=True, metavar="EDITION", help="Whose relevant judgments the queries are to be like.")
@click.option(
    "--n", type=click.IntRange(1, 1_000_000), default=250, show_default=True, help="Queries, each of a passage of its own."
)
@click.option("--origin", default="t5", show_default=True, help="Whose queries are matched.")
@click.option(
    "--also",
    multiple=True,
    metavar="ORIGIN",
    help="Another origin: its query of each chosen passage is chosen too. Repeat it for more.  [as gpt-4]",
)
@_level
@click.option("--seed", type=click.IntRange(-(2**63), 2**63 - 1), help="Of ties between passages.  [default: the study's]")
@format_option
@click.pass_obj
def select_(settings: Settings, /, study: str, style: str, **options: Any) -> None:
    """Choose of a STUDY's generated queries those that are like judged ones.

    The joint distribution of query length and number of query words found in the passage, without stopping or stemming, follows
    that of the relevant judgments of an edition. The same seed makes the same choice. Another select replaces it, until it is
    published.
    """
    with connect(settings) as conn:
        found, taken = select(conn, study, **options)
    click.echo(_told(found, style))
    for line in _notes(found, taken):
        click.echo(line, err=style in ("json", "csv"))


@click.command("match")
@click.argument("study")
@format_option
@click.pass_obj
def match_(settings: Settings, /, study: str, style: str) -> None:
    """How like the target the chosen queries of a STUDY are, as it was when they were chosen.

    target, before, after: means, in words, of the target's pairs, of all candidates and of the chosen ones. TV: total variation
    distance from the target, 0 to 1. W1: Wasserstein-1 distance from it, in words.
    """
    with connect(settings) as conn:
        found = match(conn, study)
    click.echo(_told(found, style))
    for line in _notes(found, []):
        click.echo(line, err=style in ("json", "csv"))


def _told(found: Match, style: str) -> str:
    rows = [tuple(_number(value) for value in row) for row in found.distances()]
    return render(rows, _DISTANCES, style=style)


def _number(value: str | float | None) -> str | float | None:
    """None for the mean of nothing, which JSON could not say."""
    return None if isinstance(value, float) and math.isnan(value) else value


def _notes(found: Match, taken: list[Taken]) -> list[str]:
    chosen = found.after.pairs
    told = [
        f"\n{chosen:,} of {found.before.pairs:,} queries of {found.origin}, like {found.target.pairs:,} judgments of {found.like}"
        f" (grade {found.level} or more), seed {found.seed};"
        f" {found.exact:,} as allotted, the others {found.moved:,} words away in all"
    ]
    if chosen < found.asked:
        told.append(f"asked for {found.asked:,}: no more passages have a query of {found.origin}")
    if found.without_text:
        told.append(f"{found.without_text:,} relevant judgments are no part of the target: their query or document has no text")
    for one in taken:
        if one.origin != found.origin:
            lacking = f"; {one.missing:,} of the passages have none" if one.missing else ""
            told.append(f"{one.chosen:,} queries of {one.origin} of the same passages{lacking}")
    return told


@click.command("match")
@click.argument("study")
@file_options
@click.pass_obj
def match_plot(settings: Settings, /, out: Path, study: str, **options: Any) -> None:
    """How the chosen queries of a STUDY match the target: length, words found, and both together; before and after."""
    draw(settings, out, match_figure.matched, study, **options)


@click.command("publish")
@click.argument("study")
@click.option("--edition", required=True, help="The new edition: the passage each query was made from, rel 1.")
@click.option("--prefix", default="S", show_default=True, help="Of the queries' names: S0001, S0002, …")
@format_option
@click.pass_obj
def publish_(settings: Settings, /, study: str, style: str, **options: Any) -> None:
    """Make queries of the chosen candidates of a STUDY, and an edition of their sparse judgments. A second time changes nothing."""
    with connect(settings) as conn:
        done = publish(conn, study, **options)
    rows = [(one.origin, one.queries, one.added, one.first, one.last) for one in done]
    click.echo(render(rows, ["origin", "queries", "new", "first", "last"], style=style))
    click.echo(f"\n{options['edition']}: {done[0].judgments:,} new judgments", err=style in ("json", "csv"))


def _most(_: click.Context, __: click.Parameter, text: str | None) -> tuple[int | None, float | None]:
    """A whole number is one of documents, another one, or per cent, a share."""
    if text is None:
        return None, None
    try:
        if text.isascii() and text.isdigit():
            return int(text), None
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = math.nan
    if not 0 <= share <= 1:
        hint = "60 documents, or a share of the judged ones: 0.6 or 60%."
        raise BadArgument(f"{text!r} relevant documents at most", hint=hint, sqlstate="IR202")
    return None, share


@click.command("cut")
@click.argument("edition")
@click.option(
    "--unreasonable",
    multiple=True,
    metavar="FILE|QUERY",
    help="A query the assessors marked; or a file of such, one a line, a note behind a tab. Repeat it for more.",
)
@click.option(
    "--least", type=click.IntRange(0, 2**31 - 1), default=5, show_default=True, help="Relevant documents a query must have."
)
@click.option(
    "--most",
    callback=_most,
    metavar="N|SHARE",
    help="Relevant documents it may have: 60, or of the judged ones 0.6 or 60%.  [default: any]",
)
@_level
@click.option("--into", metavar="NAME", help="Make an edition without the queries that are cut.")
@click.option("--clear", "undo", is_flag=True, help="Take the cut back, marks too.")
@format_option
@click.pass_obj
def cut_(
    settings: Settings, /, edition: str, unreasonable: tuple[str, ...], least: int, most: tuple[int | None, float | None],
    level: int, into: str | None, undo: bool, style: str,
) -> None:  # fmt: skip
    """Leave out queries of an EDITION as its assessors would: the unreasonable, those with too few or too many relevant documents.

    The judgments stay; --into copies those of the other queries. Of each origin it is told how many queries stay. Marks stay until
    --clear; few and many are found anew each time.
    """
    if undo and (unreasonable or into):
        raise BadArgument("--clear beside a new cut", hint="Clear first, then cut.", sqlstate="IR202")
    with connect(settings) as conn:
        if undo:
            cut_before = clear(conn, edition)
            click.echo(f"{edition}: {cut_before:,} {'query is' if cut_before == 1 else 'queries are'} cut no more")
            return
        marks = names_of(unreasonable)
        with conn.transaction():
            rows = cut(conn, edition, unreasonable=marks, fewest=least, most=most[0], most_share=most[1], level=level)
            kept = None if into is None else keep(conn, into, source=edition)
    click.echo(render(rows, _SHARES, style=style))
    if kept is not None:
        click.echo(f"\n{into}: {kept.judgments:,} judgments of {kept.queries:,} queries", err=style in ("json", "csv"))

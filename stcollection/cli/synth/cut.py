"""The command ``stc synth cut``."""

from __future__ import annotations

import math
from dataclasses import dataclass

import click

from stcollection.cli.options import packed
from stcollection.cli.options.editions import changed_edition_argument
from stcollection.cli.options.synth import level_option
from stcollection.cli.output import format_option, render
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.studies.synth.cut import KeptQueries, clear_cut, cut, keep_queries, parse_marks

_SHARES = ["origin", "queries", "unreasonable", "few", "many", "kept", "share"]


def _most(_: click.Context, __: click.Parameter, text: str | None) -> tuple[int | None, float | None]:
    """Return a number of documents for a whole number, else a share (0.6 or 60%)."""
    if text is None:
        return None, None
    try:
        if text.isascii() and text.isdigit():
            return int(text), None
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = math.nan
    if not 0 <= share <= 1:
        hint = "Give a number of documents such as 60, or a share of the judged ones: 0.6 or 60%."
        raise BadArgument(f"{text!r} is not a number or share of documents", hint=hint, sqlstate="IR202")
    return None, share


@dataclass(frozen=True, kw_only=True)
class _Bounds:
    """Limits of the relevant documents per query.

    :param most: a number of documents, or a share of the judged ones.
    """

    least: int
    most: tuple[int | None, float | None]
    level: int


@click.command("cut")
@changed_edition_argument
@click.option(
    "--unreasonable",
    multiple=True,
    metavar="FILE|QUERY",
    help="Query that the assessors marked, or a file with one query per line and an optional note after a tab. Repeatable.",
)
@click.option(
    "--min-relevant",
    "least",
    type=click.IntRange(0, 2**31 - 1),
    default=5,
    show_default=True,
    help="Smallest number of relevant documents per query.",
)
@click.option(
    "--max-relevant",
    "most",
    callback=_most,
    metavar="N|SHARE",
    help="Largest number of relevant documents per query: 60, or a share of the judged ones, 0.6 or 60%.  [default: no limit]",
)
@level_option
@click.option("--into", metavar="NAME", help="Name of a new edition without the removed queries.")
@click.option("--clear", "undo", is_flag=True, help="Undo the cut, including marks.")
@format_option
@packed(_Bounds, "bounds")
@click.pass_obj
def command(
    settings: Settings,
    /,
    edition: str,
    unreasonable: tuple[str, ...],
    bounds: _Bounds,
    into: str | None,
    undo: bool,
    style: str,
) -> None:
    """Exclude queries of an EDITION: those marked as unreasonable, and those with too few or too many relevant documents.

    Judgments stay; --into copies those of the remaining queries. The command prints how many queries of each origin remain. Marks
    stay until --clear; the limits are checked again each time.
    """
    if undo and (unreasonable or into):
        raise BadArgument("--clear with a new cut", hint="Run --clear first, then cut.", sqlstate="IR202")
    with connect(settings) as conn:
        if undo:
            cut_before = clear_cut(conn, edition)
            click.echo(f"{edition}: {counted(cut_before, 'query is', 'queries are')} no longer cut")
            return
        marks = parse_marks(unreasonable)
        with conn.transaction():
            most, share = bounds.most
            rows = cut(conn, edition, unreasonable=marks, fewest=bounds.least, most=most, most_share=share, level=bounds.level)
            kept = None if into is None else keep_queries(conn, into, source=edition)
    click.echo(render(rows, _SHARES, style=style))
    if kept is not None:
        click.echo(f"\n{into}: {_size(kept)}", err=style in ("json", "csv"))


def _size(kept: KeptQueries) -> str:
    return f"{counted(kept.judgments, 'judgment')} of {counted(kept.queries, 'query')}"

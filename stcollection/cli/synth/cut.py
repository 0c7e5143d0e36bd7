"""The command ``stc synth cut``."""

from __future__ import annotations

import math
from dataclasses import dataclass

import click

from stcollection.cli.options import packed
from stcollection.cli.options.editions import changed_edition_argument
from stcollection.cli.options.synth import level_option
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.studies.synth.cut import clear, cut, keep, names_of

_SHARES = ["origin", "queries", "unreasonable", "few", "many", "kept", "share"]


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


@dataclass(frozen=True, kw_only=True)
class _Bounds:
    """How many relevant documents a query may have. :param most: a number of them, or a share of the judged ones."""

    least: int
    most: tuple[int | None, float | None]
    level: int


@click.command("cut")
@changed_edition_argument
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
@level_option
@click.option("--into", metavar="NAME", help="Make an edition without the queries that are cut.")
@click.option("--clear", "undo", is_flag=True, help="Take the cut back, marks too.")
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
            most, share = bounds.most
            rows = cut(conn, edition, unreasonable=marks, fewest=bounds.least, most=most, most_share=share, level=bounds.level)
            kept = None if into is None else keep(conn, into, source=edition)
    click.echo(render(rows, _SHARES, style=style))
    if kept is not None:
        click.echo(f"\n{into}: {kept.judgments:,} judgments of {kept.queries:,} queries", err=style in ("json", "csv"))

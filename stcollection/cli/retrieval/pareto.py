"""The command ``stc retrieval pareto``."""

from __future__ import annotations

import click

from stcollection.cli.options import packed
from stcollection.cli.options.filters import filter_options
from stcollection.cli.output import format_option, render
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.retrieval import SYSTEMS
from stcollection.retrieval import pareto as fronts_of
from stcollection.retrieval.filters import TypedFilter, read_filter

_TITLE = 60


@click.command("pareto")
@click.argument("query")
@click.option("--run", help="Stored run; QUERY is then the name of a stored query.  [default: search for the text QUERY]")
@click.option(
    "--system",
    type=click.Choice(SYSTEMS),
    default="hybrid",
    show_default=True,
    help="System that ranks the documents, without --run.",
)
@click.option("-k", type=click.IntRange(min=1), default=100, show_default=True, help="Number of top documents to compare.")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    default=fronts_of.MEASURES,
    show_default=True,
    metavar="MEASURE",
    help="Measure to compare by; age:less or age:more sets the direction. Repeatable.",
)
@click.option(
    "--fronts",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Number of Pareto fronts to show. Front 2 has the documents that only front 1 dominates.",
)
@click.option("--model", metavar="SHORT", help="Name of the embedding model in the collection.  [default: the collection's first]")
@filter_options
@format_option
@packed(fronts_of.ParetoOptions, "options")
@click.pass_obj
def command(
    settings: Settings,
    /,
    query: str,
    run: str | None,
    system: str,
    options: fronts_of.ParetoOptions,
    model: str | None,
    filtering: TypedFilter,
    style: str,
) -> None:
    """Show the top documents for a QUERY that no other document dominates in relevance, readability and credibility.

    A document is dominated if another one is at least as good by every measure and better by one. There are no weights to tune.
    """
    with connect(settings) as conn:
        wanted = read_filter(conn, filtering)
        found = fronts_of.pareto(conn, query, run=run, system=system, options=options, filter=wanted, model=model)
    if not found and style == "table":
        aside("nothing found")
        return
    rows = [(one.front, one.rank, *one.measured, one.docno, _short(one.title, style)) for one in found]
    click.echo(render(rows, ["front", "rank", *options.measures, "document", "title"], style=style))


def _short(title: str | None, style: str) -> str | None:
    """Return a title cut to the width of a table for a terminal; unchanged for programs."""
    if style != "table" or title is None or len(title) <= _TITLE:
        return title
    return title[: _TITLE - 1].rstrip() + "…"

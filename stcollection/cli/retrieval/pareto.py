"""The command ``stc retrieval pareto``."""

from __future__ import annotations

import click

from stcollection.cli.options import packed
from stcollection.cli.options.filters import filter_options, read_filter
from stcollection.cli.output import format_option, render
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.retrieval import SYSTEMS
from stcollection.retrieval import pareto as fronts_of
from stcollection.retrieval.filters import TypedFilter

_TITLE = 60


@click.command("pareto")
@click.argument("query")
@click.option("--run", help="A stored run; QUERY is then the name of a stored query.  [default: search for QUERY, a text]")
@click.option("--system", type=click.Choice(SYSTEMS), default="hybrid", show_default=True, help="What ranks, without --run.")
@click.option("-k", type=click.IntRange(min=1), default=100, show_default=True, help="Documents that are compared: the first k.")
@click.option(
    "--by",
    "measures",
    multiple=True,
    default=fronts_of.MEASURES,
    show_default=True,
    metavar="MEASURE",
    help="What they are compared by; age:less and age:more say a direction. Repeatable.",
)
@click.option("--fronts", type=click.IntRange(min=1), default=1, show_default=True, help="Fronts to show: 2 is what 1 hides.")
@click.option("--model", metavar="SHORT", help="The embedding model's name in the collection.  [default: the collection's first]")
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
    """Of the first documents for a QUERY those that no other one beats: in relevance, readability and credibility.

    A document is shown if none is as good by every measure and better by one. No weights, so nothing to tune.
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
    """A title as long as a table of a terminal can hold; whole where it is for a program."""
    if style != "table" or title is None or len(title) <= _TITLE:
        return title
    return title[: _TITLE - 1].rstrip() + "…"

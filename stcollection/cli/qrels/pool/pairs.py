"""The command ``stc qrels pool pairs``."""

from __future__ import annotations

import click

from stcollection.cli.options.queries import queries_option
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels.comparisons import PairProgress, pair_progress


@click.command("pairs")
@click.argument("name")
@queries_option
@format_option
@click.pass_obj
def command(settings: Settings, name: str, queries: str, style: str) -> None:
    """List the comparisons of documents of the pool NAME, by annotator and query.

    Annotators compare documents on the page (stc explore, Judging, Pairs). 'stc qrels pool submit --pairs' stores complete orders
    as preferences.
    """
    with connect(settings) as conn:
        found = pair_progress(conn, name, queries=queries)
    names = [field for field in PairProgress._fields if style == "json" or field != "query_text"]
    click.echo(render(found if style == "json" else [_row(one) for one in found], names, style=style))


def _row(one: PairProgress) -> tuple[object, ...]:
    seconds = "" if one.median_seconds is None else f"{one.median_seconds:.0f}"
    return (
        one.annotator,
        one.query,
        one.documents,
        one.placed,
        one.aside,
        one.compared,
        one.remaining,
        seconds,
        "yes" if one.submitted else "",
    )

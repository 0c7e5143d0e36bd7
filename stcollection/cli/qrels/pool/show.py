"""The command ``stc qrels pool show``."""

from __future__ import annotations

from typing import Any

import click

from stcollection.cli.options.pools import edition_option, relevant_option
from stcollection.cli.options.queries import set_option
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.qrels import pools as stored
from stcollection.topics.sets import ALL

_ORDERS = ("runs", "queries", "teams", "depth")


@click.command("show")
@click.argument("name")
@click.option(
    "--by",
    type=click.Choice(_ORDERS),
    default="runs",
    show_default=True,
    help="View: contribution of each run, each query, overlap of teams, or yield of each depth.",
)
@edition_option
@relevant_option
@set_option("With --by queries: show only the queries of a set")
@format_option
@click.pass_obj
def command(settings: Settings, name: str, by: str, edition: str | None, relevant: int, queries: str, style: str) -> None:
    """Show the contents of the pool NAME and who contributed them.

    unique: no other run of the pool has the document within the depth; (team): no run of another team.
    """
    if queries != ALL and by != "queries":
        raise BadArgument(f"--by {by} shows all queries of the pool, not the set {queries!r}", hint="Add --by queries.")
    rows: list[Any]
    with connect(settings) as conn:
        if by == "runs":
            rows = list(stored.contributions(conn, name, edition=edition, relevant=relevant))
            names = ["run", "team", "documents", "unique", "unique (team)", "judged", "relevant", "unique relevant",
                     "unique relevant (team)"]  # fmt: skip
        elif by == "queries":
            rows = list(stored.pool_queries(conn, name, edition=edition, relevant=relevant, queries=queries))
            names = ["query", "text", "documents", "judged", "relevant"]
        elif by == "teams":
            teams, common = stored.overlap(conn, name)
            rows = [(team, *counts) for team, counts in zip(teams, common, strict=True)]
            names = ["team", *teams]
        else:
            rows = list(stored.depths(conn, name, edition=edition, relevant=relevant))
            names = ["depth", "documents", "judged", "relevant", "estimate"]
            if all(row.estimate is None for row in rows):
                rows, names = [row[:4] for row in rows], names[:4]
    click.echo(render(rows, names, style=style))

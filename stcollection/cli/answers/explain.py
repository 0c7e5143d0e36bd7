"""The command ``stc answers explain``."""

from __future__ import annotations

import click
import orjson

from stcollection.cli.output import printable
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.answers.explain import as_text, explanations


@click.command("explain")
@click.argument("run")
@click.argument("query", required=False)
@click.option(
    "--format",
    "style",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="Output format; json prints one object per line.",
)
@click.pass_obj
def command(settings: Settings, run: str, query: str | None, style: str) -> None:
    """Show the clusters of QUERY in RUN with their answers and documents. QUERY is the whole text of a query; without it, show
    all.

    Prints which step of the rule selected the returned cluster, what contradicts it most, which documents are gold, and which have
    no answer. For a run without clusters, prints the returned documents.
    """
    with connect(settings) as conn:
        for number, told in enumerate(explanations(conn, run, query)):
            if style == "json":
                click.echo(orjson.dumps(told))
            else:
                click.echo(("\n" if number else "") + as_text(told, clean=printable))

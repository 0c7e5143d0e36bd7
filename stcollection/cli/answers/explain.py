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
    "--format", "style", type=click.Choice(["table", "json"]), default="table", show_default=True, help="json: one object a line."
)
@click.pass_obj
def command(settings: Settings, run: str, query: str | None, style: str) -> None:
    """The clusters of QUERY (its whole text; all queries if none is named) in RUN, with the answers and documents behind them.

    Tells by which step of the rule the returned cluster came first, what contradicts it most, which documents are gold and which
    give no answer. A run that groups no answers is shown by the documents it returns.
    """
    with connect(settings) as conn:
        for number, told in enumerate(explanations(conn, run, query)):
            if style == "json":
                click.echo(orjson.dumps(told))
            else:
                click.echo(("\n" if number else "") + as_text(told, clean=printable))

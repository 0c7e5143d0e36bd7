"""The command ``stc topics set``."""

from __future__ import annotations

import click

from stcollection.cli.options.completion import complete_sets
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.topics.sets import expression, store_set


@click.command("set")
@click.argument("name")
@click.argument("queries", metavar="SET", shell_complete=complete_sets)
@click.option("--description", metavar="TEXT", help="Purpose of the set.  [default: keep the stored description]")
@click.pass_obj
def command(settings: Settings, name: str, queries: str, description: str | None) -> None:
    """Store a set of queries under NAME, for --queries NAME. A stored set with this name is replaced.

    SET combines query ids, stored sets, all, origin:t5, type:long, topic:G* and @FILE (one id per line): a+b or a,b adds, a-b
    removes. Put a name with other characters into double quotes. Types are long, keyword, phrase, question, question-word and
    yes-no.

    The expression is evaluated when the set is used: type:long includes queries that are loaded later. A file is read once, now.
    """
    with connect(settings) as conn:
        done = store_set(conn, name, expression(queries), description=description)
    click.echo(f"{name}: {counted(done.queries, 'query')}{', replaced' if done.replaced else ''}")

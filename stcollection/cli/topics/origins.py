"""The command ``stc topics origins``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.topics.origins import set_origins


@click.command("origins")
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_obj
def command(settings: Settings, file: Path) -> None:
    """Set the origin of queries from FILE: lines of query, origin (human, t5, gpt-4, …) and, if known, model and source docno.

    Columns are separated by tabs or commas, with or without a header. The table of TREC 2023 Deep Learning (qid, Synthetic,
    isGPT4) is recognised. Files may be plain or compressed. All lines or none are stored; queries that are not in FILE do not
    change.
    """
    with connect(settings) as conn:
        done = set_origins(conn, file)
    told = ", ".join(f"{count:,} {name}" for name, count in done.origins.items())
    click.echo(f"{file}: {counted(done.queries, 'query')}, {told}; {done.changed:,} changed")

"""The command ``stc topics origins``."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.topics.origins import set_origins


@click.command("origins")
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_obj
def command(settings: Settings, file: Path) -> None:
    """Say what made the queries of FILE: lines of query, origin (human, t5, gpt-4, …) and, if known, model and source docno.

    Tabs or commas, with a header or without; the table of TREC 2023 Deep Learning (qid, Synthetic, isGPT4) is recognised. Plain
    or compressed. All lines or none are stored; queries that FILE does not name stay as they are.
    """
    with connect(settings) as conn:
        done = set_origins(conn, file)
    told = ", ".join(f"{count:,} {name}" for name, count in done.origins.items())
    click.echo(f"{file}: {done.queries:,} queries, {told}; {done.changed:,} changed")

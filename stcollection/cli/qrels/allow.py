"""The command ``stc qrels allow``."""

from __future__ import annotations

import click

from stcollection.cli.options.editions import changed_edition_argument
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.asks import PERMITTED, allow


@click.command("allow")
@changed_edition_argument
@click.option(
    "--requests", "asks", type=click.IntRange(min=0), required=True, help="Number of requests per team; 0 withdraws the permission."
)
@click.option(
    "--measures", metavar="LIST", help=f"Measures to report, at most 2, comma-separated: {PERMITTED}.  [default: ndcg_cut_10]"
)
@click.pass_obj
def command(settings: Settings, edition: str, asks: int, measures: str | None) -> None:
    """Allow each team a number of requests for the mean scores of its runs on a hidden EDITION ('stc evaluation ask').

    Each result reveals something about the hidden judgments: allow few requests, of few measures. Earlier requests of a team
    count.
    """
    names = None if measures is None else [name.strip() for name in measures.split(",") if name.strip()]
    with connect(settings) as conn:
        allow(conn, edition, asks=asks, measures=names)
    click.echo(f"{edition}: {counted(asks, 'request') + ' per team allowed' if asks else 'no requests allowed'}")

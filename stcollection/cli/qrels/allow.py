"""The command ``stc qrels allow``."""

from __future__ import annotations

import click

from stcollection.cli.options.editions import changed_edition_argument
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.asks import PERMITTED, allow


@click.command("allow")
@changed_edition_argument
@click.option("--asks", type=click.IntRange(min=0), required=True, help="How often each team may ask; 0 takes it back.")
@click.option(
    "--measures", metavar="NAMES", help=f"Measures to report, separated by commas, at most 2: {PERMITTED}.  [default: ndcg_cut_10]"
)
@click.pass_obj
def command(settings: Settings, edition: str, asks: int, measures: str | None) -> None:
    """Let each team request mean scores of its runs on a hidden EDITION, so many times: 'stc evaluation ask'.

    Each result reveals something about the hidden judgments: allow few requests, of few measures. Earlier requests of a team count.
    """
    names = None if measures is None else [name.strip() for name in measures.split(",") if name.strip()]
    with connect(settings) as conn:
        allow(conn, edition, asks=asks, measures=names)
    click.echo(f"{edition}: {f'each team may ask {asks} times' if asks else 'nobody may ask'}")

"""The command ``stc qrels allow``."""

from __future__ import annotations

import click

from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.asks import allow


@click.command("allow")
@click.argument("edition")
@click.option("--asks", type=click.IntRange(min=0), required=True, help="How often each team may ask; 0 takes it back.")
@click.option("--measures", metavar="NAMES", help="Measures to report, separated by commas, at most 2.  [default: ndcg_cut_10]")
@click.pass_obj
def command(settings: Settings, edition: str, asks: int, measures: str | None) -> None:
    """Let each team request mean scores of its runs on a hidden EDITION, so many times: 'stc evaluation ask'.

    Each result reveals something about the hidden judgments: allow few requests, of few measures. Earlier requests of a team count.
    Permitted measures: ndcg, map, Rprec, bpref, recip_rank; ndcg_cut_K, map_cut_K, P_K, recall_K with K of at least 10.
    """
    names = None if measures is None else [name.strip() for name in measures.split(",") if name.strip()]
    with connect(settings) as conn:
        allow(conn, edition, asks=asks, measures=names)
    click.echo(f"{edition}: {f'each team may ask {asks} times' if asks else 'nobody may ask'}")

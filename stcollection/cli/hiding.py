"""``stc qrels hide``, ``release`` and ``allow``, and ``stc evaluation ask``: editions that participants do not see, yet."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.asks import allow, ask
from stcollection.qrels.hiding import elsewhere, hide, release

_SHOWN = 5  # names in a line


@click.command("hide")
@click.argument("edition")
@click.pass_obj
def hide_(settings: Settings, edition: str) -> None:
    """Hide an EDITION from participants and readers: to them it is not there. 'stc qrels release' shows it again."""
    with connect(settings) as conn:
        done = hide(conn, edition)
        click.echo(f"{edition}: {'hidden' if done else 'was hidden already'}")
        for kind, names in elsewhere(conn, edition).items():
            some = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else "")
            what = {
                "edition": "open editions judge documents of it",
                "query": "queries of it name the document they were made from",
            }
            click.echo(f"stc: {what[kind]}, and tell of it all the same: {some}", err=True)


@click.command("release")
@click.argument("edition")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def release_(settings: Settings, edition: str, yes: bool) -> None:
    """Show a hidden EDITION to participants and readers; when, and by whom, is kept."""
    if not yes:
        click.confirm(f"Show the edition {edition!r} to all? What they have seen they know.", abort=True)
    with connect(settings) as conn:
        done = release(conn, edition)
    click.echo(f"{edition}: {'released' if done else 'is open already'}")


@click.command("allow")
@click.argument("edition")
@click.option("--asks", type=click.IntRange(min=0), required=True, help="How often each team may ask; 0 takes it back.")
@click.option("--measures", metavar="NAMES", help="Measures to report, separated by commas, at most 2.  [default: ndcg_cut_10]")
@click.pass_obj
def allow_(settings: Settings, edition: str, asks: int, measures: str | None) -> None:
    """Let each team request mean scores of its runs on a hidden EDITION, so many times: 'stc evaluation ask'.

    Each result reveals something about the hidden judgments: allow few requests, of few measures. Earlier requests of a team count.
    Permitted measures: ndcg, map, Rprec, bpref, recip_rank; ndcg_cut_K, map_cut_K, P_K, recall_K with K of at least 10.
    """
    names = None if measures is None else [name.strip() for name in measures.split(",") if name.strip()]
    with connect(settings) as conn:
        allow(conn, edition, asks=asks, measures=names)
    click.echo(f"{edition}: {f'each team may ask {asks} times' if asks else 'nobody may ask'}")


@click.command("ask")
@click.argument("run")
@click.option("--edition", required=True, help="The hidden edition to score it by.")
@format_option
@click.pass_obj
def ask_(settings: Settings, run: str, edition: str, style: str) -> None:
    """Request the mean scores of a RUN of your team on a hidden edition, where its organisers allow it; each request is counted.

    The run must have at least ten documents for every query of the edition. Means are rounded to two decimals. Repeating a request
    for an unchanged run is free.
    """
    with connect(settings) as conn:
        told, left = ask(conn, run, edition=edition)
    click.echo(render([(run, one.measure, one.mean) for one in told], ["run", "measure", "mean"], style=style))
    if style == "table":
        click.echo(f"asks left on {edition!r}: {left}")

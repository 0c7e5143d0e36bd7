"""``stc text``: the text index."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.text.index import index, status


@click.group()
def text() -> None:
    """The text index: tsvector with GIN, BM25."""


@text.command("index")
@click.option("--config", default="english", show_default=True, help="Text search configuration: its stemmer and stop words.")
@click.option(
    "--k1", type=click.FloatRange(min=0), default=1.2, show_default=True, help="BM25: how soon a repeated word stops counting."
)
@click.option("--b", type=click.FloatRange(min=0, max=1), default=0.75, show_default=True, help="BM25: how much length counts.")
@click.option(
    "--engine", type=click.Choice(["pg_textsearch", "portable"]),
    help="What ranks by BM25.  [default: pg_textsearch where the server has it]",
)  # fmt: skip
@click.option("--rebuild", is_flag=True, help="Build anew even what is current.")
@click.pass_obj
def index_(settings: Settings, config: str, k1: float, b: float, engine: str | None, rebuild: bool) -> None:
    """Build the indexes of titles and abstracts: GIN for words, BM25 for ranking."""
    with connect(settings, autocommit=True) as conn:
        done = index(conn, config=config, k1=k1, b=b, engine=engine, rebuild=rebuild)
    what = "indexed" if done.built else "the index is current:"
    click.echo(f"{what} {done.documents:,} documents, {done.tokens:,} tokens; BM25 by {done.engine}, configuration {done.config}")


@text.command("status")
@format_option
@click.pass_obj
def status_(settings: Settings, style: str) -> None:
    """The state of the indexes against the table."""
    with connect(settings) as conn:
        click.echo(render(status(conn), ["what", "value"], style=style))

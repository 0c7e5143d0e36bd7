"""The command ``stc text index``."""

from __future__ import annotations

import click

from stcollection.cli.options.published import published_option
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.db.versions import defects
from stcollection.published import TEXT_INDEX
from stcollection.text.index import index


@click.command("index")
@click.option("--config", default="english", show_default=True, help="Text search configuration, with stemmer and stop words.")
@click.option(
    "--k1",
    type=click.FloatRange(min=0),
    default=1.2,
    show_default=True,
    help="BM25 parameter: a lower value saturates repeated words sooner.",
)
@click.option(
    "--b",
    type=click.FloatRange(min=0, max=1),
    default=0.75,
    show_default=True,
    help="BM25 parameter: weight of the document length.",
)
@click.option(
    "--engine",
    type=click.Choice(["pg_textsearch", "portable"]),
    help="BM25 implementation.  [default: pg_textsearch if the server has it]",
)
@click.option(
    "--words",
    type=click.Choice(["split", "published"]),
    help="How words are separated: split finds client/server and COVID-19 by their parts, too; published does not."
    "  [default: as before; split in new collections]",
)
@click.option("--rebuild", is_flag=True, help="Rebuild even if up to date.")
@published_option(TEXT_INDEX)
@click.pass_obj
def command(settings: Settings, config: str, k1: float, b: float, engine: str | None, rebuild: bool, words: str | None) -> None:
    """Build the indexes of titles and abstracts: GIN for words, BM25 for ranking."""
    with connect(settings, autocommit=True) as conn:
        done = index(conn, config=config, k1=k1, b=b, engine=engine, rebuild=rebuild, words=words)
        known = defects(conn, "pg_textsearch") if done.built and done.engine == "pg_textsearch" else []
    what = "indexed" if done.built else "the index is current:"
    click.echo(
        f"{what} {counted(done.documents, 'document')}, {counted(done.tokens, 'token')};"
        f" BM25 by {done.engine}, configuration {done.config}, words {done.words}"
    )
    for defect in known:
        if not defect.own:
            aside(f"note: {defect}")

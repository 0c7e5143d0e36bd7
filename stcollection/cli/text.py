"""``stc text``: the text index."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.text.configure import configure
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


@text.command("configure")
@click.argument("name")
@click.option("--base", default="english", show_default=True, help="The configuration to build on: its stemmer and stop words.")
@click.option("--thesaurus", metavar="FILE", help="Lines 'some words : other words'; 'computing' comes with stcollection.")
@click.option("--synonyms", metavar="FILE", help="Lines 'word synonym'.")
@click.option("--stop", metavar="FILE", help="Stop words, one a line, in place of those of the base.")
@click.option("--replace", is_flag=True, help="Put it in the place of the one that has the name.")
@click.pass_obj
def configure_(
    settings: Settings, name: str, base: str, thesaurus: str | None, synonyms: str | None, stop: str | None, replace: bool
) -> None:
    """Make a text search configuration of your own; 'stc text index --config NAME' uses it for texts and queries."""
    with connect(settings, autocommit=True) as conn:
        made = configure(conn, settings, name=name, base=base, thesaurus=thesaurus, synonyms=synonyms, stop=stop, replace=replace)
    what = [f"{made.entries:,} entries"] if made.entries else []
    what += [f"{made.stop:,} stop words"] if made.stop is not None else []
    click.echo(f"made the configuration {name}: {', '.join(what)}")
    if made.kept:
        click.echo(f"the text index goes on with the one before, now {made.kept}")
    click.echo(f"stc text index --config {name} puts it to use")

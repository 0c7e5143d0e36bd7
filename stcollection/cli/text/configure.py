"""The command ``stc text configure``."""

from __future__ import annotations

import click

from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.text.configure import configure


@click.command("configure")
@click.argument("name")
@click.option("--base", default="english", show_default=True, help="Configuration that supplies stemmer and stop words.")
@click.option(
    "--thesaurus",
    metavar="FILE",
    help="Thesaurus file with lines 'some words : other words'; 'computing' is included in stcollection.",
)
@click.option("--synonyms", metavar="FILE", help="Synonym file with lines 'word synonym'.")
@click.option("--stop", metavar="FILE", help="File of stop words, one per line, instead of those of --base.")
@click.option("--replace", is_flag=True, help="Replace a configuration with this name.")
@click.pass_obj
def command(
    settings: Settings, name: str, base: str, thesaurus: str | None, synonyms: str | None, stop: str | None, replace: bool
) -> None:
    """Create a text search configuration NAME. 'stc text index --config NAME' uses it for texts and queries."""
    with connect(settings, autocommit=True) as conn:
        made = configure(conn, settings, name=name, base=base, thesaurus=thesaurus, synonyms=synonyms, stop=stop, replace=replace)
    what = [f"{counted(made.entries, 'entry')}"] if made.entries else []
    what += [f"{counted(made.stop, 'stop word')}"] if made.stop is not None else []
    click.echo(f"created the configuration {name}: {', '.join(what)}")
    if made.kept:
        click.echo(f"the text index still uses the previous one, now named {made.kept}")
    click.echo(f"To use the new one: stc text index --config {name}")
